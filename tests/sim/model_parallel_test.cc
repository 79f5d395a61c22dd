#include <catch2/catch.hpp>
#include <cmath>

#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

const std::string four_servers = R"({"nodes": 4, "node": {"server": "dgx-a100-80gb"}})";

std::string decoder(const std::string& more) {
  return R"({"model": "gpt-3-13b", "precision": "bf16", "fusion": "fused", "batch_per_gpu": 1, "sequence_length": 2048,
             "data": {"from": "synthetic"}, "target": {"steps": 10})" +
         more + "}";
}

Scenario divided(const std::string& more) { return small::read(four_servers, decoder(more)); }

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  return std::nan("");
}

std::vector<std::string> faults(const std::string& cluster, const std::string& job) {
  std::vector<std::string> pointers;
  try {
    read_scenario_text(R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": )" + job + "}", "test", {});
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) pointers.push_back(problem.pointer);
  }
  return pointers;
}

}  // namespace

TEST_CASE("divided models: what divides nothing is refused, every fault at once", "[divided]") {
  using Faults = std::vector<std::string>;
  const auto of = [](const std::string& more) { return faults(four_servers, decoder(more)); };
  CHECK(of(R"(, "tensor_parallel": 8, "pipeline_parallel": 4, "accumulation": 8)").empty());
  CHECK(of(R"(, "tensor_parallel": 8, "pipeline_parallel": 4, "interleave": 5, "accumulation": 8)").empty());
  // 40 heads and 8 GPUs of a node: 3 divides neither, nor 20,480 columns; 32 GPUs; 40 layers.
  CHECK(of(R"(, "tensor_parallel": 16, "pipeline_parallel": 1)") ==
        Faults{"/job/tensor_parallel", "/job/tensor_parallel"});
  CHECK(of(R"(, "tensor_parallel": 4, "pipeline_parallel": 3)") ==
        Faults{"/job/pipeline_parallel", "/job/pipeline_parallel"});
  CHECK(of(R"(, "tensor_parallel": 8, "pipeline_parallel": 8)") == Faults{"/job/pipeline_parallel"});
  CHECK(of(R"(, "tensor_parallel": 8, "interleave": 2)") == Faults{"/job/interleave"});
  CHECK(of(R"(, "tensor_parallel": 8, "pipeline_parallel": 4, "interleave": 3, "accumulation": 6)") ==
        Faults{"/job/interleave", "/job/accumulation"});
  CHECK(of(R"(, "tensor_parallel": 8, "sharding": "full")") == Faults{"/job/sharding"});
  CHECK(faults(four_servers, R"({"model": "bert-large", "tensor_parallel": 2})") == Faults{"/job/tensor_parallel"});
}

TEST_CASE("divided models: a step is its parts, and samples are those of the copies", "[divided]") {
  const Scenario scenario = divided(R"(, "tensor_parallel": 4, "pipeline_parallel": 2, "accumulation": 16)");
  const Report report = run(scenario, {});
  const double step = metric(report, "step_time");
  // 32 GPUs are four copies of eight, each with 16 passes of one sequence.
  CHECK(metric(report, "throughput") * step == Approx(4 * 16));
  const double parts = metric(report, "forward_backward_time") + metric(report, "exposed_communication_time") +
                       metric(report, "optimizer_time") + metric(report, "host_overhead_time") +
                       metric(report, "straggler_time") + metric(report, "input_stall_time");
  CHECK(parts == Approx(step).epsilon(0.001));
  CHECK(metric(report, "tensor_parallel_time") + metric(report, "pipeline_send_time") <=
        metric(report, "exposed_communication_time") * 1.001);
  CHECK(metric(report, "pipeline_bubble_time") <= metric(report, "straggler_time") * 1.001);
  CHECK(metric(report, "pipeline_bubble_time") > 0);
  // The bubble is of a step: more passes make it less of one.
  const Report longer = run(divided(R"(, "tensor_parallel": 4, "pipeline_parallel": 2, "accumulation": 64)"), {});
  CHECK(metric(longer, "pipeline_bubble_time") == Approx(metric(report, "pipeline_bubble_time")));
  CHECK(metric(longer, "step_time") < 4 * step);
  CHECK(std::isnan(metric(run(divided(R"(, "sharding": "full")"), {}), "pipeline_bubble_time")));
}

TEST_CASE("divided models: copies exchange gradients, one copy does not", "[divided]") {
  const auto gradients = [](const Scenario& scenario) {
    std::string text;
    for (const Note& note : run(scenario, {}).notes)
      if (note.topic == "gradients") text = note.text;
    return text;
  };
  CHECK(gradients(divided(R"(, "tensor_parallel": 8, "pipeline_parallel": 4, "accumulation": 4)")).empty());
  const std::string several =
      gradients(divided(R"(, "tensor_parallel": 8, "pipeline_parallel": 2, "accumulation": 4)"));
  CHECK(several.find("of the GPUs of a layer together") != std::string::npos);
  // ZeRO-1 shares the update among the copies.
  const Scenario plain = divided(R"(, "tensor_parallel": 8, "accumulation": 4)");
  const Scenario zero = divided(R"(, "tensor_parallel": 8, "accumulation": 4, "sharding": "optimizer")");
  CHECK(zero.job.shards == 4);
  CHECK(metric(run(zero, {}), "gpu_memory_required") < 0.7 * metric(run(plain, {}), "gpu_memory_required"));
}
