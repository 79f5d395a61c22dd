// Runs share nothing that changes: the same answers on one thread and on several at once.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "clustersim/clustersim.h"

using namespace clustersim;

namespace {

constexpr int variants = 8;

Report variant(int i) {
  const std::string text = R"({"clustersim": 1, "cluster": {"nodes": )" + std::to_string(1 + i % 4) +
                           R"(, "node": {"server": "dgx-a100-80gb"}, "stragglers": {"share": 0.5, "slowdown": 0.1}},
                             "job": {"model": "resnet-50", "batch_per_gpu": )" +
                           std::to_string(32 + i) + "}}";
  RunOptions options;
  options.what_if = false;
  options.messages = i % 2 == 1;
  return run(read_scenario_text(text, "variant", {}), options);
}

std::vector<std::string> answers(int threads) {
  std::vector<std::string> texts(variants);
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int i = next++; i < variants; i = next++) {
      Report report = variant(i);
      report.provenance.wall_time_s = 0;
      texts[static_cast<std::size_t>(i)] = write(report, "json");
    }
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  return texts;
}

}  // namespace

TEST_CASE("the same bytes on one thread and on four") { CHECK(answers(1) == answers(4)); }
