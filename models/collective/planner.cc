#include "models/collective/planner.h"

#include <algorithm>
#include <utility>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr int volta_channels = 12, nvlink_channels = 24, pcie_channels = 4;  // [published: MODELS 3.6, NCCL logs]
constexpr double dram_per_bus_byte = 2.5;  // [assumed: MODELS 3.6, two to three passes]
constexpr double most_dram = 0.9;          // [assumed] kernels keep a tenth

int channels(const Party& party) {
  if (!ring_on_nvlink(party)) return pcie_channels;
  return party.paths->spec().gpu_fabric.link.generation <= 2 ? volta_channels : nvlink_channels;
}

// nccl-tests' factor of busbw over algbw.
double bus_factor(CollectiveOp op, double n) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
      return (n - 1) / n;
    default:
      return 1.0;
  }
}

}  // namespace

CollectivePlanner::CollectivePlanner(const Cluster& cluster, const FabricPlan& fabric, const RouteFinder& routes,
                                     const SimulatedFabric* simulated)
    : cluster_(&cluster), fabric_(&fabric), simulated_(simulated) {
  int gpus = 0;
  for (std::size_t node = 0; node < fabric.nodes.size(); ++node) {
    paths_.emplace_back(cluster, fabric, static_cast<int>(node), routes);
    first_gpu_.push_back(gpus);
    gpus += static_cast<int>(fabric.nodes[node].gpus.size());
  }
}

Situation CollectivePlanner::situation(const CollectiveRequest& request) const {
  Situation s;
  s.cluster = cluster_;
  s.plan = fabric_;
  s.op = request.op;
  s.scope = request.scope;
  s.bytes = request.bytes;
  int left = request.ranks > 0 && request.scope != Scope::node ? request.ranks : INT32_MAX, nodes = 0, ranks = 0;
  for (const NodePaths& paths : paths_) {
    const int size = static_cast<int>(paths.node().gpus.size());
    if (left <= 0 || size == 0) continue;
    const int gpus = std::min(size, left);
    const int count = static_cast<int>(std::min<long>(paths.node().count, (static_cast<long>(left) + gpus - 1) / gpus));
    s.parties.push_back({&paths, gpus, count});
    const int taken = std::min(left, gpus * count);
    left -= taken;
    nodes += count;
    ranks += taken;
  }
  s.nodes = request.scope == Scope::node ? 1 : nodes;
  s.ranks = request.scope == Scope::world ? ranks : request.scope == Scope::node ? s.most_gpus() : nodes;
  return s;
}

std::vector<Hold> CollectivePlanner::holds(const Situation& s, const Outline& outline) const {
  std::vector<Hold> holds;
  const double seconds = outline.traffic.seconds_per_byte() + outline.serial_s_per_byte;
  const double bus = seconds > 0 ? bus_factor(s.op, s.ranks) / seconds : 0.0;
  for (const Party& party : s.parties) {
    const std::size_t node = static_cast<std::size_t>(party.paths - paths_.data());
    const GpuSpec& gpu = party.paths->spec().gpu;
    const double blocks = outline.sms > 0 ? outline.sms : channels(party);
    const double sms = gpu.sm_count > 0 ? std::min(0.5, blocks / gpu.sm_count) : 0.0;
    const double dram_rate = gpu.memory_bandwidth.base();
    const double dram = dram_rate > 0 ? std::min(most_dram, dram_per_bus_byte * bus / dram_rate) : 0.0;
    for (int i = 0; i < party.gpus; ++i) holds.push_back({first_gpu_[node] + i, sms, dram});
  }
  return holds;
}

const CollectiveCorrection* CollectivePlanner::correction(const Situation& s) const {
  if (s.scope == Scope::across) return nullptr;
  for (const CollectiveCorrection& c : cluster_->corrections)
    if (c.op == s.op && c.between_nodes == s.between_nodes()) return &c;
  return nullptr;
}

Outline CollectivePlanner::corrected(const Situation& s, const Outline& outline) const {
  const CollectiveCorrection* c = correction(s);
  if (c == nullptr) return outline;
  Outline better = outline;
  better.curve.small_s *= c->small;
  better.curve.fill_s *= c->fill;
  better.curve.knee_bytes *= c->knee;
  for (const LinkKind kind : collective_links)
    if (c->limit == to_string(kind)) better.traffic.scale(kind, 1 / c->rate);
  return better;
}

CollectivePlan CollectivePlanner::finished(const Situation& s, const Outline& modelled, const char* name) const {
  const Outline outline = corrected(s, modelled);
  CollectivePlan plan;
  const int slowest = outline.traffic.slowest_link();
  plan.algorithm = name;
  plan.protocol = protocol_name(modelled.curve, s.bytes, ring_on_nvlink(s.parties.front()) && !s.between_nodes());
  plan.latency_s = outline.curve.latency_s(s.bytes) + s.bytes * outline.serial_s_per_byte;
  plan.launch_s = longest_launch_s(s);
  plan.amount_bytes = s.bytes;
  plan.uses = outline.traffic.uses();
  plan.holds = holds(s, outline);
  plan.idle_time_s = plan.latency_s + s.bytes * outline.traffic.seconds_per_byte();
  plan.limit = slowest >= 0 ? fabric_->links[static_cast<std::size_t>(slowest)].name : "";
  plan.data_share = outline.data_share;
  plan.steps = outline.steps;
  if (const CollectiveCorrection* c = correction(s)) {
    plan.launch_s = std::min(plan.launch_s * c->small, plan.latency_s);
    const bool inside = s.bytes >= c->from.base() && s.bytes <= c->to.base();
    plan.measured = inside ? CollectivePlan::Measured::inside : CollectivePlan::Measured::beyond;
  }
  return plan;
}

