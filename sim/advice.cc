#include "clustersim/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "clustersim/units_text.h"
#include "models/power_thermal/node_power.h"
#include "sim/projection.h"
#include "sim/what_if.h"

namespace clustersim {
namespace {

constexpr double worth_saying = 0.02;                                 // of the step, or of the first epoch
constexpr double supply_headroom = 1.2;                               // claim 58
constexpr double longest_unsaved_h = 24;                              // [assumed] a day's work is worth a checkpoint
constexpr double small_data_bytes = 1e12, middle_data_bytes = 10e12;  // claims 13 to 15: the tiers' edges

std::string text(const char* format, double x, double y = 0, double z = 0) {
  char out[160];
  std::snprintf(out, sizeof out, format, x, y, z);
  return out;
}

// The scenario as it is, simulated once for all rules.
struct Baseline {
  explicit Baseline(const Scenario& s)
      : assembly(s.cluster, s.job), result(run_job(assembly)), projection(project(assembly, result)) {}
  Assembly assembly;
  JobResult result;
  Projection projection;
};

class Adviser {
 public:
  explicit Adviser(const Scenario& scenario) : scenario_(scenario), now_(scenario), doubled_(what_if(scenario)) {}

  std::vector<Advice> advise() {
    for (const NodeGroup& group : scenario_.cluster.groups) {
      node_ = &group.node;
      memory();
      lanes();
      sockets();
      power_supply();
      error_correction();
      redundancy();
      software();
    }
    loader_cores();
    network();
    gpu_links();
    storage();
    cooling();
    saved_work();
    return std::move(advice_);
  }

 private:
  void add(std::string rule, std::string finding, std::string remedy, std::string gain, std::string source) {
    Advice advice{std::move(rule), std::move(finding), std::move(remedy), std::move(gain), std::move(source)};
    const auto same = [&](const Advice& other) { return other.rule == advice.rule && other.finding == advice.finding; };
    if (std::none_of(advice_.begin(), advice_.end(), same)) advice_.push_back(std::move(advice));
  }

  // Share of the step that a change saves, -1 where it was not tried.
  double saved_by(const std::string& change) const {
    for (const WhatIf& tried : doubled_)
      if (tried.change == change) return 1 - tried.step_s / now_.result.steady.step_s;
    return -1;
  }
  static std::string step_gain(double saved) { return text("%.0f %% of the step", 100 * saved); }

  // A data set that the page cache could hold, but for want of memory.
  void memory() {
    const double vram = node_->gpu.memory.base() * node_->gpus;
    const double share = node_->memory.base() / vram;
    const bool reads = scenario_.job.data.from == DataSource::node || scenario_.job.data.from == DataSource::shared;
    if (share >= 2 && !reads) return;
    Scenario larger = scenario_;
    for (NodeGroup& group : larger.cluster.groups)
      group.node.memory = std::max(group.node.memory, group.node.gpu.memory * (4.0 * group.node.gpus));
    const double saved = share < 4 ? saved_of_run(larger) : 0;
    if (share >= 2 && saved < worth_saying) return;
    add("memory", text("%.0f GB of memory for %.0f GB on the GPUs", node_->memory.base() / 1e9, vram / 1e9),
        text("%.0f GB, four times what is on the GPUs; published 8-GPU servers have 3 to 4 times", 4 * vram / 1e9),
        share < 4 ? text("%.0f %% of the time to the target", 100 * std::max(0.0, saved)) : "", "claims 10 and 47");
  }

  double saved_of_run(const Scenario& changed) const {
    const Baseline other(changed);
    return 1 - other.projection.time.total / now_.projection.time.total;
  }

  void lanes() {
    if (!node_->pcie_tree.empty()) return;  // a server's board has been wired by its maker
    const double have = node_->cpu.pcie_lanes * node_->sockets;
    const double want = 16.0 * node_->gpus + 16.0 * node_->nics + 4.0 * node_->storage.count;
    if (have <= 0 || want <= have) return;
    add("PCIe lanes",
        text("%.0f lanes for %.0f GPUs at x16 with their cards and drives, which want %.0f", have, node_->gpus, want) +
            (node_->pcie.lanes > 0 && node_->pcie.lanes < 16
                 ? "; slots are taken for x" + std::to_string(node_->pcie.lanes)
                 : ""),
        "a processor with more lanes, a board with PCIe switches, or GPUs at x8", "", "claim 57");
  }

  void sockets() {
    const bool one_card = node_->nics == 1 && node_->sockets > 1 && node_->gpus > 1 && scenario_.cluster.nodes() > 1;
    if (!one_card || node_->gpu_fabric.shape == "switch") return;
    const double saved = saved_by("2x links between GPUs");
    add("NUMA", "one network card for two sockets: half of the GPUs reach it over the socket link",
        "a card for each socket, or all GPUs and the card on one", saved >= worth_saying ? step_gain(saved) : "",
        "claim 57");
  }

  void power_supply() {
    const Power peak = installed_power(*node_);
    if (node_->supply_power && *node_->supply_power < peak * supply_headroom)
      add("power supply",
          text("supplies of %.0f W for up to %.0f W: %.0f %% of headroom", node_->supply_power->base(), peak.base(),
               100 * (*node_->supply_power / peak - 1)),
          text("%.0f W, or a limit on the GPUs' power", supply_headroom * peak.base()), "", "claim 58: 20 %");
    else if (!node_->supply_power && node_->server_id.empty())
      add("power supply", text("a node draws up to %.0f W", peak.base()),
          text("supplies of %.0f W: 20 %% of headroom", supply_headroom * peak.base()), "", "claim 58");
  }

  void error_correction() {
    if (node_->gpu.name.find("GeForce") == std::string::npos) return;
    add("ECC", node_->gpu.name + " has no error-correcting memory",
        "for runs of weeks, checkpoints and a look at the loss curve, or a card with ECC", "", "guide, checklist");
  }

