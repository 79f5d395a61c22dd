// The input pipeline of a data-parallel step: stages in a row for each GPU, `prefetch` batches ahead.
#include <catch2/catch.hpp>

#include "tests/sim/step_bench.h"

using namespace clustersim;
using bench::Bench;
using bench::StepRun;

namespace {

// Times are whole picoseconds; a step adds up a few of them.
constexpr double rounding_s = 20e-12;
constexpr double train_s = 10e-3;

Approx near(double seconds) { return Approx(seconds).epsilon(0).margin(rounding_s); }

// Stages that take the given times for a step's batch, and a GPU that computes for train_s.
struct Pipeline : Bench {
  Pipeline(double read_s, double decode_s, double copy_s, int prefetch)
      : Bench(bench::cluster(1, 1), bench::job(), {bench::block(train_s)}) {
    spec.prefetch = prefetch;
    add_stage("read", 1e6 * read_s, 1e6);
    add_stage("decode", decode_s, 1);
    add_stage("copy", 1e9 * copy_s, 1e9);
  }
};

}  // namespace

TEST_CASE("input: once warm, the slowest stage sets the step") {
  // Every stage works on a batch of its own while the next one works on the batch before.
  struct Case {
    double read_s, decode_s, copy_s;
  };
  for (const Case& c :
       {Case{30e-3, 8e-3, 2e-3}, Case{8e-3, 25e-3, 9.9e-3}, Case{1e-3, 2e-3, 11e-3}, Case{9e-3, 8e-3, 9.5e-3}}) {
    const double slowest_s = std::max({c.read_s, c.decode_s, c.copy_s, train_s});
    const StepRun run = Pipeline(c.read_s, c.decode_s, c.copy_s, 8).run(40);
    CHECK(run.step_s() == near(slowest_s));
    const StepParts parts = run.parts(0);
    CHECK(parts.input_s == near(slowest_s - train_s));
    CHECK(parts.forward_backward_s == near(train_s));
    // What the batch waited for is filled in backwards: its copy, its decode, its read.
    double left_s = slowest_s - train_s;
    for (const auto& [label, stage_s] :
         {std::pair{"copy", c.copy_s}, std::pair{"decode", c.decode_s}, std::pair{"read", c.read_s}}) {
      const double part_s = std::min(left_s, stage_s);
      left_s -= part_s;
      CHECK(parts.waited_s.count(label) == (part_s > 0 ? 1 : 0));
      if (part_s > 0) CHECK(parts.waited_s.at(label) == near(part_s));
    }
  }
}

TEST_CASE("input: with one batch ahead, read starts when the GPU has taken the last: the step is the sum") {
  const StepRun run = Pipeline(3e-3, 4e-3, 5e-3, 1).run();
  CHECK(run.step_s() == near(3e-3 + 4e-3 + 5e-3 + train_s));
  CHECK(run.parts(0).input_s == near(12e-3));
}

TEST_CASE("input: d batches ahead circulate, so a step is at least the way round over d") {
  // The way round is read, decode, copy, train: 3 + 4 + 5 + 10 = 22 ms. Step = max(slowest, round / d).
  for (int d = 1; d <= 6; ++d) {
    const StepRun run = Pipeline(3e-3, 4e-3, 5e-3, d).run(60);
    const auto n = static_cast<std::size_t>(d) * 4;  // a mean over whole rounds: single steps may alternate
    const double mean_s = sim_time_to_seconds(run.ends[20 + n] - run.ends[20]) / static_cast<double>(n);
    CHECK(mean_s == near(std::max(10e-3, 22e-3 / d)));
  }
}

TEST_CASE("input: GPUs that read from one device share it") {
  // Two simulated GPUs of 1 MB each on 100 MB/s: 20 ms together; alone 10 ms. A third that weighs 3 (it stands for 3)
  // makes it 50 ms.
  Bench b(bench::cluster(1, 3), bench::job(), {bench::block(train_s / 10)});
  b.spec.prefetch = 4;
  b.extra_capacity = {100e6};
  const ResourceId disk = b.extra(0);
  SECTION("one reads") {
    b.add_stage(b.spec.ranks[0], {"read", 1e6, 0, 0, {{disk, 1, 1}}});
    CHECK(b.run(24).step_s() == near(10e-3));
  }
  SECTION("two read") {
    for (int g : {0, 1}) b.add_stage(b.spec.ranks[static_cast<std::size_t>(g)], {"read", 1e6, 0, 0, {{disk, 1, 1}}});
    CHECK(b.run(24).step_s() == near(20e-3));
  }
  SECTION("one reads for many") {
    for (int g : {0, 1}) b.add_stage(b.spec.ranks[static_cast<std::size_t>(g)], {"read", 1e6, 0, 0, {{disk, 1, 1}}});
    b.add_stage(b.spec.ranks[2], {"read", 1e6, 0, 0, {{disk, 3, 3}}});
    CHECK(b.run(24).step_s() == near(50e-3));
  }
}

TEST_CASE("input: the latency of a stage adds to its time") {
  Bench b(bench::cluster(1, 1), bench::job(), {bench::block(train_s)});
  b.spec.prefetch = 4;
  b.add_stage(b.spec.ranks[0], {"read", 1e6, 100e6, 5e-3, {}});
  CHECK(b.run(24).step_s() == near(5e-3 + 10e-3));
}

TEST_CASE("input: decoding on the GPU is input time on its stream") {
  Pipeline b(1e-3, 1e-3, 1e-3, 4);
  b.spec.ranks[0].gpu_decode_s = 2e-3;
  const StepRun run = b.run();
  CHECK(run.step_s() == near(train_s + 2e-3));
  CHECK(run.parts(0).input_s == near(2e-3));
  CHECK(run.parts(0).busy_s == near(train_s + 2e-3));
}

TEST_CASE("input: the batch of a step is fetched once, whatever its micro-batches") {
  for (const bool no_sync : {true, false}) {
    Job job = bench::job();
    job.accumulation = 4;
    job.no_sync = no_sync;
    Bench b(bench::cluster(1, 2), job, {bench::ten_layers(25e6)});
    b.spec.prefetch = 2;
    b.add_stage("read", 200e-3, 1);  // far longer than 4 x 30 ms of compute
    for (Rank& rank : b.spec.ranks) rank.gpu_decode_s = 1e-3;
    const StepRun run = b.run(20);
    CHECK(run.tasks("read", 10).size() == 2);
    CHECK(run.tasks("gpu decode", 10).size() == 2);
    CHECK(run.step_s() == near(200e-3));
  }
}

TEST_CASE("input: one GPU without data holds up the others through the gradients") {
  Job job = bench::job();
  job.bucket = Bytes();
  Bench b(bench::cluster(1, 2), job, {bench::ten_layers(25e6)});
  b.spec.prefetch = 2;
  b.add_stage(b.spec.ranks[1], {"read", 80e-3, 1, 0, {}});
  const StepRun run = b.run(20);
  CHECK(run.step_s() == near(80e-3));
  // GPU 1 waits for its data; GPU 0 for the reduction that GPU 1 starts late: for the same read, then for the other's
  // kernels. Its own kernels end with those of the step before, so nothing but the read is left in the gap.
  const double gap_s = 80e-3 - bench::forward_s - bench::backward_s - bench::optimizer_s - b.all_reduce_s(100e6);
  CHECK(run.parts(1).input_s == near(gap_s));
  CHECK(run.parts(0).input_s + run.parts(0).straggler_s == near(gap_s));
  CHECK(run.parts(0).sum() == near(80e-3));
}
