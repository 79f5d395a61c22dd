// Recorded steps through the whole line: scenario text, replay, step time.
#include "models/workload/replay.h"

#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "models/compute/device_model.h"
#include "sim/job.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/trace_files.h"

using namespace clustersim;
using traces::operator_text;
using traces::step_text;
using traces::TestFile;

namespace {

const std::string on_a100_40 = R"("gpu": "NVIDIA A100-SXM4-40GB", "batch": 64)";

std::string server(const std::string& gpu, int gpus, int nodes = 1) {
  return R"({"nodes": )" + std::to_string(nodes) + R"(, "node": {"server": "xe8545", "gpu": ")" + gpu +
         R"(", "gpus": )" + std::to_string(gpus) + "}}";
}

std::string job(const TestFile& file, const std::string& more = "") {
  return R"({"model": {"trace": ")" + file.path() + "\"" + more + "}}";
}

double step_of(const Scenario& scenario) { return small::step_s(scenario); }

std::string faults(const std::string& cluster, const std::string& job_text) {
  try {
    read_scenario_text(R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": )" + job_text + "}", "test", {});
  } catch (const InputError& error) {
    return problems_text(error.problems());
  }
  return "";
}

}  // namespace

TEST_CASE("a step keeps its time on the GPU of its recording") {
  // Two kernels beside each other on two streams, launch gaps, a pause that the host makes and a tail.
  const TestFile file("own.json", step_text(on_a100_40 + R"(, "step_time": "3.1 ms")",
                                            {operator_text("ampere_fp16_s16816gemm", 0, 900, R"("stream": 7)"),
                                             operator_text("vectorized_elementwise", 500, 700, R"("stream": 8)"),
                                             operator_text("batch_norm", 1203, 400, R"("stream": 7)"),
                                             operator_text("Memcpy HtoD", 1900, 50, R"("stream": 9)"),
                                             operator_text("weird_thing", 2200, 300, R"("launch": "host")"),
                                             operator_text("multi_tensor_apply_adam", 2502, 400)}));
  CHECK(step_of(small::read(server("a100-sxm4-40gb", 1), job(file))) == Approx(3.1e-3).epsilon(1e-6));
}

TEST_CASE("gaps between short kernels keep the step's time, and nothing runs in them") {
  // 100 kernels of 20 us, 5 us apart: 2.5 ms, of which kernels run 2 ms. The GPU then draws less than one that runs all
  // the time, and as much as one with the same kernels and pauses that are longer and fewer.
  std::vector<std::string> apart, dense, pauses;
  for (int i = 0; i < 100; ++i) {
    apart.push_back(operator_text("batch_norm", 25 * i, 20));
    dense.push_back(operator_text("batch_norm", 25 * i, 25));
    pauses.push_back(operator_text("batch_norm", 20 * i + 125 * (i / 25), 20));
  }
  const std::string head = on_a100_40 + R"(, "step_time": "2.5 ms")";
  const TestFile gaps("gaps.json", step_text(head, apart)), full("full.json", step_text(head, dense)),
      long_pauses("long_pauses.json", step_text(head, pauses));
  const auto report = [](const TestFile& file) { return run(small::read(server("a100-sxm4-40gb", 1), job(file)), {}); };
  const auto metric = [](const Report& r, const std::string& name) {
    for (const Metric& m : r.metrics)
      if (m.name == name) return m.value;
    FAIL("no " + name);
    return 0.0;
  };
  const Report short_gaps = report(gaps), none = report(full), few = report(long_pauses);
  for (const Report& r : {short_gaps, none, few}) CHECK(metric(r, "step_time") == Approx(2.5e-3).epsilon(1e-3));
  CHECK(metric(short_gaps, "gpu_busy_share") == Approx(0.8).epsilon(1e-3));
  CHECK(metric(none, "gpu_busy_share") == Approx(1.0).epsilon(1e-3));
  CHECK(metric(short_gaps, "average_gpu_power") == Approx(metric(few, "average_gpu_power")).epsilon(0.01));
  CHECK(metric(short_gaps, "average_gpu_power") < 0.95 * metric(none, "average_gpu_power"));
}

