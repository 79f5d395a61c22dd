#include "sim/engine/topology.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/visitors.hpp>
#include <string>

#include "clustersim/error.h"

namespace clustersim {

namespace {

using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                      boost::property<boost::edge_index_t, int>>;
using Backward = boost::reverse_graph<Digraph>;

bool passes_on(VertexKind kind) {
  return kind != VertexKind::gpu && kind != VertexKind::nic && kind != VertexKind::storage_device &&
         kind != VertexKind::storage_server;
}

// A link is of use on the way to `target` if it ends there or where traffic is passed on.
struct LeadsOn {
  const Digraph* graph = nullptr;
  const std::vector<bool>* forwards = nullptr;
  std::size_t target = 0;

  template <typename BackwardEdge>
  bool operator()(const BackwardEdge& edge) const {
    const std::size_t head = boost::target(edge.underlying_descx, *graph);
    return head == target || (*forwards)[head];
  }
};

constexpr int unreached = -1;

}  // namespace

struct Topology::Graph {
  Digraph digraph;
  std::vector<bool> forwards;             // by vertex
  std::vector<std::string> names;         // by vertex
  std::vector<std::vector<int>> hops_to;  // by target, then vertex; empty: not searched yet

  const std::vector<int>& search(int target);
};

// Breadth first against the direction of the links: hops from every vertex to the target.
const std::vector<int>& Topology::Graph::search(int target) {
  std::vector<int>& hops = hops_to[static_cast<std::size_t>(target)];
  if (!hops.empty()) return hops;
  hops.assign(forwards.size(), unreached);
  hops[static_cast<std::size_t>(target)] = 0;
  const Backward backward(digraph);
  const boost::filtered_graph<Backward, LeadsOn> usable(backward,
                                                        {&digraph, &forwards, static_cast<std::size_t>(target)});
  boost::breadth_first_search(
      usable, static_cast<std::size_t>(target),
      boost::visitor(boost::make_bfs_visitor(boost::record_distances(hops.data(), boost::on_tree_edge()))));
  return hops;
}

Topology::Topology(const FabricPlan& plan) : graph_(std::make_unique<Graph>()) {
  const int count = static_cast<int>(plan.vertices.size());
  graph_->digraph = Digraph(plan.vertices.size());
  graph_->hops_to.resize(plan.vertices.size());
  for (const Vertex& vertex : plan.vertices) {
    graph_->forwards.push_back(passes_on(vertex.kind));
    graph_->names.push_back(vertex.name);
  }
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    const Link& link = plan.links[i];
    require(link.from >= 0 && link.from < count && link.to >= 0 && link.to < count,
            "a link joins two vertices of the plan: " + link.name);
    boost::add_edge(static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to), static_cast<int>(i),
                    graph_->digraph);
  }
}

Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;

std::vector<int> Topology::route(int from_vertex, int to_vertex) const {
  const int count = static_cast<int>(graph_->names.size());
  require(from_vertex >= 0 && from_vertex < count && to_vertex >= 0 && to_vertex < count,
          "a route joins two vertices of the plan");
  const std::vector<int>& hops = graph_->search(to_vertex);
  std::size_t at = static_cast<std::size_t>(from_vertex);
  const std::size_t goal = static_cast<std::size_t>(to_vertex);
  if (hops[at] == unreached) require(false, "there is a way from " + graph_->names[at] + " to " + graph_->names[goal]);
  std::vector<int> links;
  links.reserve(static_cast<std::size_t>(hops[at]));
  while (at != goal) {  // edges leave a vertex in the order of link ids, so the first that comes nearer is the lowest
    const auto [first, last] = boost::out_edges(at, graph_->digraph);
    for (auto edge = first; edge != last; ++edge) {
      const std::size_t head = boost::target(*edge, graph_->digraph);
      if (hops[head] != hops[at] - 1 || (head != goal && !graph_->forwards[head])) continue;
      links.push_back(boost::get(boost::edge_index, graph_->digraph, *edge));
      at = head;
      break;
    }
  }
  return links;
}

}  // namespace clustersim
