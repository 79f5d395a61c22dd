// A cluster folded to one node of each kind, and every node by itself; collectives as one transfer, and message by
// message.
#include <cmath>
#include <map>

#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

Report report(const Scenario& scenario, bool unfold, bool messages = false) {
  RunOptions options;
  options.what_if = false;
  options.unfold = unfold;
  options.messages = messages;
  return run(scenario, options);
}

std::map<std::string, double> metrics(const Report& report) {
  std::map<std::string, double> values;
  for (const Metric& metric : report.metrics) values[metric.name] = metric.value;
  return values;
}

std::string note(const Report& report, const std::string& topic) {
  for (const Note& n : report.notes)
    if (n.topic == topic) return n.text;
  return "";
}

// Metrics of both within 1e-9 of each other, or of the step where they are parts of it. One picosecond in a step of
// 0.1 s is 1e-11; a sum of shares on one link and one share of the sum may round to either side.
void check_same(const Scenario& scenario) {
  const Report folded = report(scenario, false), unfolded = report(scenario, true);
  const std::map<std::string, double> one = metrics(folded), each = metrics(unfolded);
  REQUIRE(one.size() == each.size());
  const double step_s = one.at("step_time");
  for (const auto& [name, value] : one) {
    INFO(name);
    CHECK(each.at(name) == Approx(value).epsilon(1e-9).margin(1e-9 * step_s));
  }
  CHECK(unfolded.bottleneck.kind == folded.bottleneck.kind);
  CHECK(unfolded.bottleneck.resource == folded.bottleneck.resource);
}

std::string h100(int nodes, const std::string& job, const std::string& more = "") {
  return R"({"clustersim": 1, "cluster": {"nodes": )" + std::to_string(nodes) +
         R"(, "node": {"server": "dgx-h100"}, "fabric": {"shape": "rail-optimized")" + more + R"(}}, "job": )" + job +
         "}";
}

Scenario read_text(const std::string& text) { return read_scenario_text(text, "test", {}); }

// A step of one all-reduce after the backward pass by the ring: T = compute + collective.
std::string ring_job(const std::string& more) {
  return R"({"model": "resnet-50", "batch_per_gpu": 64, "collective_algorithm": "ring", "data": {"from": "synthetic"})" +
         more + "}";
}

double step_s(const Report& report) { return metrics(report).at("step_time"); }

}  // namespace

TEST_CASE("unfold: four nodes that read from a storage they share, and from disks of their own") {
  check_same(small::read(small::servers(4, R"(, "storage": {"tier": "nfs-10g", "servers": 2})"),
                         small::resnet(R"({"from": "shared"})")));
  check_same(small::read(small::servers(4), small::resnet(R"({"from": "node", "workers_per_gpu": 1})")));
}

TEST_CASE("unfold: groups of unlike nodes, on one switch and on leaves") {
  const std::string groups = R"({"groups": [
      {"nodes": 3, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-100g"}},
      {"nodes": 2, "node": {"server": "as-4124gs-tnr", "gpu": "rtx-3090", "gpus": 2, "nic": "eth-100g"}}],
      "fabric": {"transport": "rdma")";
  check_same(small::read(groups + "}}", small::resnet(R"({"from": "synthetic"})")));
  check_same(small::read(groups + R"(, "shape": "fat-tree"}})", small::resnet(R"({"from": "node"})")));
}

TEST_CASE("unfold: shards reduced in the nodes and across them") {
  check_same(read_text(h100(4, R"({"model": "bert-large", "stack": "mlperf", "batch_per_gpu": 8})")));
}

TEST_CASE("unfold: 1,024 GPUs on rails, many to a leaf and many leaves") {
  const Scenario s = read_text(h100(128, R"({"model": "bert-large"})", R"(, "oversubscription": 2)"));
  REQUIRE(s.cluster.gpus() == 1024);
  check_same(s);
}

TEST_CASE("unfold: as many events for each node, and the report says what was simulated") {
  const Scenario s = small::read(small::servers(6), small::resnet(R"({"from": "synthetic"})"));
  const Report folded = report(s, false), unfolded = report(s, true);
  CHECK(unfolded.provenance.events > 3 * folded.provenance.events);
  CHECK(note(folded, "simulated").find("one node in 6") != std::string::npos);
  CHECK(note(unfolded, "simulated").find("each of 6 nodes") != std::string::npos);
}

TEST_CASE("unfold: a cluster too large for it is refused") {
  const Scenario s = read_text(h100(4096, R"({"model": "bert-large"})"));
  CHECK_THROWS_AS(report(s, true), InputError);
  CHECK_NOTHROW(report(s, false));
}

TEST_CASE("messages: a step as with bundles, within 1 % of the collective, where chunks take ten latencies") {
  // One bucket of 102 MB over 16 ranks at 10 Gbit/s: chunks of 6 MB, 5 ms each, far above ten latencies.
  Scenario s = small::read(small::servers(4), ring_job(R"(, "overlap": false)"));
  s.job.bucket = Bytes();
  const Report bundle = report(s, false), messages = report(s, false, true);
  const double collective_s = metrics(bundle).at("exposed_communication_time");
  REQUIRE(collective_s > 0.1 * step_s(bundle));
  CHECK(step_s(messages) == Approx(step_s(bundle)).margin(0.01 * collective_s));
  CHECK(note(messages, "messages").find("latency-bound") == std::string::npos);
}