TEST_CASE("operators move to another GPU by what bounds them") {
  // A100 40 to 80 GB: the same chip with 2039 for 1555 GB/s of DRAM; another stream fraction for HBM2e. Arithmetic
  // keeps its time, up to what the two boards' power allows.
  const TestFile file("scaled.json", step_text(on_a100_40, {operator_text("ampere_fp16_s16816gemm", 0, 1000),
                                                            operator_text("batch_norm", 1000, 2000)}));
  const Scenario scenario = small::read(server("a100-sxm4-80gb", 1), job(file));
  const DeviceModel from = device_model(*scenario.job.trace_gpu, false);
  const DeviceModel to = device_model(scenario.cluster.groups[0].node.gpu, false);
  const double fixed = std::min(1e-3, from.ramp_s);
  const double expected = 2 * fixed * to.ramp_s / from.ramp_s +
                          (1e-3 - fixed) * from.half_flop_per_s / to.half_flop_per_s +
                          (2e-3 - fixed) * from.dram_bytes_per_s / to.dram_bytes_per_s;
  REQUIRE(to.dram_bytes_per_s > 1.2 * from.dram_bytes_per_s);
  CHECK(step_of(scenario) == Approx(expected).epsilon(1e-6));
}

TEST_CASE("known FLOP and bytes decide over the name") {
  // By its name a product; with 1 FLOP for 1 GB it is bound by memory.
  const TestFile file(
      "known.json",
      step_text(on_a100_40, {operator_text("ampere_fp16_s16816gemm", 0, 1000, R"("flop": 1, "bytes": 1e9)")}));
  const Scenario scenario = small::read(server("a100-sxm4-80gb", 1), job(file));
  const DeviceModel from = device_model(*scenario.job.trace_gpu, false);
  const DeviceModel to = device_model(scenario.cluster.groups[0].node.gpu, false);
  const double expected =
      from.ramp_s * to.ramp_s / from.ramp_s + (1e-3 - from.ramp_s) * from.dram_bytes_per_s / to.dram_bytes_per_s;
  CHECK(step_of(scenario) == Approx(expected).epsilon(1e-6));
}

TEST_CASE("a host that was the slower stays so on a faster GPU, one that waited does not") {
  const auto text = [](const std::string& launch) {
    return step_text(on_a100_40 + R"(, "step_time": "2 ms")",
                     {operator_text("batch_norm", 0, 600, "\"launch\": \"" + launch + "\""),
                      operator_text("batch_norm", 1000, 600, "\"launch\": \"" + launch + "\"")});
  };
  const TestFile host("host.json", text("host")), waited("waited.json", text("synchronized"));
  const std::string faster = server("a100-sxm4-80gb", 1);
  // The host needs 1 ms for each launch whatever the GPU does.
  CHECK(step_of(small::read(faster, job(host))) == Approx(2e-3).epsilon(1e-6));
  // Else only the two pauses of 0.4 ms stay as they were.
  const Scenario scenario = small::read(faster, job(waited));
  const DeviceModel from = device_model(*scenario.job.trace_gpu, false);
  const DeviceModel to = device_model(scenario.cluster.groups[0].node.gpu, false);
  const double kernel =
      from.ramp_s * to.ramp_s / from.ramp_s + (0.6e-3 - from.ramp_s) * from.dram_bytes_per_s / to.dram_bytes_per_s;
  CHECK(step_of(scenario) == Approx(2 * (kernel + 0.4e-3)).epsilon(1e-6));
}

namespace {

// 10 ms of work, an all-reduce of 100 MB recorded with 3 ms, 1 ms of optimizer; no pause.
std::string exchanging(const std::string& bytes, int ranks = 2) {
  return step_text(on_a100_40 + R"(, "ranks": )" + std::to_string(ranks),
                   {operator_text("batch_norm", 0, 10000, R"("stream": 7)"),
                    operator_text("ncclDevKernel_AllReduce", 10000, 3000,
                                  R"("stream": 20, "collective": {"op": "all_reduce")" + bytes + "}"),
                    operator_text("multi_tensor_apply_sgd", 13000, 1000, R"("stream": 7)")});
}

}  // namespace

