#include "models/workload/sharded_step.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/sim/small_scenarios.h"
#include "tests/sim/step_bench.h"

using namespace clustersim;
using bench::Bench;
using bench::StepRun;

namespace {

constexpr double rounding_s = 100e-12;
constexpr double block_forward_s = 4e-3, block_backward_s = 8e-3;
constexpr int layers = 6;
constexpr double root_elements = 3e6, layer_elements = 5e6;
constexpr double parameters = root_elements + layers * layer_elements;
constexpr double compute_s = (layers + 2) * (block_forward_s + block_backward_s);

Approx near(double seconds) { return Approx(seconds).epsilon(0).margin(rounding_s); }

// Embedding, six layers and head, all equally long; head and embedding share the root's weights.
StepModel transformer() {
  StepModel model;
  for (int i = 0; i < layers + 2; ++i) {
    model.forward.push_back({block_forward_s, 0, 0});
    model.forward_ends.push_back(model.forward.size());
    const bool root = i == 0 || i == layers + 1;
    model.backward.push_back({"block", {{block_backward_s, 0, 0}}, root ? root_elements / 2 : layer_elements, 1});
  }
  model.optimizer = {{0, bench::optimizer_s, 0}};
  model.parameters = parameters;
  return model;
}

// Weights of 2 bytes, gradients of 4.
Job sharded(Sharding sharding) {
  Job job = bench::job();
  job.precision = Precision::bf16;
  job.sharding = sharding;
  return job;
}

StepRun run(const Bench& machines) {
  ShardedStep source(machines.spec, &machines.built.planner);
  return machines.run(source);
}

double bytes(const StepRun& run, const std::string& label) {
  const std::vector<const Task*> tasks = run.tasks(label, 5);
  return std::accumulate(tasks.begin(), tasks.end(), 0.0, [](double sum, const Task* t) { return sum + t->amount; });
}

}  // namespace

TEST_CASE("sharded step: layers are gathered twice, the root once, and all gradients scattered") {
  const Bench four(bench::cluster(2, 2), sharded(Sharding::full), {transformer()});
  const StepRun one = run(four);
  CHECK(one.tasks("all-gather", 5).size() == 1 + 2 * layers);
  CHECK(bytes(one, "all-gather") == 2 * (2 * parameters - root_elements));
  CHECK(one.tasks("reduce-scatter", 5).size() == 1 + layers);
  CHECK(bytes(one, "reduce-scatter") == 4 * parameters);
  CHECK(one.transfers(5) == 2 + 3 * layers);
}

TEST_CASE("sharded step: without a root and with gradients as wide as weights it moves 1.5 times an all-reduce") {
  // All-gather and reduce-scatter of S bytes move (n - 1) / n S a rank, an all-reduce twice that.
  Job job = sharded(Sharding::full);
  job.gradient_precision = GradientPrecision::fp16;
  StepModel model = transformer();
  model.backward.front().gradient_elements = model.backward.back().gradient_elements = 0;
  const Bench four(bench::cluster(2, 2), job, {model});
  const StepRun one = run(four);
  CHECK(bytes(one, "all-gather") + bytes(one, "reduce-scatter") == 1.5 * 2 * 2 * layers * layer_elements);
}

TEST_CASE("sharded step: every pass gathers and scatters anew") {
  Job job = sharded(Sharding::full);
  job.accumulation = 3;
  const Bench four(bench::cluster(2, 2), job, {transformer()});
  const StepRun three = run(four);
  CHECK(bytes(three, "all-gather") == 3 * 2 * (2 * parameters - root_elements));
  CHECK(bytes(three, "reduce-scatter") == 3 * 4 * parameters);
}

TEST_CASE("sharded step: one GPU communicates nothing, its step is its kernels") {
  const Bench one(bench::cluster(1, 1), sharded(Sharding::full), {transformer()});
  const StepRun alone = run(one);
  CHECK(alone.transfers(5) == 0);
  CHECK(alone.step_s() == near(compute_s + bench::optimizer_s));
}

TEST_CASE("sharded step: hybrid is full on one node, to the last bit") {
  const Bench full(bench::cluster(1, 4), sharded(Sharding::full), {transformer()});
  const Bench hybrid(bench::cluster(1, 4), sharded(Sharding::hybrid), {transformer()});
  CHECK(run(full).ends == run(hybrid).ends);
}

TEST_CASE("sharded step: hybrid reduces shards between nodes after the last pass") {
  for (const bool no_sync : {true, false}) {
    Job job = sharded(Sharding::hybrid);
    job.accumulation = 2;
    job.no_sync = no_sync;
    const Bench four(bench::cluster(2, 2), job, {transformer()});
    const StepRun one = run(four);
    CHECK(bytes(one, "all-gather") == 2 * 2 * (2 * parameters - root_elements));
    CHECK(bytes(one, "all-reduce of shards") == (no_sync ? 1 : 2) * 4 * parameters / 2);
  }
}

