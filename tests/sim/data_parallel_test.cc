#include "models/workload/data_parallel.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "models/compute/roofline.h"
#include "tests/sim/step_bench.h"

using namespace clustersim;
using bench::Bench;
using bench::StepRun;

namespace {

// Times are whole picoseconds; a step adds up a few dozen of them.
constexpr double rounding_s = 100e-12;
constexpr double compute_s = bench::forward_s + bench::backward_s;

Approx near(double seconds) { return Approx(seconds).epsilon(0).margin(rounding_s); }

double bytes_of(const std::vector<Bucket>& buckets) {
  return std::accumulate(buckets.begin(), buckets.end(), 0.0,
                         [](double sum, const Bucket& b) { return sum + b.bytes; });
}

}  // namespace

TEST_CASE("data parallel: one GPU communicates nothing, its step is its kernels") {
  const Bench one(bench::cluster(1, 1), bench::job(), {bench::ten_layers(25e6)});
  const StepRun run = one.run();
  CHECK(run.transfers(3) == 0);
  CHECK(run.step_s() == near(compute_s + bench::optimizer_s));
  CHECK(run.parts(0).communication_s == 0);
  CHECK(run.parts(0).forward_backward_s == near(compute_s));
}

TEST_CASE("data parallel: without gradients a step is pure compute, with overlap or not") {
  for (const bool overlap : {true, false}) {
    Job job = bench::job();
    job.overlap = overlap;
    const Bench four(bench::cluster(2, 2), job, {bench::ten_layers(0)});
    const StepRun run = four.run();
    CHECK(run.transfers(3) == 0);
    CHECK(run.step_s() == near(compute_s + bench::optimizer_s));
  }
}

TEST_CASE("data parallel: without overlap the step is the sum of compute, reductions and update") {
  for (const double gbit_s : {10.0, 100.0}) {
    Job job = bench::job();
    job.overlap = false;
    const Bench four(bench::cluster(2, 2, gbit_s), job, {bench::ten_layers(25e6)});
    double reductions_s = 0;
    for (const Bucket& bucket : gradient_buckets(job, four.spec.models[0], nullptr))
      reductions_s += four.all_reduce_s(bucket.bytes);
    const StepRun run = four.run();
    CHECK(run.step_s() == near(compute_s + reductions_s + bench::optimizer_s));
    CHECK(run.parts(0).communication_s == near(reductions_s));
  }
}

TEST_CASE("data parallel: overlap is never slower, and never faster than either part alone") {
  for (const double gbit_s : {1.0, 10.0, 50.0, 400.0})
    for (const double elements : {1e5, 25e6, 300e6})
      for (const double bucket_mib : {0.0, 1.0, 25.0, 200.0}) {
        Job job = bench::job();
        job.bucket = bytes(bucket_mib * 1048576);
        Cluster cluster = bench::cluster(2, 2, gbit_s);
        cluster.groups[0].node.gpu.sm_count = 108;  // collectives take thread blocks and DRAM from the kernels
        cluster.groups[0].node.gpu.memory_bandwidth = gigabytes_per_second(1555);
        Bench overlapped(cluster, job, {bench::ten_layers(elements)});
        job.overlap = false;
        Bench after(cluster, job, {bench::ten_layers(elements)});
        const double with_s = overlapped.run().step_s(), without_s = after.run().step_s();
        INFO(gbit_s << " Gbit/s, " << elements << " gradients, buckets of " << bucket_mib << " MiB");
        CHECK(with_s <= without_s + rounding_s);
        const double communication_s = without_s - compute_s - bench::optimizer_s;
        CHECK(with_s >= std::max(compute_s, communication_s) + bench::optimizer_s - rounding_s);
      }
}

