// Small files whose names the kernel has seen: open, read a byte and close; stat.
//
//   median = seconds a file on one thread;  per_s = threads / median
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/scratch.h"

namespace clustersim::hostbench {
namespace {

std::runtime_error cannot(const char* what) {
  return std::runtime_error(std::string("cannot ") + what + " a file: " + std::strerror(errno));
}

void open_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw cannot("open");
  char byte = 0;
  const bool right = read(file, &byte, 1) == 1;
  close(file);
  if (!right) throw cannot("read");
}

void stat_file(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw cannot("stat");
}

std::vector<std::string> make_files(const std::string& directory, int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) {
    check_interrupt();
    paths.push_back(directory + "/" + std::to_string(i));
    const int file = open(paths.back().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) throw cannot("make");
    const bool written = write(file, "x", 1) == 1;
    close(file);
    if (!written) throw cannot("write");
  }
  return paths;
}

Record measure(const char* name, void (*touch)(const std::string&), const std::vector<std::string>& paths, int threads,
               const Settings& settings) {
  const std::vector<int> cpus = first_cpus(usable_cpus(), threads);
  const auto samples = sample_rounds(settings.quick ? 5 : 15, 0, [&](double) {
    const Together together = run_together(cpus, [&](int index) {
      // Every thread visits every file, each from a place of its own.
      const std::size_t first = paths.size() * static_cast<std::size_t>(index) / static_cast<std::size_t>(threads);
      for (std::size_t i = 0; i < paths.size(); ++i) touch(paths[(first + i) % paths.size()]);
    });
    return together.elapsed_s / static_cast<double>(paths.size());
  });
  Record record = measurement::measured(
      name, {{"files", static_cast<std::int64_t>(paths.size())}, {"threads", std::int64_t{threads}}}, samples);
  record.derived = {{"per_s", threads / record.median}};
  return record;
}

}  // namespace

std::vector<Record> run_files(const Settings& settings) {
  const ScratchDirectory directory(settings.directory);
  const std::vector<std::string> paths = make_files(directory.path(), settings.quick ? 1000 : 5000);
  std::vector<int> counts = {1, static_cast<int>(usable_cpus().size())};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<Record> records;
  for (int threads : counts) {
    records.push_back(measure("file_open", open_file, paths, threads, settings));
    records.push_back(measure("file_stat", stat_file, paths, threads, settings));
  }
  return records;
}

}  // namespace clustersim::hostbench