TEST_CASE("sharded step: without overlap a step is the sum of its kernels and its collectives") {
  Job job = sharded(Sharding::full);
  job.overlap = false;
  for (const double gbit_s : {10.0, 400.0}) {
    const Bench four(bench::cluster(2, 2, gbit_s), job, {transformer()});
    const auto gather_s = [&](double n) { return four.collective_s(CollectiveOp::all_gather, 2 * n); };
    const auto scatter_s = [&](double n) { return four.collective_s(CollectiveOp::reduce_scatter, 4 * n); };
    // In the backward pass a layer's reduce-scatter is in front of the next layer's all-gather on the queue, or behind
    // the last layer beside the embedding's 8 ms.
    const double hidden_s = std::min(block_backward_s, scatter_s(layer_elements));
    const double exposed_s = gather_s(root_elements) + 2 * layers * gather_s(layer_elements) +
                             layers * scatter_s(layer_elements) - hidden_s + scatter_s(root_elements);
    const StepRun one = run(four);
    CHECK(one.step_s() == near(compute_s + exposed_s + bench::optimizer_s));
    CHECK(one.parts(0).communication_s == near(exposed_s));
  }
}

TEST_CASE("sharded step: with a prefetch of one only the root is exposed where links are fast") {
  // All-gather and reduce-scatter of a layer take less than a layer computes, so that each hides behind one.
  const Bench four(bench::cluster(2, 2, 400), sharded(Sharding::full), {transformer()});
  const double gather_s = four.collective_s(CollectiveOp::all_gather, 2 * layer_elements);
  const double scatter_s = four.collective_s(CollectiveOp::reduce_scatter, 4 * layer_elements);
  REQUIRE(gather_s < block_forward_s);
  REQUIRE(gather_s + scatter_s < block_backward_s);
  const double root_s = four.collective_s(CollectiveOp::all_gather, 2 * root_elements) +
                        four.collective_s(CollectiveOp::reduce_scatter, 4 * root_elements);
  const StepRun one = run(four);
  CHECK(one.step_s() == near(compute_s + root_s + bench::optimizer_s));
}

TEST_CASE("sharded step: overlap is never slower, and never faster than compute or communication alone") {
  for (const double gbit_s : {1.0, 10.0, 100.0}) {
    Job job = sharded(Sharding::full);
    const double with_s = run(Bench(bench::cluster(2, 2, gbit_s), job, {transformer()})).step_s();
    job.overlap = false;
    const Bench after(bench::cluster(2, 2, gbit_s), job, {transformer()});
    CHECK(with_s <= run(after).step_s() + rounding_s);
    const double collectives_s = after.collective_s(CollectiveOp::all_gather, 2 * root_elements) +
                                 2 * layers * after.collective_s(CollectiveOp::all_gather, 2 * layer_elements) +
                                 layers * after.collective_s(CollectiveOp::reduce_scatter, 4 * layer_elements) +
                                 after.collective_s(CollectiveOp::reduce_scatter, 4 * root_elements);
    CHECK(with_s >= std::max(compute_s, collectives_s) + bench::optimizer_s - rounding_s);
  }
}

TEST_CASE("sharded optimizer: gradients are scattered in buckets, weights gathered after the update") {
  const Job job = sharded(Sharding::optimizer);
  const Bench four(bench::cluster(2, 2), job, {transformer()});
  const StepRun one = four.run();
  CHECK(bytes(one, "reduce-scatter") == 4 * parameters);
  CHECK(bytes(one, "all-gather") == 4 * parameters);  // fp32 weights, as every GPU keeps them beside fp32 gradients
  Job half = job;
  half.gradient_precision = GradientPrecision::fp16;
  CHECK(bytes(Bench(bench::cluster(2, 2), half, {transformer()}).run(), "all-gather") == 2 * parameters);
  CHECK(one.tasks("all-gather", 5).size() == 1);
  CHECK(one.tasks("all-reduce", 5).empty());
  CHECK(one.tasks("reduce-scatter", 5).size() == gradient_buckets(job, four.spec.models[0], nullptr).size());
}