TEST_CASE("data parallel: overlap with one bucket is no overlap") {
  Job job = bench::job();
  job.bucket = Bytes();
  const Bench overlapped(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
  job.overlap = false;
  const Bench after(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
  const StepRun with = overlapped.run(), without = after.run();
  CHECK(with.tasks("all-reduce", 3).size() == 1);
  CHECK(with.ends == without.ends);
}

TEST_CASE("data parallel: overlapped reductions hide behind the layers that follow them") {
  // Ten layers of 2 ms with 10 MB of gradients each, bucket limit below one layer: a bucket a layer. With R the time of
  // one reduction: R < 2 ms leaves only the last exposed; R > 2 ms starts at the first bucket and never stops.
  Job job = bench::job();
  job.bucket = bytes(2e6);
  for (const double gbit_s : {400.0, 10.0}) {
    const Bench four(bench::cluster(2, 2, gbit_s), job, {bench::ten_layers(25e6)});
    const double one_s = four.all_reduce_s(10e6), layer_s = bench::backward_s / bench::layers;
    const double exposed_s = one_s < layer_s ? one_s : bench::layers * one_s - (bench::layers - 1) * layer_s;
    CHECK((gbit_s == 400.0) == (one_s < layer_s));
    const StepRun run = four.run();
    CHECK(run.tasks("all-reduce", 3).size() == 10);
    CHECK(run.step_s() == near(compute_s + exposed_s + bench::optimizer_s));
    CHECK(run.parts(0).communication_s == near(exposed_s));
  }
}

TEST_CASE("data parallel: DDP closes its first bucket at 1 MiB, the others at their size") {
  // 40 layers of 0.5 MiB: 2 in the first bucket, 8 in each of 4 MiB.
  Job job = bench::job();
  job.bucket = bytes(4 * 1048576.0);
  StepModel model;
  for (int i = 0; i < 40; ++i) model.backward.push_back({"layer", {{1e-3, 0, 0}}, 0.5 * 1048576 / 4, 1});
  const std::vector<Bucket> buckets = gradient_buckets(job, model, nullptr);
  REQUIRE(buckets.size() == 6);  // 2, 8, 8, 8, 8 and the last 6 layers
  CHECK(buckets[0].bytes == 1048576);
  for (std::size_t b = 1; b < 5; ++b) CHECK(buckets[b].bytes == 4 * 1048576);
  CHECK(buckets[5].bytes == 3 * 1048576);
  CHECK(buckets[5].kernels.size() == 6);

  SECTION("half-precision gradients are half the bytes") {
    job.gradient_precision = GradientPrecision::fp16;
    CHECK(bytes_of(gradient_buckets(job, model, nullptr)) == 0.5 * bytes_of(buckets));
  }
  SECTION("layers that end exactly at a cut leave no empty bucket") {
    model.backward.resize(10);
    CHECK(gradient_buckets(job, model, nullptr).size() == 2);
  }
}

TEST_CASE("data parallel: the buckets of a network carry 4 bytes for each parameter and every backward kernel") {
  Job job = bench::job();
  job.bucket = bytes(25 * 1048576.0);
  GpuSpec gpu = hand::gpu("Ampere", 108, 1555);
  gpu.peak_fp32 = teraflops(19.5);
  gpu.peak_fp16 = teraflops(312);
  gpu.boost_clock = megahertz(1410);
  gpu.tdp = watts(400);
  gpu.l2_cache = bytes(40e6);
  for (const char* id : {"resnet-50", "vgg16", "bert-large"}) {
    job.model_id = id;
    job.model = id[0] == 'b' ? ModelKind::bert : id[0] == 'v' ? ModelKind::vgg : ModelKind::resnet;
    job.batch_per_gpu = 8;
    const StepModel model = build_step(job, gpu, CpuSpec(), 4, 1);
    const std::vector<Bucket> buckets = gradient_buckets(job, model, nullptr);
    CHECK(bytes_of(buckets) == Approx(4 * model.parameters).epsilon(1e-12));
    CHECK(buckets.front().bytes >= 1048576);
    std::size_t kernels = 0, expected = 0;
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      if (b > 0 && b + 1 < buckets.size()) CHECK(buckets[b].bytes >= job.bucket.base());
      kernels += buckets[b].kernels.size();
    }
    for (const Segment& segment : model.backward) expected += segment.kernels.size();
    CHECK(kernels == expected);
  }
}

TEST_CASE("data parallel: a Horovod cycle takes what is ready, at most the buffer") {
  // 20 layers of 2 ms and 4 MB. A cycle of 5 ms ends inside every third layer (6 ms; the next cycle is counted from
  // there): buckets of 3 layers, the last with 2.
  Job job = bench::job();
  job.bucket = bytes(64e6);
  job.horovod_cycle = seconds(5e-3);
  StepModel model;
  for (int i = 0; i < 20; ++i) model.backward.push_back({"layer", {{2e-3, 0, 0}}, 1e6, 1});
  const std::vector<Bucket> by_time = gradient_buckets(job, model, nullptr);
  REQUIRE(by_time.size() == 7);
  for (std::size_t b = 0; b < 6; ++b) CHECK(by_time[b].kernels.size() == 3);
  CHECK(by_time.back().kernels.size() == 2);

  SECTION("a buffer of 10 MB holds two layers") {
    job.bucket = bytes(10e6);
    const std::vector<Bucket> by_size = gradient_buckets(job, model, nullptr);
    for (const Bucket& bucket : by_size) CHECK(bucket.bytes <= 10e6);
    CHECK(bytes_of(by_size) == 80e6);
  }
  SECTION("a tensor larger than the buffer goes alone") {
    job.bucket = bytes(3e6);
    const std::vector<Bucket> alone = gradient_buckets(job, model, nullptr);
    CHECK(alone.size() == 20);
  }
  SECTION("slow reductions gather more") {
    // The next cycle waits for the reduction at hand: where that lasts longer than the pass, the rest is one bucket.
    job.bucket = bytes(1e9);
    const hand::Built slow(bench::cluster(2, 2, 0.1));
    CHECK(gradient_buckets(job, model, &slow.planner).size() == 2);
  }
}

TEST_CASE("data parallel: a Horovod reduction waits for the coordinator and half a cycle") {
  // One layer, so one bucket of 100 MB either way: the difference is the wait alone, 100 us + cycle / 2.
  Job job = bench::job();
  job.bucket = bytes(1e12);
  StepModel model = bench::ten_layers(25e6);
  model.backward.resize(1);
  const Bench ddp(bench::cluster(2, 2), job, {model});
  job.horovod_cycle = seconds(1e-3);
  const Bench horovod(bench::cluster(2, 2), job, {model});
  CHECK(horovod.run().step_s() - ddp.run().step_s() == near(100e-6 + 0.5e-3));
}

TEST_CASE("data parallel: folded micro-batches take as long as single ones") {
  for (const int n : {1, 2, 7}) {
    Job job = bench::job();
    job.accumulation = n;
    job.overlap = false;
    const Bench four(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
    double reductions_s = 0;
    for (const Bucket& bucket : gradient_buckets(job, four.spec.models[0], nullptr))
      reductions_s += four.all_reduce_s(bucket.bytes);
    const StepRun run = four.run();
    CHECK(run.step_s() == near(n * compute_s + reductions_s + bench::optimizer_s));
    CHECK(run.tasks("forward", 3).size() == 2);  // one a simulated GPU, whatever n
  }
}

TEST_CASE("data parallel: without no_sync every micro-batch reduces, and the next waits for it") {
  // DDP's backward pass ends when its gradients are reduced: n * (compute + reductions) + update.
  for (const bool overlap : {true, false}) {
    Job job = bench::job();
    job.accumulation = 3;
    job.no_sync = false;
    job.overlap = overlap;
    job.bucket = Bytes();  // one bucket: nothing to overlap with
    const Bench four(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
    const StepRun run = four.run();
    CHECK(run.tasks("all-reduce", 3).size() == 3);
    CHECK(run.step_s() == near(3 * (compute_s + four.all_reduce_s(100e6)) + bench::optimizer_s));
  }
}

TEST_CASE("data parallel: shards are reduced in the node, across nodes, and gathered") {
  Job job = bench::job();
  job.reduction = Reduction::rs_ar_ag;
  const Bench eight(bench::cluster(2, 4), job, {bench::ten_layers(25e6)});
  const StepRun run = eight.run();
  // One bucket of 100 MB; each of the 4 GPUs of a node keeps a quarter.
  const auto scattered = run.tasks("reduce-scatter", 3), across = run.tasks("all-reduce of shards", 3),
             gathered = run.tasks("all-gather", 3);
  REQUIRE((scattered.size() == 1 && across.size() == 1 && gathered.size() == 1));
  CHECK(scattered[0]->amount == 100e6);
  CHECK(across[0]->amount == 25e6);
  CHECK(gathered[0]->amount == 100e6);
  // Nothing overlaps: the step is the sum of its phases.
  double phases_s = 0;
  for (const auto& [op, scope, size] : {std::tuple{CollectiveOp::reduce_scatter, Scope::node, 100e6},
                                        std::tuple{CollectiveOp::all_reduce, Scope::across, 25e6},
                                        std::tuple{CollectiveOp::all_gather, Scope::node, 100e6}}) {
    const CollectivePlan plan = eight.built.planner.plan({op, size, job.algorithm, scope, 0});
    phases_s += plan.idle_time_s - plan.launch_s;
  }
  CHECK(run.step_s() == near(compute_s + phases_s + bench::optimizer_s));

  SECTION("in one node the shards stay where they are") {
    const Bench four(bench::cluster(1, 4), job, {bench::ten_layers(25e6)});
    CHECK(four.run().transfers(3) == 2);
  }
}

TEST_CASE("data parallel: shards put the bytes of an all-reduce among nodes on the NICs") {
  // Leaving a node, a step: shards 4 * 2 * (2-1)/2 * S/4 = S; one ring over 8 GPUs 2 * (8-1)/8 * S = 1.75 S.
  Job job = bench::job();
  const auto nic_bytes = [](const Bench& b) {
    const StepRun run = b.run();
    double carried = 0;
    for (std::size_t l = 0; l < b.built.plan.links.size(); ++l) {
      const Link& link = b.built.plan.links[l];
      if (link.kind == LinkKind::nic && b.built.plan.vertices[static_cast<std::size_t>(link.from)].node == 0)
        carried += run.record.resources[l].carried;
    }
    return carried / run.steps;
  };
  const double ring = nic_bytes(Bench(bench::cluster(2, 4), job, {bench::ten_layers(25e6)}));
  job.reduction = Reduction::rs_ar_ag;
  const double shards = nic_bytes(Bench(bench::cluster(2, 4), job, {bench::ten_layers(25e6)}));
  CHECK(ring / shards == Approx(1.75));
}

TEST_CASE("data parallel: a straggler's share of the compute is what the step grows by") {
  Job job = bench::job();
  job.accumulation = 2;
  Bench four(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
  job.overlap = false;
  four.spec.job = job;
  const double before_s = four.run().step_s();
  four.spec.straggler_share = 0.1;
  const StepRun run = four.run();
  CHECK(run.step_s() - before_s == near(0.1 * 2 * compute_s));
  CHECK(run.parts(0).straggler_s == near(0.1 * 2 * compute_s));
}

TEST_CASE("data parallel: the host's launches bound every micro-batch") {
  // A micro-batch takes at least launch_bound: twice 40 ms for 30 ms of kernels; then 3 ms more for the update's
  // launches and 2 ms for synchronisations.
  Job job = bench::job();
  job.accumulation = 2;
  StepModel model = bench::ten_layers(25e6);
  model.launch_bound = seconds(40e-3);
  model.optimizer_host = seconds(3e-3);
  model.step_host = seconds(2e-3);
  const StepRun run = Bench(bench::cluster(1, 1), job, {model}).run();
  CHECK(run.step_s() == near(2 * 40e-3 + bench::optimizer_s + 3e-3 + 2e-3));
  CHECK(run.parts(0).host_s == near(2 * (40e-3 - compute_s) + 2e-3));
  CHECK(run.parts(0).optimizer_s == near(bench::optimizer_s + 3e-3));
}

TEST_CASE("data parallel: the slow group sets the step, the fast one waits for it") {
  Cluster cluster = bench::cluster(2, 2);
  cluster.groups = {{1, cluster.groups[0].node}, {1, cluster.groups[0].node}};
  Job job = bench::job();
  job.bucket = Bytes();
  const Bench mixed(cluster, job, {bench::ten_layers(25e6), bench::ten_layers(25e6, 1.5)});
  const StepRun run = mixed.run();
  CHECK(run.step_s() == near(1.5 * compute_s + mixed.all_reduce_s(100e6) + bench::optimizer_s));
  CHECK(run.parts(0).straggler_s == near(0.5 * compute_s));
  CHECK(run.parts(2).straggler_s == near(0));
  CHECK(run.parts(0).communication_s == near(mixed.all_reduce_s(100e6)));
}

TEST_CASE("data parallel: one GPU at half its clock holds up all others") {
  // Arithmetic takes twice as long; below the knee the optimizer's memory traffic too, knee/0.5 of its time.
  Job job = bench::job();
  job.bucket = Bytes();
  Bench four(bench::cluster(2, 2), job, {bench::ten_layers(25e6)});
  four.clocks[1] = 0.5;
  const StepRun run = four.run();
  CHECK(run.step_s() == near(2 * compute_s + four.all_reduce_s(100e6) + memory_knee / 0.5 * bench::optimizer_s));
  CHECK(run.parts(0).straggler_s == near(compute_s + (memory_knee - 0.5) / 0.5 * bench::optimizer_s));
}
