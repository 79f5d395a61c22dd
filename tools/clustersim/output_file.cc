// A result that goes to a file. (Declared in command.h.)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

[[noreturn]] void refuse(const std::string& path, int fault) {
  throw InputError({{path, "", "a file that can be written", std::strerror(fault), ""}});
}

// 0, or the errno of the first call that failed. Closes the file.
int fill_and_close(int file, const std::string& text) {
  int fault = 0;
  for (std::size_t done = 0; done < text.size() && fault == 0;) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno != EINTR)
      fault = errno;
  }
  if (close(file) != 0 && fault == 0) fault = errno;
  return fault;
}

// As the file would have been made by its own name, or as it was.
mode_t mode_of(const struct stat* old) {
  if (old) return old->st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  struct stat old {};
  const bool exists = stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) refuse(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    const int device = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) refuse(path, errno);
    if (const int fault = fill_and_close(device, text)) refuse(path, fault);
    return;
  }
  if (exists && access(path.c_str(), W_OK) != 0) refuse(path, errno);
  char* resolved = exists ? realpath(path.c_str(), nullptr) : nullptr;  // a link keeps pointing where it pointed
  const std::string target = resolved ? resolved : path;
  std::free(resolved);
  std::string partial = target + ".XXXXXX";
  const int file = mkstemp(partial.data());
  if (file < 0) refuse(path, errno);
  int fault = fchmod(file, mode_of(exists ? &old : nullptr)) == 0 ? 0 : errno;
  if (const int failed = fill_and_close(file, text)) fault = failed;
  if (fault == 0 && std::rename(partial.c_str(), target.c_str()) != 0) fault = errno;
  if (fault == 0) return;
  unlink(partial.c_str());
  refuse(path, fault);
}

}  // namespace clustersim
