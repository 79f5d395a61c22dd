// Without MPI in this program: the same command goes on in clustersim-mpi, which lies beside it.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/clustersim/command.h"
#include "tools/clustersim/ranks/ranks.h"

namespace clustersim {
namespace {

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::string sweep_across_ranks(const std::string&, SweepOptions, const std::string&) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "clustersim-mpi";
  std::vector<std::string> words = own_words();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());  // returns only where it could not
  throw UsageError("started by an MPI launcher, but this build has no MPI (" + program.string() +
                   "): install libopenmpi-dev and libboost-mpi-dev and build again, or start it without");
}

}  // namespace clustersim
