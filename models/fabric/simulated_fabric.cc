#include "models/fabric/simulated_fabric.h"

#include <algorithm>
#include <utility>

#include "clustersim/error.h"
#include "models/fabric/build_fabric.h"

namespace clustersim {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// By vertex: the node of the plan whose NICs are plugged into this leaf; -1: no leaf, or the leaf of several.
std::vector<int> owners_of_leaves(const FabricPlan& plan) {
  constexpr int nobody = -1, several = -2;
  std::vector<int> owner(plan.vertices.size(), nobody);
  for (const Link& link : plan.links) {
    const int node = plan.vertices[at(link.from)].node;
    if (link.kind != LinkKind::nic || node < 0) continue;
    int& of_leaf = owner[at(link.to)];
    of_leaf = of_leaf == nobody || of_leaf == node ? node : several;
  }
  for (int& node : owner)
    if (node == several) node = nobody;
  return owner;
}

}  // namespace

SimulatedFabric SimulatedFabric::unfolded(const FabricPlan& plan) {
  std::vector<SimulatedNode> nodes;
  for (std::size_t n = 0; n < plan.nodes.size(); ++n)
    for (int copy = 0; copy < plan.nodes[n].count; ++copy)
      nodes.push_back({static_cast<int>(n), copy, plan.nodes_per_leaf > 0 ? copy / plan.nodes_per_leaf : 0, 1.0});
  return SimulatedFabric(plan, std::move(nodes), false);
}

SimulatedFabric SimulatedFabric::folded(const FabricPlan& plan, const std::vector<std::vector<int>>& class_sizes) {
  require(class_sizes.size() == plan.nodes.size(), "every group has its classes");
  std::vector<SimulatedNode> nodes;
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    int sum = 0;
    for (std::size_t c = 0; c < class_sizes[n].size(); ++c) {
      sum += class_sizes[n][c];
      nodes.push_back({static_cast<int>(n), static_cast<int>(c), 0, static_cast<double>(class_sizes[n][c])});
    }
    require(sum == plan.nodes[n].count, "every node is in one class");
  }
  return SimulatedFabric(plan, std::move(nodes), true);
}

SimulatedFabric::SimulatedFabric(const FabricPlan& plan, std::vector<SimulatedNode> nodes, bool folds)
    : plan_(&plan), folds_(folds), nodes_(std::move(nodes)) {
  std::vector<int> node_copies(plan.nodes.size(), 0), leaf_copies(plan.nodes.size(), 0);
  for (const SimulatedNode& node : nodes_) {
    node_copies[at(node.plan_node)] = std::max(node_copies[at(node.plan_node)], node.copy + 1);
    leaf_copies[at(node.plan_node)] = std::max(leaf_copies[at(node.plan_node)], node.leaf + 1);
  }
  const std::vector<int> owner = owners_of_leaves(plan);
  for (const Link& link : plan.links) {
    const Vertex& from = plan.vertices[at(link.from)];
    const Vertex& to = plan.vertices[at(link.to)];
    const int leaf_of = std::max(owner[at(link.from)], owner[at(link.to)]);
    int count = 1;
    Owner who = Owner::all;
    if (from.node >= 0 || to.node >= 0) {
      who = Owner::node;
      count = node_copies[at(std::max(from.node, to.node))];
    } else if (link.kind == LinkKind::network && plan.nodes_per_leaf > 0 && leaf_of >= 0) {
      who = Owner::leaf;
      count = leaf_copies[at(leaf_of)];
    }
    owners_.push_back(who);
    copies_.push_back({static_cast<int>(bytes_per_s_.size()), count});
    bytes_per_s_.insert(bytes_per_s_.end(), at(count), link.bytes_per_s);
  }
}

int SimulatedFabric::link(int node, int plan_link) const {
  const SimulatedNode& n = nodes_[at(node)];
  const Owner who = owners_[at(plan_link)];
  return copies_[at(plan_link)].first + (who == Owner::node ? n.copy : who == Owner::leaf ? n.leaf : 0);
}

double SimulatedFabric::nodes_on(int node, int plan_link) const {
  const SimulatedNode& n = nodes_[at(node)];
  if (!folds_) return 1.0;
  const int sharing = nodes_sharing(*plan_, n.plan_node, plan_link), count = plan_->nodes[at(n.plan_node)].count;
  return owners_[at(plan_link)] == Owner::node || n.stands_for == count ? sharing : sharing * n.stands_for / count;
}

bool SimulatedFabric::crosses_leaves(int a, int b) const {
  const SimulatedNode &from = nodes_[at(a)], &to = nodes_[at(b)];
  return plan_->nodes_per_leaf > 0 && (from.plan_node != to.plan_node || from.leaf != to.leaf);
}

std::string SimulatedFabric::name_in(int node, const std::string& plan_name) const {
  const std::string own = "node" + std::to_string(nodes_[at(node)].plan_node) + ".";
  const std::string name = "node" + std::to_string(node) + ".";
  std::string result = plan_name;
  for (std::size_t from = 0; (from = result.find(own, from)) != std::string::npos; from += name.size())
    result.replace(from, own.size(), name);
  return result;
}

std::size_t SimulatedFabric::plan_link(int link) const {
  const auto after =
      std::upper_bound(copies_.begin(), copies_.end(), link, [](int l, const Copies& c) { return l < c.first; });
  return static_cast<std::size_t>(after - copies_.begin()) - 1;
}

int SimulatedFabric::node_of(int link) const {
  const std::size_t l = plan_link(link);
  if (owners_[l] != Owner::node) return -1;
  const Link& of_plan = plan_->links[l];
  const int plan_node = std::max(plan_->vertices[at(of_plan.from)].node, plan_->vertices[at(of_plan.to)].node);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].plan_node == plan_node && nodes_[n].copy == link - copies_[l].first) return static_cast<int>(n);
  return -1;
}

std::string SimulatedFabric::link_name(int link) const {
  const std::size_t l = plan_link(link);
  const int copy = link - copies_[l].first, node = node_of(link);
  if (node >= 0) return name_in(node, plan_->links[l].name);
  return copy == 0 ? plan_->links[l].name : plan_->links[l].name + "." + std::to_string(copy);
}

}  // namespace clustersim
