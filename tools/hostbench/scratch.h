// Files that are gone when the program is.
//
// A ScratchFile has no name: it is unlinked as soon as it is open, so nothing is left behind even by a kill. A
// ScratchDirectory is removed with all in it when it goes out of scope. Checked by tests/tools/hostbench_test.cc.
#pragma once

#include <cstdint>
#include <string>

namespace clustersim::hostbench {

// Throw std::runtime_error with the system's reason.

class ScratchFile {
 public:
  // Random bytes, synced; as many as are written in `limit_s`, at most `bytes`, in whole MiB.
  ScratchFile(const std::string& directory, std::int64_t bytes, double limit_s);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::int64_t bytes() const { return bytes_; }
  int cached() const { return cached_; }  // a descriptor that reads through the page cache
  int direct() const { return direct_; }  // one past it, or -1 where the file system refuses

 private:
  int cached_ = -1, direct_ = -1;
  std::int64_t bytes_ = 0;
};

class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& directory);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace clustersim::hostbench
