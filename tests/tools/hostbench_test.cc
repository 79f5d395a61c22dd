#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/machine.h"
#include "tools/hostbench/scratch.h"

using namespace clustersim::hostbench;

namespace {

struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "clustersim_hostbench_test").string();
  Folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("a value of /proc/cpuinfo", "[hostbench]") {
  const std::string text =
      "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz: fast\nmodel\t\t: 1\nempty\t:\n\nno colon\n: x\n";
  CHECK(value_of(text, "model name") == "Some CPU @ 2.0GHz: fast");
  CHECK(value_of(text, "model") == "1");
  CHECK(value_of(text, "empty").empty());
  CHECK(value_of(text, "missing").empty());
}

TEST_CASE("threads that start together do all the work and hand up their faults", "[hostbench]") {
  std::atomic<int> sum = 0;
  CHECK(run_together(first_cpus(usable_cpus(), 5), [&](int index) { sum += index; }).elapsed_s >= 0);
  CHECK(sum == 0 + 1 + 2 + 3 + 4);
  CHECK_THROWS_WITH(run_together(first_cpus(usable_cpus(), 3),
                                 [](int index) {
                                   if (index == 1) throw std::runtime_error("the second");
                                 }),
                    "the second");
}

TEST_CASE("the time counts from the first start to the last end", "[hostbench]") {
  // However late the caller wakes, the threads themselves spent this long.
  const auto busy = [](int index) {
    for (const double end_s = now_s() + 0.01 * (index + 1); now_s() < end_s;) {
    }
  };
  for (int i = 0; i < 5; ++i) CHECK(run_together(first_cpus(usable_cpus(), 3), busy).elapsed_s >= 0.03);
}

TEST_CASE("threads that wait have a small share of their cores, and a record says so", "[hostbench]") {
  const auto sleep = [](int) { usleep(20000); };
  const Together together = run_together(first_cpus(usable_cpus(), 2), sleep);
  CHECK(together.cpu_share < 0.9);
  CHECK(together.cpu_s < 2 * together.elapsed_s);
  Record record;
  add_cpu_share(record, 1);
  CHECK(record.note.empty());
  add_cpu_share(record, 0.5);
  CHECK_THAT(record.note, Catch::Contains("idle machine"));
}

TEST_CASE("processors are dealt in turn", "[hostbench]") {
  CHECK(first_cpus({4, 6}, 5) == std::vector<int>{4, 6, 4, 6, 4});
  CHECK(first_cpus({4, 6}, 1) == std::vector<int>{4});
}

TEST_CASE("samples are the rounds after the warming one", "[hostbench]") {
  int rounds = 0;
  const auto samples = sample_rounds(3, 2.0, [&](double seconds) { return seconds * ++rounds; });
  CHECK(samples == std::vector<double>{2.0 * 2, 2.0 * 3, 2.0 * 4});
}

TEST_CASE("a scratch file has its size and no name", "[hostbench]") {
  const Folder folder;
  {
    const ScratchFile file(folder.path, 3 * 1024 * 1024 + 5, 60);
    CHECK(file.bytes() == 3 * 1024 * 1024);
    CHECK(lseek(file.cached(), 0, SEEK_END) == file.bytes());
    CHECK(std::filesystem::is_empty(folder.path));
  }
  CHECK_THROWS_WITH(ScratchFile(folder.path + "/missing", 1, 1), Catch::Contains("--directory"));
}

TEST_CASE("a scratch directory goes with all that is in it", "[hostbench]") {
  const Folder folder;
  {
    const ScratchDirectory directory(folder.path);
    std::ofstream(directory.path() + "/file") << "x";
    CHECK_FALSE(std::filesystem::is_empty(folder.path));
  }
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK_THROWS_AS(ScratchDirectory(folder.path + "/missing"), std::runtime_error);
}

TEST_CASE("the machine is described without a name of host or user", "[hostbench]") {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  bool cores = false;
  for (const auto& [name, value] : describe_machine(".")) {
    if (name == "cores") cores = std::get<std::int64_t>(value) >= 1;
    if (const auto* text = std::get_if<std::string>(&value)) CHECK(*text != host);
  }
  CHECK(cores);
  CHECK(filesystem_of("/nowhere/at/all").empty());
}