TEST_CASE("collectives keep their times where the cluster is that of the recording") {
  const TestFile file("recorded.json", exchanging(R"(, "bytes": 1e8)"));
  const Scenario scenario = small::read(server("a100-sxm4-40gb", 2), job(file));
  CHECK(scenario.job.recorded_collectives);
  CHECK(step_of(scenario) == Approx(14e-3).epsilon(1e-6));
  const Report report = run(scenario, {});
  double exposed = 0;
  for (const Metric& m : report.metrics)
    if (m.name == "exposed_communication_time") exposed = m.value;
  CHECK(exposed == Approx(3e-3).epsilon(1e-6));
}

TEST_CASE("collectives are planned for another cluster") {
  const TestFile file("planned.json", exchanging(R"(, "bytes": 1e8, "group": 2)"));
  for (const auto& [gpus, nodes] : {std::pair{4, 1}, std::pair{4, 2}}) {
    const Scenario scenario = small::read(server("a100-sxm4-40gb", gpus, nodes), job(file));
    CHECK_FALSE(scenario.job.recorded_collectives);
    const Assembly assembly(scenario.cluster, scenario.job);
    const CollectivePlan plan =
        assembly.planner().plan({CollectiveOp::all_reduce, 1e8, CollectiveAlgorithm::automatic, Scope::world, 0});
    // The whole job takes part, and the optimizer waits for it.
    CHECK(step_of(scenario) == Approx(11e-3 + plan.idle_time_s - plan.launch_s).epsilon(1e-6));
  }
}

TEST_CASE("collectives of a recording are told where messages are simulated") {
  const auto told = [](const Scenario& scenario) {
    RunOptions options;
    options.what_if = false;
    options.messages = true;
    const Report report = run(scenario, options);
    for (const Note& note : report.notes)
      if (note.topic == "messages") return note.text;
    return std::string();
  };
  const TestFile file("told.json", exchanging(R"(, "bytes": 1e8)"));
  CHECK(told(small::read(server("a100-sxm4-40gb", 4, 2), job(file))).rfind("1 collective a step", 0) == 0);
  CHECK(told(small::read(server("a100-sxm4-40gb", 2), job(file))) == "collectives last as long as recorded");
}

TEST_CASE("gradients of a one-GPU recording are exchanged on several") {
  const std::string head = on_a100_40 + R"(, "parameters": 25000000, "step_time": "11 ms")";
  const TestFile file("alone.json", step_text(head, {operator_text("batch_norm", 0, 10000),
                                                     operator_text("multi_tensor_apply_sgd", 10000, 1000)}));
  const Scenario scenario = small::read(server("a100-sxm4-40gb", 4, 2), job(file));
  const Assembly assembly(scenario.cluster, scenario.job);
  double bytes = 0;
  for (const TraceCollective& c : assembly.step_model(0).replay->collectives) bytes += c.bytes;
  CHECK(bytes == Approx(4 * 25e6));
  CHECK(step_of(scenario) > 11.5e-3);
  CHECK(faults(server("a100-sxm4-40gb", 1), job(file)).empty());
}

TEST_CASE("gradients wait for the backward pass, though the optimizer's kernels zero them when a step begins") {
  // 10 ms of products, then 1 ms of the optimizer; kernels of the same name for 1 ms before do not move the exchange.
  const std::string head = on_a100_40 + R"(, "parameters": 25e6)";
  const TestFile plain("plain.json", step_text(head, {operator_text("batch_norm", 0, 1000),
                                                      operator_text("ampere_fp16_s16816gemm", 1000, 10000),
                                                      operator_text("multi_tensor_apply_sgd", 11000, 1000)}));
  const TestFile zeroed("zeroed.json", step_text(head, {operator_text("multi_tensor_apply_zero", 0, 1000),
                                                        operator_text("ampere_fp16_s16816gemm", 1000, 10000),
                                                        operator_text("multi_tensor_apply_sgd", 11000, 1000)}));
  const std::string four = server("a100-sxm4-40gb", 4);
  CHECK(step_of(small::read(four, job(zeroed))) == Approx(step_of(small::read(four, job(plain)))).epsilon(1e-6));
}

