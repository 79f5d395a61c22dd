#include "tools/hostbench/scratch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <vector>

#include "tools/hostbench/bench.h"

namespace clustersim::hostbench {
namespace {

constexpr std::int64_t mib = 1024 * 1024;

std::runtime_error cannot(const std::string& what, const std::string& directory) {
  return std::runtime_error("cannot " + what + " in " + directory + ": " + std::strerror(errno) +
                            "; name a directory of yours on the disk in question with --directory");
}

void write_block(int file, const std::vector<std::uint64_t>& block, const std::string& directory) {
  const char* data = reinterpret_cast<const char*>(block.data());
  std::size_t left = block.size() * sizeof block[0];
  while (left > 0) {
    const ssize_t written = write(file, data, left);
    if (written < 0 && errno == EINTR) {
      check_interrupt();
      continue;
    }
    if (written <= 0) throw cannot("write a file", directory);
    data += written;
    left -= static_cast<std::size_t>(written);
  }
}

}  // namespace

ScratchFile::ScratchFile(const std::string& directory, std::int64_t bytes, double limit_s) {
  std::string path = directory + "/clustersim-hostbench-XXXXXX";
  cached_ = mkostemp(path.data(), O_CLOEXEC);
  if (cached_ < 0) throw cannot("make a file", directory);
  direct_ = open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  unlink(path.c_str());
  try {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> block(mib / sizeof(std::uint64_t));
    const double end_s = now_s() + limit_s;
    while (bytes_ + mib <= bytes && (bytes_ < 64 * mib || now_s() < end_s)) {
      check_interrupt();
      for (std::uint64_t& word : block) word = random();
      write_block(cached_, block, directory);
      bytes_ += mib;
      if (bytes_ % (64 * mib) == 0) fdatasync(cached_);  // so that the time limit counts the disk, not the memory
    }
    if (fdatasync(cached_) != 0) throw cannot("sync a file", directory);
  } catch (...) {
    close(cached_);
    if (direct_ >= 0) close(direct_);
    throw;
  }
}

ScratchFile::~ScratchFile() {
  close(cached_);
  if (direct_ >= 0) close(direct_);
}

ScratchDirectory::ScratchDirectory(const std::string& directory) : path_(directory + "/clustersim-hostbench-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw cannot("make a directory", directory);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace clustersim::hostbench
