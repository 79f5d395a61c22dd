// Nodes that differ: some slow ones among equals, and groups that say the same.

#include <map>

#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

std::string slow(double share, double slowdown, const std::string& more = "") {
  return R"(, "stragglers": {"share": )" + std::to_string(share) + R"(, "slowdown": )" + std::to_string(slowdown) +
         more + "}";
}

Scenario scenario(int nodes, const std::string& stragglers, const std::string& data = R"({"from": "synthetic"})") {
  return small::read(small::servers(nodes, stragglers), small::resnet(data));
}

Report report(const Scenario& s, bool unfold = false, bool messages = false) {
  RunOptions options;
  options.what_if = false;
  options.unfold = unfold;
  options.messages = messages;
  return run(s, options);
}

double metric(const Report& report, const std::string& name) {
  for (const Metric& m : report.metrics)
    if (m.name == name) return m.value;
  FAIL(name);
  return 0;
}

}  // namespace

TEST_CASE("stragglers: one slow node makes all go at its pace, and the others wait") {
  const Report none = report(scenario(4, "")), one = report(scenario(4, slow(0.25, 0.2))),
               all = report(scenario(4, slow(1, 0.2)));
  CHECK(metric(one, "step_time") == Approx(metric(all, "step_time")).epsilon(0.01));
  // Three of four nodes wait for a fifth of their compute time, but for what their gradients take meanwhile; nothing
  // hides the forward pass, a third of it.
  const double compute_s = metric(none, "forward_backward_time");
  CHECK(metric(all, "step_time") - metric(none, "step_time") > 0.2 * compute_s / 3 * 0.9);
  CHECK(metric(one, "straggler_time") - metric(none, "straggler_time") < 0.75 * 0.2 * compute_s * 1.1);
  CHECK(metric(one, "straggler_time") > metric(none, "straggler_time"));
}

TEST_CASE("stragglers: folded and unfolded are the same, with slow nodes and with slow GPUs") {
  for (const char* more :
       {"", R"(, "spread": "uniform")", R"(, "of": "gpus")", R"(, "of": "gpus", "spread": "uniform")"}) {
    INFO(more);
    const Scenario s = scenario(6, slow(0.34, 0.15, more), R"({"from": "page-cache"})");
    const Report folded = report(s), unfolded = report(s, true);
    const double step_s = metric(folded, "step_time");
    for (const Metric& m : folded.metrics) {
      INFO(m.name);
      CHECK(metric(unfolded, m.name) == Approx(m.value).epsilon(1e-9).margin(1e-9 * step_s));
    }
  }
}

TEST_CASE("stragglers: events follow the kinds of nodes, not their number") {
  const std::string one_percent = slow(0.01, 0.1);
  const Report hundred = report(scenario(100, one_percent)), many = report(scenario(12500, one_percent));
  CHECK(many.provenance.events == hundred.provenance.events);
  CHECK(metric(many, "step_time") >= metric(hundred, "step_time"));
}

TEST_CASE("stragglers: message by message within 1 % of the bundle, whichever nodes the seed chooses") {
  for (const std::uint64_t seed : {1U, 5U}) {
    Scenario s = scenario(6, slow(0.34, 0.3));
    s.job.algorithm = CollectiveAlgorithm::ring;
    s.cluster.stragglers->seed = seed;
    CHECK(metric(report(s, false, true), "step_time") == Approx(metric(report(s), "step_time")).epsilon(0.01));
  }
}

TEST_CASE("stragglers: no slowdown is no straggler") {
  const Report none = report(scenario(4, "")), zero = report(scenario(4, slow(0.5, 0)));
  CHECK(zero.provenance.fingerprint == none.provenance.fingerprint);
}

TEST_CASE("stragglers: the seed of the command line counts") {
  const Scenario s = scenario(4, slow(0.5, 0.1, R"(, "spread": "uniform")"));
  CHECK(s.cluster.stragglers->seed == s.seed);
}

TEST_CASE("stragglers: single GPUs of a large cluster are refused") {
  const std::string text = R"({"clustersim": 1, "cluster": {"nodes": 2000, "node": {"server": "dgx-h100"}, "stragglers":
                               {"share": 0.1, "slowdown": 0.1, "of": "gpus"}}, "job": {"model": "bert-large"}})";
  try {
    read_scenario_text(text, "test", {});
    FAIL("refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].pointer == "/cluster/stragglers/of");
  }
}

TEST_CASE("groups that resolve to equal nodes are one") {
  const std::string node = R"({"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-10g", "nics": 1})";
  const std::string fabric = R"("fabric": {"shape": "fat-tree", "link": "10 Gbit/s", "transport": "tcp"})";
  const auto read = [&](const std::string& nodes) {
    return small::read("{" + nodes + ", " + fabric + "}", small::resnet(R"({"from": "synthetic"})"));
  };
  const std::string two = R"({"nodes": 2, "node": )" + node + "}";
  const std::string hot = R"({"nodes": 1, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4,
                             "nic": "eth-10g", "nics": 1, "cooling": {"inlet": "45 degC"}}})";
  const Scenario groups = read(R"("groups": [)" + two + ", " + two + "]");
  const Scenario plain = read(R"("nodes": 4, "node": )" + node);
  REQUIRE(groups.cluster.groups.size() == 1);
  CHECK(report(groups).provenance.fingerprint == report(plain).provenance.fingerprint);
  CHECK(read(R"("groups": [)" + two + ", " + hot + ", " + two + "]").cluster.groups.size() == 2);
}