  void redundancy() {
    const StorageArray& array = node_->storage;
    if (scenario_.job.data.from != DataSource::node || array.count < 2) return;
    if (array.raid != Raid::raid0 && array.raid != Raid::none) return;
    add("disk redundancy",
        text("%.0f drives without redundancy hold the data: one fails in 70 drive-years", array.count),
        "a second copy elsewhere, or RAID 5 or 10, and a spare drive", "", "claim 59: 1.3-1.6 % a year");
  }

  struct Toolkit {
    const char* architecture;
    const char* needs;
  };
  // First and last CUDA release for an architecture [published: CUDA release notes].
  void software() {
    constexpr Toolkit toolkits[] = {{"Pascal", "CUDA 8.0 to 12.9"},     {"Volta", "CUDA 9.0 to 12.9"},
                                    {"Turing", "CUDA 10.0 or later"},   {"Ampere", "CUDA 11.0 or later"},
                                    {"Ada", "CUDA 11.8 or later"},      {"Hopper", "CUDA 11.8 or later"},
                                    {"Blackwell", "CUDA 12.8 or later"}};
    for (const Toolkit& toolkit : toolkits)
      if (node_->gpu.architecture.rfind(toolkit.architecture, 0) == 0)
        add("software", node_->gpu.name + " needs " + toolkit.needs, "a framework built for it", "",
            "CUDA release notes; claim 23");
  }

  void loader_cores() {
    const double saved = saved_by("2x cores and loader workers");
    if (saved < worth_saying) return;
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    const InputDemand& demand = now_.assembly.input(0, false);
    const double per_gpu = now_.projection.throughput / scenario_.cluster.gpus() * demand.decode_core_s;
    add("loader cores",
        text("%.0f workers on %.0f cores feed %.0f GPUs", scenario_.job.data.workers_per_gpu * node.gpus, node.cores,
             node.gpus) +
            text("; at the present pace they use %.1f cores a GPU", per_gpu),
        "more cores and workers, records decoded on the GPU (DALI), or smaller images", step_gain(saved),
        "claims 8 and 46, and this run");
  }

  void network() {
    const double saved = saved_by("2x network");
    if (scenario_.cluster.nodes() < 2) return;
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    const double gbps = scenario_.cluster.fabric.link.base() * 8e-9 * node.nics;
    const bool thin = gbps < 25;
    if (saved < worth_saying && !thin) return;
    add("network", text("%.0f Gbit/s a node for %.0f GPUs", gbps, node.gpus),
        thin ? "25 Gbit/s or more, RDMA from 100 Gbit/s on" : "a second card, or the next rate",
        step_gain(std::max(0.0, saved)), "claims 57 and 62, and this run");
  }

  void gpu_links() {
    const double saved = saved_by("2x links between GPUs");
    if (saved < worth_saying) return;
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    add("links between GPUs",
        node.gpu_fabric.link.id.empty() ? "GPUs speak over PCIe" : "GPUs speak over " + node.gpu_fabric.link.id,
        "NVLink bridges or a switched board, or GPUs in slots of one root complex", step_gain(saved),
        "claim 57, and this run");
  }

  void storage() {
    const Dataset& data = scenario_.job.data.dataset;
    const double size =
        data.samples * (scenario_.job.data.container == Container::raw ? data.raw_bytes : data.record_bytes).base();
    const double saved = saved_by("2x storage");
    const bool local = scenario_.job.data.from == DataSource::node;
    const char* tier = size < small_data_bytes    ? "NVMe in the node"
                       : size < middle_data_bytes ? "NVMe as a cache before an object store"
                                                  : "a distributed file system with caches in memory";
    const bool misplaced = local && size >= middle_data_bytes;
    if (saved < worth_saying && !misplaced) return;
    add("storage tier", text("a data set of %.3g TB", size / 1e12) + (local ? " on the nodes' drives" : " on servers"),
        tier, step_gain(std::max(0.0, saved)), "claims 13 to 15, and this run");
  }

  void cooling() {
    const double clock = now_.projection.slowest_clock;
    const NodeSpec& node = scenario_.cluster.groups.front().node;
    if (clock > 1 - worth_saying || node.gpu_power_limit || node.gpu_clock_limit) return;
    Scenario cooler = scenario_;
    for (NodeGroup& group : cooler.cluster.groups) {
      group.node.cooling.inlet = Temperature::celsius(20);
      group.node.cooling.airflow = Airflow();
      group.node.cooling.host_heat = Power();
    }
    const double saved = 1 - Baseline(cooler).result.steady.step_s / now_.result.steady.step_s;
    if (saved < worth_saying) return;
    add("cooling",
        text("the hottest GPU settles at %.0f degC and %.0f %% of its clock", now_.projection.hottest.in_celsius(),
             100 * clock),
        "cooler air (20 degC was tried), more of it, or liquid", step_gain(saved), "claims 49 and 50, and this run");
  }

  void saved_work() {
    const double run_h = now_.projection.time.total / hours(1);
    if (run_h < longest_unsaved_h || scenario_.job.checkpoint.every > Time()) return;
    add("power failures", text("%.0f h without a checkpoint: one failure of the power loses all of it", run_h),
        "checkpoints (/job/checkpoint/every), and a UPS that carries the nodes through a clean stop", "",
        "guide, checklist");
  }

  const Scenario& scenario_;
  Baseline now_;
  std::vector<WhatIf> doubled_;
  const NodeSpec* node_ = nullptr;
  std::vector<Advice> advice_;
};

}  // namespace

std::vector<Advice> advise(const Scenario& scenario) { return Adviser(scenario).advise(); }

}  // namespace clustersim
