#include "models/fabric/unfold.h"

#include <algorithm>

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

UnfoldedFabric::UnfoldedFabric(const FabricPlan& folded) : nodes_per_leaf_(folded.nodes_per_leaf) {
  for (std::size_t n = 0; n < folded.nodes.size(); ++n)
    for (int copy = 0; copy < folded.nodes[n].count; ++copy)
      nodes_.push_back({static_cast<int>(n), copy, nodes_per_leaf_ > 0 ? copy / nodes_per_leaf_ : 0});
  const std::vector<int> owner = owners_of_leaves(folded);
  for (const Link& link : folded.links) {
    const Vertex& from = folded.vertices[at(link.from)];
    const Vertex& to = folded.vertices[at(link.to)];
    int count = 1;
    Copies copies = Copies::one;
    if (from.node >= 0 || to.node >= 0) {
      copies = Copies::a_node;
      count = folded.nodes[at(std::max(from.node, to.node))].count;
    } else if (link.kind == LinkKind::network && nodes_per_leaf_ > 0) {
      const int node = std::max(owner[at(link.from)], owner[at(link.to)]);
      if (node >= 0) {
        copies = Copies::a_leaf;
        count = (folded.nodes[at(node)].count + nodes_per_leaf_ - 1) / nodes_per_leaf_;
      }
    }
    copies_.push_back(copies);
    first_copy_.push_back(static_cast<int>(bytes_per_s_.size()));
    bytes_per_s_.insert(bytes_per_s_.end(), at(count), link.bytes_per_s);
  }
}

int UnfoldedFabric::link(int node, int folded_link) const {
  const UnfoldedNode& n = nodes_[at(node)];
  const Copies copies = copies_[at(folded_link)];
  const int copy = copies == Copies::a_node ? n.copy : copies == Copies::a_leaf ? n.leaf : 0;
  return first_copy_[at(folded_link)] + copy;
}

bool UnfoldedFabric::crosses_leaves(int a, int b) const {
  const UnfoldedNode &from = nodes_[at(a)], &to = nodes_[at(b)];
  return nodes_per_leaf_ > 0 && (from.plan_node != to.plan_node || from.leaf != to.leaf);
}

}  // namespace clustersim
