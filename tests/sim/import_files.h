// Files for the tests of imports: written for a moment, or those of tests/import, and the fault a call ends with.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "clustersim/error.h"
#include "clustersim/import.h"

namespace clustersim::imports {

// A file that is gone with its object.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("clustersim-import-" + std::to_string(getpid()) + "-" + std::to_string(number++)))
                .string();
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchFile() { std::remove(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string example(const std::string& name) { return CLUSTERSIM_SOURCE_DIR "/tests/import/" + name; }

// The first fault that the call throws.
template <class Call>
Problem fault_of(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    REQUIRE_FALSE(error.problems().empty());
    return error.problems().front();
  }
  FAIL("no fault");
  return {};
}

// Does one of the lines hold this text?
inline bool says(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace clustersim::imports
