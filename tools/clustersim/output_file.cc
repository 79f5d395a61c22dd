// A result that goes to a file. (Declared in command.h.)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
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

// The same file by whatever name; a device or a pipe is nobody's.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  if (fs::exists(a, ignored) && fs::exists(b, ignored)) return fs::equivalent(a, b, ignored);
  return fs::weakly_canonical(fs::absolute(a), ignored) == fs::weakly_canonical(fs::absolute(b), ignored);
}

struct NamedFile {
  std::string name, path;  // "--trace", or "" of an input
};

// Files that a scenario or a study names in its turn (a trace, a calibration): its texts in quotes, as they are and
// beside it.
std::vector<NamedFile> named_in(const std::string& path) {
  constexpr std::size_t most_bytes = 1 << 20, longest_name = 300;
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::path(path).extension() != ".json") return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::vector<NamedFile> found;
  for (std::size_t open = text.find('"'); open != std::string::npos; open = text.find('"', open + 1)) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string::npos || close - open > longest_name || close == open + 1) continue;
    const std::string name = text.substr(open + 1, close - open - 1);
    if (name.find_first_of("./") == std::string::npos) continue;  // a key, or a word
    for (const fs::path& at : {fs::path(name), fs::path(path).parent_path() / name})
      if (fs::is_regular_file(at, ignored)) found.push_back({"", at.string()});
  }
  return found;
}

}  // namespace

void keep_files_apart(const Command& command, const Arguments& arguments) {
  std::vector<NamedFile> written, read;
  const bool kind_first = command.name == "import";
  for (std::size_t i = kind_first ? 1 : 0; i < arguments.positional.size(); ++i)
    read.push_back({"", arguments.positional[i]});
  for (const Option& option : command.options) {
    if (option.argument.empty() || !arguments.has(option.name)) continue;
    for (const std::string& path : arguments.options.at(option.name))
      (option.writes ? written : read).push_back({"--" + option.name, path});
  }
  if (command.name == "sweep" && !arguments.has("db") && !arguments.positional.empty())
    written.push_back({"the database", default_database(arguments.positional[0])});
  if (written.empty()) return;
  for (std::size_t i = 0, inputs = read.size(); i < inputs; ++i)
    for (NamedFile& file : named_in(read[i].path)) read.push_back(std::move(file));
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].path.empty()) continue;
    for (const NamedFile& input : read)
      if (same_file(written[i].path, input.path))
        throw UsageError(written[i].name + " would write over " + written[i].path + ", which is read: name another");
    for (std::size_t k = 0; k < i; ++k)
      if (same_file(written[i].path, written[k].path))
        throw UsageError(written[k].name + " and " + written[i].name + " name one file: " + written[i].path);
  }
}

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