TEST_CASE("messages: beside readers on the same network cards within 5 %") {
  // Batches come over the NIC that the gradients use, so that readers and rings share it.
  Scenario s = small::read(small::servers(4, R"(, "storage": {"tier": "nfs-10g", "servers": 8})"),
                           small::resnet(R"({"from": "shared"})", R"(, "collective_algorithm": "ring")"));
  CHECK(step_s(report(s, false, true)) == Approx(step_s(report(s, false))).epsilon(0.05));
}

TEST_CASE("messages: one node that stands for all, and every node, take the same time") {
  // All alike below one switch: every node does the same at the same moment, to the picosecond.
  const Scenario s = small::read(small::servers(5), small::resnet(R"({"from": "node"})"));
  const Report folded = report(s, false, true), unfolded = report(s, true, true);
  const std::map<std::string, double> one = metrics(folded), each = metrics(unfolded);
  for (const auto& [name, value] : one) {
    INFO(name);
    CHECK(each.at(name) == Approx(value).epsilon(1e-9).margin(1e-9 * one.at("step_time")));
  }
  CHECK(unfolded.provenance.events > 3 * folded.provenance.events);
  CHECK(note(folded, "messages").find("on one node") != std::string::npos);
}

TEST_CASE("messages: leaves whose uplinks never bind make no difference, others are simulated one by one") {
  const std::string job = R"({"model": "bert-large", "collective_algorithm": "ring", "data": {"from": "synthetic"}})";
  const std::string leaves_of_two = R"(, "switch": {"base": "sw-ib-ndr-64", "ports": 4})";
  const Scenario rails = read_text(h100(4, job, leaves_of_two));
  const Report folded = report(rails, false, true), unfolded = report(rails, true, true);
  CHECK(note(folded, "simulated").find("one node in 4") != std::string::npos);
  CHECK(step_s(folded) == Approx(step_s(unfolded)).epsilon(1e-9));
  // 5 ports down and 1 up: an uplink of a fifth of what its nodes send is a node's own rate; of a tenth, half of it.
  const std::string five = R"(, "switch": {"base": "sw-ib-ndr-64", "ports": 6}, "oversubscription": )";
  CHECK(note(report(read_text(h100(6, job, five + "5")), false, true), "simulated").find("one node in 6") !=
        std::string::npos);
  CHECK(note(report(read_text(h100(6, job, five + "10")), false, true), "simulated").find("each of 6") !=
        std::string::npos);
}

TEST_CASE("messages: rails of several leaves, and the rings in the nodes and across them") {
  const std::string synthetic = R"("data": {"from": "synthetic"})";
  const Scenario rails =
      read_text(h100(4, R"({"model": "bert-large", "collective_algorithm": "ring", )" + synthetic + "}",
                     R"(, "switch": {"base": "sw-ib-ndr-64", "ports": 4})"));
  CHECK(step_s(report(rails, false, true)) == Approx(step_s(report(rails, false))).epsilon(0.01));
  const Scenario shards = read_text(
      h100(4, R"({"model": "bert-large", "stack": "mlperf", "batch_per_gpu": 8, "collective_algorithm": "ring", )" +
                  synthetic + "}"));
  CHECK(step_s(report(shards, false, true)) == Approx(step_s(report(shards, false))).epsilon(0.01));
}

TEST_CASE("messages: the report says where latency is felt") {
  // 1 MiB over 128 GPUs: chunks of 8 kB take 0.3 us at 25 GB/s, a hop more.
  const Scenario s =
      small::read(small::servers(16), small::resnet(R"({"from": "synthetic"})", R"(, "bucket": "1 MiB")"));
  CHECK(note(report(s, false, true), "messages").find("latency-bound") != std::string::npos);
}

TEST_CASE("messages: what has none is refused") {
  Scenario s = small::read(small::servers(2), small::resnet(R"({"from": "synthetic"})"));
  s.job.algorithm = CollectiveAlgorithm::tree;
  CHECK_THROWS_AS(report(s, false, true), InputError);
  CHECK_NOTHROW(report(s, false, false));
  s.job.algorithm = CollectiveAlgorithm::automatic;
  s.cluster.groups[0].count = 100000;
  CHECK_THROWS_AS(report(s, true, true), InputError);
}

TEST_CASE("messages that nobody waits for are forecast and refused, those of a sharded step too") {
  // 512 nodes that differ, each by itself: rings of 4,096 ranks, eight of them, send 4,095 messages a lane, in 98
  // collectives a step: 4096 x 8 x 4095 x 98 = 1.3e10, and ten steps.
  const std::string node = R"({"server": "dgx-h100")";
  const Scenario mixed = read_text(
      R"({"clustersim": 1, "cluster": {"groups": [{"nodes": 511, "node": )" + node + R"(}}, {"nodes": 1, "node": )" +
      node + R"(, "cooling": {"inlet": "35 degC"}}}]}, "job": {"model": "gpt-3-6-7b", "sharding": "full",
          "batch_per_gpu": 1, "data": {"from": "synthetic"}, "target": {"steps": 10}}})");
  try {
    report(mixed, false, true);
    FAIL("not refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].pointer == "--fidelity");
    CHECK(error.problems()[0].got == "1.3e+11 messages");
    CHECK(error.problems()[0].hint.find("bundle") != std::string::npos);
  }
}
