// More of a resource never makes a step slower, whatever limits it.
#include <functional>

#include "tests/sim/small_scenarios.h"

using namespace clustersim;

namespace {

struct Setting {
  const char* what;
  std::string cluster, job;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      {"network bound", small::servers(4), small::resnet(R"({"from": "synthetic"})")},
      {"compute bound", small::servers(1), small::resnet(R"({"from": "page-cache", "loader": "dali-gpu"})")},
      {"loader bound", small::servers(2), small::resnet(R"({"from": "node", "workers_per_gpu": 2})")},
      {"single files", small::servers(2), small::resnet(R"({"from": "node", "container": "raw"})")},
      {"shared storage", small::servers(4, R"(, "storage": {"tier": "nfs-10g", "servers": 1})"),
       small::resnet(R"({"from": "shared", "loader": "tf-data"})")},
      {"accumulating", small::servers(2),
       small::resnet(R"({"from": "node"})", R"(, "accumulation": 4, "no_sync": false)")},
      {"Horovod", small::servers(2),
       R"({"model": "vgg16", "precision": "amp", "stack": "mxnet-horovod", "batch_per_gpu": 64, "data": {"from": "synthetic"}})"},
  };
  return all;
}

using Change = std::function<void(Scenario&, double factor)>;

// The step must not grow while the resource does.
void check_monotone(const char* resource, const Change& change, double slack = 2e-4) {
  for (const Setting& setting : settings()) {
    double before_s = 0;
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 8.0}) {
      Scenario s = small::read(setting.cluster, setting.job);
      change(s, factor);
      const double step_s = small::step_s(s, true);
      INFO(setting.what << ", " << resource << " x " << factor);
      // A steady step is settled within 0.01 %.
      if (before_s > 0) CHECK(step_s <= before_s * (1 + slack));
      before_s = step_s;
    }
  }
}

NodeSpec& node(Scenario& s) { return s.cluster.groups[0].node; }

}  // namespace

TEST_CASE("monotone: a faster network") {
  check_monotone("NIC", [](Scenario& s, double factor) {
    NicSpec& nic = *node(s).nic;
    nic.line_rate = nic.line_rate * factor;
    if (nic.tcp_collective) nic.tcp_collective = *nic.tcp_collective * factor;
    if (nic.tcp_single_stream) nic.tcp_single_stream = *nic.tcp_single_stream * factor;
    s.cluster.fabric.link = s.cluster.fabric.link * factor;
  });
}

TEST_CASE("monotone: faster storage") {
  // Records that come faster over the NIC meet more of the gradients there: a step may lose a hundredth to that.
  check_monotone(
      "storage",
      [](Scenario& s, double factor) {
        StorageSpec& tier = s.cluster.storage ? s.cluster.storage->servers.tier : node(s).storage.tier;
        tier.read = tier.read * factor;
        if (tier.read_iops) tier.read_iops = *tier.read_iops * factor;
      },
      1e-2);
}

TEST_CASE("monotone: more cores") {
  check_monotone("cores", [](Scenario& s, double factor) {
    node(s).cores *= factor;
    node(s).cpu.cores = static_cast<int>(node(s).cpu.cores * factor);
    node(s).cpu.threads = static_cast<int>(node(s).cpu.threads * factor);
  });
}

TEST_CASE("monotone: wider PCIe") {
  check_monotone("PCIe", [](Scenario& s, double factor) {
    node(s).pcie.achievable = node(s).pcie.achievable * factor;
    for (PcieVertex& vertex : node(s).pcie_tree) vertex.link = vertex.link * factor;
  });
}

TEST_CASE("monotone: a higher clock") {
  for (const Setting& setting : settings()) {
    const Scenario s = small::read(setting.cluster, setting.job);
    double before_s = 0;
    for (const double clock : {0.4, 0.6, 0.7, 0.8, 1.0, 1.1}) {
      const double step_s = small::step_s(s, true, clock);
      INFO(setting.what << ", clock " << clock);
      if (before_s > 0) CHECK(step_s <= before_s * (1 + 2e-4));
      before_s = step_s;
    }
  }
}
