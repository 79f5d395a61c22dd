#include "sim/read/source_file.h"

#include <sys/stat.h>
#include <sys/vfs.h>

namespace clustersim {
namespace {

constexpr long pipe_file_system = 0x50495045;  // PIPEFS_MAGIC [published: linux/magic.h]

// A pipe without a name in any folder: opening it never waits.
bool is_unnamed(const std::string& path) {
  struct statfs system {};
  return statfs(path.c_str(), &system) == 0 && static_cast<long>(system.f_type) == pipe_file_system;
}

}  // namespace

std::string no_source(const std::string& path, bool once) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "no file of this name";
  if (S_ISREG(status.st_mode)) return "";
  if (S_ISDIR(status.st_mode)) return "a folder";
  if (!S_ISFIFO(status.st_mode)) return "a device";
  return once && is_unnamed(path) ? "" : "a pipe";
}

}  // namespace clustersim