std::vector<CollectivePlanner::Candidate> CollectivePlanner::outlines(const Situation& s) const {
  if (s.ranks < 2) return {};
  if (s.op == CollectiveOp::all_to_all) return {{"pairwise", true, pairwise(s)}};
  std::vector<Candidate> found;
  for (const AlgorithmEntry& entry : collective_algorithms())
    if (std::optional<Outline> outline = entry.outline(s))
      found.push_back({entry.name, entry.automatic, std::move(*outline)});
  return found;
}

std::vector<CollectivePlan> CollectivePlanner::candidates(const CollectiveRequest& request) const {
  const Situation s = situation(request);
  std::vector<CollectivePlan> plans;
  for (const Candidate& candidate : outlines(s)) plans.push_back(finished(s, candidate.outline, candidate.name));
  return plans;
}

std::optional<Situation> CollectivePlanner::situation_of(CollectiveOp op, double bytes, int nodes, int ranks) const {
  if (paths_.empty() || nodes < 1 || ranks < 2 || ranks % nodes != 0) return std::nullopt;
  const NodePaths& paths = paths_.front();
  const int gpus = ranks / nodes;
  if (gpus > static_cast<int>(paths.node().gpus.size())) return std::nullopt;
  if (nodes > 1 && paths.node().nics.empty()) return std::nullopt;
  Situation s;
  s.cluster = cluster_;
  s.plan = fabric_;
  s.op = op;
  s.bytes = bytes;
  s.parties.push_back({&paths, gpus, nodes});
  s.nodes = nodes;
  s.ranks = ranks;
  return s;
}

std::vector<PlanTerms> CollectivePlanner::terms(CollectiveOp op, double bytes, int nodes, int ranks) const {
  const auto s = situation_of(op, bytes, nodes, ranks);
  std::vector<PlanTerms> terms;
  if (!s) return terms;
  for (const Candidate& candidate : outlines(*s)) {
    if (!candidate.automatic) continue;
    const Outline& o = candidate.outline;
    const int slowest = o.traffic.slowest_link();
    terms.push_back({candidate.name, o.curve.small_s, o.curve.fill_s, o.curve.knee_bytes,
                     bytes * o.traffic.seconds_per_byte(),
                     slowest >= 0 ? to_string(fabric_->links[static_cast<std::size_t>(slowest)].kind) : ""});
  }
  return terms;
}

double CollectivePlanner::idle_seconds(CollectiveOp op, double bytes, int nodes, int ranks) const {
  const auto s = situation_of(op, bytes, nodes, ranks);
  double least = 0;
  if (!s) return least;
  for (const Candidate& candidate : outlines(*s)) {
    if (!candidate.automatic) continue;
    const double seconds = finished(*s, candidate.outline, candidate.name).idle_time_s;
    least = least > 0 ? std::min(least, seconds) : seconds;
  }
  return least;
}

// From the plan's links and GPUs to all their copies.
void CollectivePlanner::spread(CollectivePlan& plan) const {
  std::vector<Use> uses;
  for (const Use& use : plan.uses) {
    const SimulatedFabric::Copies copies = simulated_->copies(use.resource);
    for (int i = 0; i < copies.count; ++i) uses.push_back({copies.first + i, use.weight, use.streams});
  }
  plan.uses = std::move(uses);  // ascending as they were
  std::vector<Hold> holds;
  int first = 0;  // GPU of the simulated node
  for (const SimulatedNode& node : simulated_->nodes()) {
    const int gpus = static_cast<int>(fabric_->nodes[static_cast<std::size_t>(node.plan_node)].gpus.size());
    const int own = first_gpu_[static_cast<std::size_t>(node.plan_node)];
    for (const Hold& hold : plan.holds)
      if (hold.gpu >= own && hold.gpu < own + gpus) holds.push_back({first + hold.gpu - own, hold.sms, hold.dram});
    first += gpus;
  }
  plan.holds = std::move(holds);
}

const CollectivePlan& CollectivePlanner::choose(const std::vector<CollectivePlan>& plans,
                                                CollectiveAlgorithm algorithm) const {
  const CollectivePlan* best = &plans.front();  // the ring, or pairwise
  for (const AlgorithmEntry& entry : collective_algorithms())
    for (const CollectivePlan& plan : plans) {
      if (plan.algorithm != entry.name) continue;
      if (algorithm == entry.algorithm) return plan;
      if (algorithm == CollectiveAlgorithm::automatic && entry.automatic && plan.idle_time_s < best->idle_time_s)
        best = &plan;
    }
  return *best;
}

CollectivePlan CollectivePlanner::plan(const CollectiveRequest& request) const {
  require(request.bytes >= 0, "a collective has no negative buffer");
  const std::vector<CollectivePlan> plans = candidates(request);
  if (plans.empty()) {
    CollectivePlan nothing;
    nothing.algorithm = "none";
    nothing.protocol = "none";
    return nothing;
  }
  CollectivePlan chosen = choose(plans, request.algorithm);
  if (simulated_) spread(chosen);
  return chosen;
}

}  // namespace clustersim