TEST_CASE("what a trace cannot answer is refused") {
  const TestFile unsized("unsized.json", exchanging(""));
  CHECK(faults(server("a100-sxm4-40gb", 2), job(unsized)).empty());
  CHECK_THAT(faults(server("a100-sxm4-40gb", 4), job(unsized)), Catch::Contains("collectives with their bytes"));
  CHECK_THAT(faults(server("a100-sxm4-40gb", 2), job(unsized, R"(, "collectives": "planned")")),
             Catch::Contains("collectives with their bytes"));
  CHECK_THAT(faults(server("a100-sxm4-40gb", 4), job(unsized, R"(, "collectives": "recorded")")),
             Catch::Contains("the trace is of 2 ranks"));
  const TestFile alone("no_parameters.json", step_text(on_a100_40, {operator_text("batch_norm", 0, 10000)}));
  CHECK_THAT(faults(server("a100-sxm4-40gb", 2), job(alone)), Catch::Contains("/job/model/parameters"));
  CHECK_THAT(faults(server("a100-sxm4-40gb", 1), job(alone, R"(, "batch": 32)")),
             Catch::Contains("the batch of the recorded step, 64"));
  CHECK_THAT(faults(server("a100-sxm4-40gb", 1), job(alone, R"(, "recorded_on": "a100-sxm4-40gg")")),
             Catch::Contains("did you mean \"a100-sxm4-40gb\""));
}

TEST_CASE("groups smaller than the job keep their shape") {
  DataParallelSpec spec;
  auto trace = std::make_shared<StepTrace>();
  trace->ranks = 16;
  spec.job.trace = trace;
  spec.gpus_per_node = 8;
  spec.world = 32;
  const auto request = [&](int group, int stride) {
    return replayed_request({CollectiveOp::all_reduce, 1e6, group, stride, -1}, spec);
  };
  CHECK(request(16, 1).scope == Scope::world);
  CHECK(request(16, 1).ranks == 0);
  CHECK(request(0, 0).ranks == 0);
  CHECK(request(8, 1).scope == Scope::node);
  CHECK(request(4, 1).ranks == 4);
  CHECK(request(2, 8).scope == Scope::across);
}

TEST_CASE("a copy that runs beside kernels, or beside the next step, takes no time of its own") {
  // 2000 us of products; a copy of 500 us begins in the middle of them, another 100 us before the end of the step.
  // On one GPU the step stays 2 ms. On a GPU with another arithmetic the kernels under the first copy move too:
  // 2000 us times the ratio of the rates, as without copies.
  const std::vector<std::string> kernels = {operator_text("ampere_fp16_s16816gemm", 0, 1000),
                                            operator_text("ampere_fp16_s16816gemm", 1000, 1000)};
  std::vector<std::string> copied = kernels;
  copied.insert(copied.begin() + 1, operator_text("Memcpy HtoD", 500, 700, R"("stream": 9)"));
  copied.push_back(operator_text("Memcpy HtoD", 1900, 400, R"("stream": 9)"));
  const std::string head = on_a100_40 + R"(, "step_time": "2 ms")";
  const TestFile with("copied.json", step_text(head, copied)), without("kernels.json", step_text(head, kernels));
  CHECK(step_of(small::read(server("a100-sxm4-40gb", 1), job(with))) == Approx(2e-3).epsilon(1e-6));
  const double moved = step_of(small::read(server("a30", 1), job(without)));
  CHECK(moved > 2.5e-3);  // half the arithmetic of an A100
  CHECK(step_of(small::read(server("a30", 1), job(with))) == Approx(moved).epsilon(1e-6));
}

TEST_CASE("a recorded collective that ends in the next step holds up this one only to its end") {
  const TestFile file(
      "late.json", step_text(on_a100_40 + R"(, "ranks": 2, "step_time": "2 ms")",
                             {operator_text("batch_norm", 0, 1500), operator_text("ncclKernel_SendRecv", 1500, 900,
                                                                                  R"("stream": 20, "kind": "collective",
                                                  "collective": {"op": "send_recv", "group": 2})")}));
  CHECK(step_of(small::read(server("a100-sxm4-40gb", 2), job(file))) == Approx(2e-3).epsilon(1e-6));
}