TEST_CASE("sharding: a scenario's words reach the step, for BERT and decoders, and what cannot be is refused") {
  const std::string cluster = R"({"nodes": 2, "node": {"server": "dgx-a100-80gb"}})";
  const auto job = [](const std::string& model, const std::string& more) {
    return R"({"model": ")" + model + R"(", "batch_per_gpu": 8, "data": {"from": "synthetic"})" + more + "}";
  };
  const auto with = [&](const std::string& model, const std::string& sharding) {
    return small::read(cluster, job(model, R"(, "sharding": ")" + sharding + "\""));
  };
  CHECK(with("gpt-3-xl-1-3b", "full").job.shards == 16);
  CHECK(with("gpt-3-xl-1-3b", "hybrid").job.shards == 8);
  CHECK(with("gpt-2-small", "none").job.shards == 1);
  for (const std::string model : {"bert-large", "gpt-2-medium"}) {
    const double none = small::step_s(with(model, "none"));
    for (const std::string sharding : {"optimizer", "full", "hybrid"}) {
      const double sharded_s = small::step_s(with(model, sharding));
      INFO(model << " " << sharding << " " << sharded_s << " " << none);
      CHECK(sharded_s > 0.25 * none);
      CHECK(sharded_s < 4 * none);
    }
  }
  const auto refused = [&](const std::string& text) {
    try {
      read_scenario_text(R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": )" + text + "}", "test", {});
    } catch (const InputError& error) {
      return error.problems().front().pointer + " " + error.problems().front().hint;
    }
    return std::string("accepted");
  };
  CHECK(refused(job("resnet-50", R"(, "sharding": "full")")).rfind("/job/sharding", 0) == 0);
  CHECK(refused(job("resnet-50", R"(, "activation_checkpointing": true)")).rfind("/job/activation", 0) == 0);
  CHECK(refused(job("bert-large", R"(, "sharding": "full", "stack": "mlperf")")).rfind("/job/sharding", 0) == 0);
  CHECK(refused(job("gpt-2-small", R"(, "sharding": "full", "stack": "pytorch-horovod")")).rfind("/job/sharding", 0) ==
        0);
  CHECK(refused(job("gpt-2-small", R"(, "sharding": "full", "accumulation": 358)")).rfind("/job/accumulation", 0) == 0);
  CHECK(refused(job("llama-3-8b", "")).find("sharding \"full\"") != std::string::npos);
  CHECK(refused(job("gpt-3-175b", R"(, "sharding": "full")")).find("tensor_parallel") != std::string::npos);
}

TEST_CASE("attention: its kernel follows the GPU, and one that the GPU or the job has not is refused") {
  const auto text = [](const std::string& server, const std::string& job) {
    return R"({"clustersim": 1, "cluster": {"node": {"server": ")" + server + R"("}}, "job": {"model": )" + job + "}}";
  };
  const auto kernel = [&](const std::string& server, const std::string& more) {
    const std::string job = R"("gpt-3-xl-1-3b", "fusion": "fused", "sharding": "full", "batch_per_gpu": 1)" + more;
    return read_scenario_text(text(server, job), "test", {}).job.attention;
  };
  CHECK(kernel("dgx-h100", "") == Attention::flash_2);
  CHECK(kernel("hgx-b200-8-gpu-server", "") == Attention::flash_3);
  CHECK(kernel("dgx-h100", R"(, "attention": "flash-3")") == Attention::flash_3);
  const auto refused = [&](const std::string& server, const std::string& job) {
    try {
      read_scenario_text(text(server, job), "test", {});
    } catch (const InputError& error) {
      return error.problems().front().pointer;
    }
    return std::string("accepted");
  };
  const std::string flash_3 = R"(, "attention": "flash-3")";
  CHECK(refused("dgx-a100-80gb", R"("gpt-2-small", "fusion": "fused")" + flash_3) == "/job/attention");
  CHECK(refused("dgx-h100", R"("gpt-2-small", "fusion": "eager")" + flash_3) == "/job/attention");
  CHECK(refused("dgx-h100", R"("resnet-50", "fusion": "fused")" + flash_3) == "/job/attention");
}

TEST_CASE("sharded step: what is said to be asked for is what a step holds") {
  for (const Sharding sharding : {Sharding::full, Sharding::hybrid})
    for (const bool no_sync : {true, false}) {
      Job job = sharded(sharding);
      job.accumulation = 3;
      job.no_sync = no_sync;
      const Bench four(bench::cluster(2, 2), job, {transformer()});
      const StepRun three = run(four);
      const auto said = [&](CollectiveOp op) {
        double total = 0;
        for (const RepeatedCollective& c : sharded_collectives(job, transformer(), 4, 2))
          if (c.request.op == op) total += c.times * c.request.bytes;
        return total;
      };
      CHECK(said(CollectiveOp::all_gather) == Approx(bytes(three, "all-gather")));
      CHECK(said(CollectiveOp::reduce_scatter) == Approx(bytes(three, "reduce-scatter")));
      CHECK(said(CollectiveOp::all_reduce) == Approx(bytes(three, "all-reduce of shards")));
      double count = 0;
      for (const RepeatedCollective& c : sharded_collectives(job, transformer(), 4, 2)) count += c.times;
      CHECK(count == static_cast<double>(three.transfers(5)));
    }
  CHECK(sharded_collectives(sharded(Sharding::full), transformer(), 1, 1).empty());
}
