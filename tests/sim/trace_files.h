// Small recorded steps for tests, as text, and a folder to put them in.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace clustersim::traces {

// A file of its own that is gone with its owner.
class TestFile {
 public:
  TestFile(const std::string& name, const std::string& content)
      : path_((std::filesystem::temp_directory_path() / ("clustersim_test_" + name)).string()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TestFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string operator_text(const std::string& name, double start_us, double duration_us,
                                 const std::string& more = "") {
  char text[200];
  std::snprintf(text, sizeof text, "\", \"start_us\": %.6f, \"duration_us\": %.6f", start_us, duration_us);
  return "{\"name\": \"" + name + text + (more.empty() ? "" : ", " + more) + "}";
}

// A file of ours: what stands before the operators, and the operators.
inline std::string step_text(const std::string& head, const std::vector<std::string>& operators) {
  std::string text = "{\"clustersim_step_trace\": 1, " + head + ", \"operators\": [";
  for (std::size_t i = 0; i < operators.size(); ++i) text += (i > 0 ? ",\n" : "\n") + operators[i];
  return text + "]}";
}

}  // namespace clustersim::traces
