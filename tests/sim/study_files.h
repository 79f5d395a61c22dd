// Studies for tests, written into a folder of their own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace clustersim::study_files {

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("clustersim-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

// A step that takes what it is given: 0.2 s for 400 samples on each of two GPUs of one node, 1000 steps.
inline std::string base() {
  return R"({"clustersim": 1,
    "cluster": {"nodes": 1, "node": {"gpu": "a100-sxm4-40gb", "gpus": 2, "gpu_fabric": "nvlink3"}},
    "job": {"model": {"emulated_step": "0.2 s", "batch": 400, "sample_bytes": "1 kB"}, "target": {"steps": 1000},
            "data": {"from": "synthetic"}},
    "cost": {"self_hosted": {"server_price": "100000 USD"}}})";
}

inline std::string study(const std::string& axes, const std::string& more = "", const std::string& scenario = base()) {
  return R"({"clustersim_study": 1, "name": "test", "base": )" + scenario + R"(, "axes": [)" + axes + "]" + more + "}";
}

}  // namespace clustersim::study_files
