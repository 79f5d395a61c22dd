#include "models/collective/traffic.h"

#include <algorithm>

#include "clustersim/error.h"

namespace clustersim {

std::vector<RingChannel> ring_channels(const Party& party) {
  const NodePaths& paths = *party.paths;
  require(!paths.node().nics.empty(), "a node with peers has a NIC");
  std::vector<int> nics;
  for (int nic : paths.near_nics())
    for (int gpu = 0; gpu < party.gpus; ++gpu)
      if (paths.distance(gpu, nic) == paths.distance(gpu, paths.nearest_nic(gpu))) {
        nics.push_back(nic);
        break;
      }
  std::vector<int> entered(static_cast<std::size_t>(party.gpus), 0), left(paths.node().nics.size(), 0);
  std::vector<RingChannel> channels;
  for (int nic : nics) {
    int first = 0;
    for (int gpu = 1; gpu < party.gpus; ++gpu) {
      const int nearer = paths.distance(first, nic) - paths.distance(gpu, nic);
      const auto used = [&](int g) { return entered[static_cast<std::size_t>(g)]; };
      if (nearer > 0 || (nearer == 0 && used(gpu) < used(first))) first = gpu;
    }
    ++entered[static_cast<std::size_t>(first)];
    channels.push_back({nic, nic, first});
  }
  for (RingChannel& channel : channels) {
    const int last = (channel.first + party.gpus - 1) % party.gpus;
    int best = nics.front();
    for (int nic : nics) {
      const int nearer = paths.distance(last, best) - paths.distance(last, nic);
      const auto used = [&](int n) { return left[static_cast<std::size_t>(n)]; };
      if (nearer > 0 || (nearer == 0 && used(nic) < used(best))) best = nic;
    }
    channel.nic_out = best;
    ++left[static_cast<std::size_t>(best)];
  }
  return channels;
}

std::vector<int> own_nics(const Party& party, int gpu) {
  const NodePaths& paths = *party.paths;
  const auto is_near = [&](int g, int nic) {
    return paths.distance(g, nic) == paths.distance(g, paths.nearest_nic(g));
  };
  std::vector<int> nics;
  for (int nic : paths.near_nics())
    if (is_near(gpu, nic)) nics.push_back(nic);
  int sharing = 0, place = 0;
  for (int g = 0; g < party.gpus; ++g) {
    if (!is_near(g, nics.front())) continue;
    if (g == gpu) place = sharing;
    ++sharing;
  }
  const int there = static_cast<int>(nics.size()), each = (there + sharing - 1) / sharing;
  std::vector<int> own;
  for (int i = 0; i < each; ++i) own.push_back(nics[static_cast<std::size_t>((place * each + i) % there)]);
  return own;
}

bool meshed(const Party& party) {
  if (party.paths->switched() || party.gpus < 2) return false;
  for (int a = 0; a < party.gpus; ++a) {
    int peers = 0;
    for (int b = 0; b < party.gpus; ++b) peers += a != b && party.paths->joined(a, b);
    if (peers < std::min(2, party.gpus - 1)) return false;
  }
  return true;
}

bool ring_on_nvlink(const Party& party) { return party.gpus > 1 && (party.paths->switched() || meshed(party)); }

bool crosses_leaves(const FabricPlan& plan, const std::vector<Party>& parties) {
  if (plan.nodes_per_leaf == 0) return false;
  int groups = 0, most = 0;
  for (const Party& party : parties) ++groups, most = std::max(most, party.count);
  return groups > 1 || most > plan.nodes_per_leaf;
}

void Traffic::add(const Way& way, double bytes, double flows) {
  for (const Leg& leg : way) {
    loads_[leg.link].bytes += leg.weight * bytes;
    loads_[leg.link].flows += flows;
  }
}

void Traffic::add(const Traffic& other, double factor) {
  for (const auto& [link, load] : other.loads_) {
    loads_[link].bytes += factor * load.bytes;
    loads_[link].flows += load.flows;
  }
}

void Traffic::around_node(const Party& party, double bytes) {
  if (party.gpus < 2) return;
  if (!meshed(party)) {
    for (int a = 0; a < party.gpus; ++a) add(party.paths->gpu_to_gpu(a, (a + 1) % party.gpus), bytes);
    return;
  }
  for (int a = 0; a < party.gpus; ++a) {
    double total = 0;
    for (int b = 0; b < party.gpus; ++b) total += a == b ? 0 : party.paths->cable_rate(a, b);
    for (int b = 0; b < party.gpus; ++b) {
      const double rate = a == b ? 0 : party.paths->cable_rate(a, b);
      if (rate > 0) add(party.paths->gpu_to_gpu(a, b), bytes * rate / total);
    }
  }
}

void Traffic::along_node(const Party& party, double bytes, bool both_ways) {
  const int g = party.gpus;
  if (g < 2) return;
  if (party.paths->switched() || meshed(party)) {  // the channels' missing hops are spread over all GPUs alike
    around_node(party, bytes * (both_ways ? 2.0 : 1.0) * (g - 1) / g);
    return;
  }
  const bool networked = !party.paths->node().nics.empty();
  const std::vector<RingChannel> channels = networked ? ring_channels(party) : std::vector<RingChannel>{{0, 0, 0}};
  const double part = bytes / static_cast<double>(channels.size());
  for (const RingChannel& channel : channels)
    for (int i = 0; i + 1 < g; ++i) {
      const int a = (channel.first + i) % g, b = (channel.first + i + 1) % g;
      add(party.paths->gpu_to_gpu(a, b), part);
      if (both_ways) add(party.paths->gpu_to_gpu(b, a), part);
    }
}

void Traffic::over_wires(const Party& party, double bytes, bool turning) {
  const std::vector<RingChannel> channels = ring_channels(party);
  const double part = bytes / static_cast<double>(channels.size());
  for (const RingChannel& channel : channels) {
    const int last = turning ? channel.first : (channel.first + party.gpus - 1) % party.gpus;
    add(party.paths->wire_to_gpu(channel.nic_in, channel.first), part);
    add(party.paths->gpu_to_wire(last, turning ? channel.nic_in : channel.nic_out), part);
  }
}

void Traffic::to_next(const Party& party, double bytes, bool through_network) {
  const NodePaths& paths = *party.paths;
  const int last = party.gpus - 1;
  for (int gpu = 0; gpu < last; ++gpu) add(paths.gpu_to_gpu(gpu, gpu + 1), bytes);
  if (!through_network) {
    if (last > 0) add(paths.gpu_to_gpu(last, 0), bytes);
    return;
  }
  const std::vector<int> out = own_nics(party, last), in = own_nics(party, 0);
  for (int nic : out) add(paths.gpu_to_wire(last, nic), bytes / static_cast<double>(out.size()));
  for (int nic : in) add(paths.wire_to_gpu(nic, 0), bytes / static_cast<double>(in.size()));
}

void Traffic::from_every_gpu(const Party& party, double bytes, double flows) {
  const NodePaths& paths = *party.paths;
  for (int gpu = 0; gpu < party.gpus; ++gpu) {
    std::vector<int> nics;
    for (int nic : paths.near_nics())
      if (paths.distance(gpu, nic) == paths.distance(gpu, paths.nearest_nic(gpu))) nics.push_back(nic);
    const double among = static_cast<double>(nics.size());
    for (int nic : nics) {
      add(paths.gpu_to_wire(gpu, nic), bytes / among, flows / among);
      add(paths.wire_to_gpu(nic, gpu), bytes / among, flows / among);
    }
  }
}

void Traffic::all_pairs(const Party& party, double bytes) {
  for (int a = 0; a < party.gpus; ++a)
    for (int b = 0; b < party.gpus; ++b)
      if (a != b) add(party.paths->gpu_to_gpu(a, b), bytes, 1.0);
}

void Traffic::over_uplinks(const Party& party, double bytes, double flows) {
  std::vector<int> leaves;
  for (int nic : party.paths->near_nics()) leaves.push_back(party.paths->leaf_of(nic));
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  for (std::size_t l = 0; l < plan_->links.size(); ++l) {
    const Link& link = plan_->links[l];
    if (link.kind != LinkKind::network) continue;
    for (int leaf : leaves)
      if (link.from == leaf || link.to == leaf) {
        loads_[static_cast<int>(l)].bytes += bytes / static_cast<double>(leaves.size());
        loads_[static_cast<int>(l)].flows += flows / static_cast<double>(leaves.size());
      }
  }
}

void Traffic::through_switch(const Party& party, double up, double down, double share) {
  for (int a = 0; a < party.gpus; ++a) {
    const Way way = party.paths->gpu_to_gpu(a, a);
    loads_[way.front().link].bytes += up / share;
    loads_[way.back().link].bytes += down / share;
  }
}

void Traffic::scale(double factor) {
  for (auto& [link, load] : loads_) load.bytes *= factor;
}

void Traffic::scale(LinkKind kind, double factor) {
  for (auto& [link, load] : loads_)
    if (plan_->links[static_cast<std::size_t>(link)].kind == kind) load.bytes *= factor;
}

std::vector<Use> Traffic::uses() const {
  std::vector<Use> uses;
  for (const auto& [link, load] : loads_)
    if (load.bytes > 0) uses.push_back({link, load.bytes, std::max(1.0, load.flows)});
  return uses;
}

std::pair<double, int> Traffic::slowest() const {
  std::pair<double, int> worst{0.0, -1};
  for (const auto& [link, load] : loads_) {
    const double seconds = load.bytes / plan_->links[static_cast<std::size_t>(link)].bytes_per_s;
    if (seconds > worst.first) worst = {seconds, link};
  }
  return worst;
}

}  // namespace clustersim
