#include "sim/cluster_picture.h"

#include <algorithm>

namespace clustersim {
namespace {

const char* name_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return "gpu";
    case VertexKind::socket:
      return "socket";
    case VertexKind::memory:
      return "memory";
    case VertexKind::pcie_switch:
      return "pcie_switch";
    case VertexKind::nvswitch:
      return "nvswitch";
    case VertexKind::nic:
      return "nic";
    case VertexKind::leaf_switch:
      return "leaf_switch";
    case VertexKind::spine_switch:
      return "spine_switch";
    case VertexKind::storage_device:
      return "storage_device";
    case VertexKind::storage_server:
      return "storage_server";
  }
  throw InternalError("this is a bug: a vertex of no kind");
}

PictureLink picture_of(const Link& link, const RateSteps& rates, const StepRecording& recording) {
  const double window_s = sim_time_to_seconds(recording.to - recording.from);
  const RateTotal carried = total(rates, recording.to);
  PictureLink picture{link.from, link.to, link.name, to_string(link.kind), link.bytes_per_s, 0, 0};
  picture.utilization = std::min(1.0, carried.units / (link.bytes_per_s * window_s));
  picture.busy_share = std::min(1.0, carried.flowing_s / window_s);
  return picture;
}

}  // namespace

ClusterPicture cluster_picture(const Assembly& assembly, const JobResult& result, const StepRecording& recording,
                               const std::vector<RateSteps>& rates) {
  const FabricPlan& plan = assembly.fabric();
  ClusterPicture picture;
  for (std::size_t n = 0; n < plan.nodes.size(); ++n)
    picture.nodes.push_back(
        {"node" + std::to_string(n), plan.nodes[n].count, static_cast<int>(plan.nodes[n].gpus.size())});
  for (const Vertex& vertex : plan.vertices)
    picture.vertices.push_back({vertex.name, name_of(vertex.kind), vertex.node});
  for (std::size_t i = 0; i < plan.links.size(); ++i)
    picture.links.push_back(
        picture_of(plan.links[i],
                   rates[static_cast<std::size_t>(assembly.simulated().copies(static_cast<int>(i)).first)], recording));
  for (std::size_t g = 0; g < assembly.gpus().size(); ++g) {  // of several kinds of node in a group, the first
    const auto n = static_cast<std::size_t>(assembly.gpus()[g].node);
    const auto i = static_cast<std::size_t>(assembly.gpus()[g].number);
    if (assembly.simulated().nodes()[n].copy > 0) continue;
    const NodeSpec& node = assembly.node_spec(n);
    const int vertex = plan.nodes[static_cast<std::size_t>(assembly.simulated().nodes()[n].plan_node)].gpus[i];
    const NodeThermal::Gpu& gpu = result.thermal[n].gpus[i];
    picture.gpus.push_back({vertex, gpu.die.in_celsius(), gpu.clock * node.gpu.boost_clock.base() * 1e-6,
                            gpu.power.base(), result.steady.loads[g].activity, to_string(gpu.reason)});
  }
  return picture;
}

}  // namespace clustersim
