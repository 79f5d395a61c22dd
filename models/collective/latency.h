// Time of a collective that does not depend on bandwidth: the curve
//
//   T(S) = small + fill x S / (S + knee) + S x seconds_per_byte
//
//   small  launch + base + serial steps over the hops, protocol LL (s); inside the nodes of several a hop takes 1.8
//          times as long, and as long as one channel needs to pass on its piece of S: a channel takes up to 4 KiB (LL)
//          before another opens, so that small messages are stored and forwarded, not pipelined. EFA before Hopper
//          has protocol Simple only, whose pieces are 32 KiB. In one node the launches of eight GPUs cover the pieces.
//          Launch: 2.5 us a GPU of one node, whose kernels one thread launches in turn (nccl-tests -g 8, as the rows
//          were timed); 2.5 us over several nodes, where each GPU has a process
//   fill   what the pipeline of protocol Simple takes more to fill and drain (s)
//   knee   buffer at which half of the fill is felt: below it LL's short messages do (bytes); over several nodes it is
//          smaller as the most that LL moves there is (low_latency_share), but for EFA, whose plugin chooses by itself
//   S      buffer of the collective (bytes)
// A gathering ring (all_gather, reduce_scatter) over several nodes passes n - 1 messages and no more. Where each link
// is NVLink or RDMA, protocol LL128 is taken where it is faster: 128 bytes for 120, a hop of NVLink 1.9 us and of the
// network 4 us, where Simple's take 3.4 and 14; over EFA 75 and 85 (P5). At thousands of ranks that is most of the
// time: 4,096 H100 gather 2 GiB in 15 ms over InfiniBand and in 52 over EFA v2. Checked on 35 all-gathers of 16 to 256
// H100 over EFA: docs/COLLECTIVES.md. Long buffers hide part of the hops, so that those between are predicted up to a
// quarter too slow. The hops are NCCL's own tuner constants; what was fitted is marked in latency.cc and kept few:
// launch per rank, factor of Simple's fill, knee per rank, EFA's and TCP's hops.
// Accuracy: about 10 % from 1 MiB up, 30 % below (launch and CPU differ from host to host; a process a GPU also in one
// node takes 20 us less than eight GPUs of one: 12.5 us of 8 bytes on 8 H20).
// Source: NCCL src/graph/tuning.cc; MODELS 3.5. Checked by: tests/models/collective_measured_test.cc.
#pragma once

#include "models/collective/traffic.h"

namespace clustersim {

struct Curve {
  double small_s = 0, fill_s = 0, knee_bytes = 1;
  const char* protocol = nullptr;  // where the curve is of one
  double latency_s(double bytes) const { return small_s + fill_s * bytes / (bytes + knee_bytes); }
};

struct Hop {
  double small_s = 0, full_s = 0;  // protocol LL, protocol Simple
  double once_s = 0;               // Simple: filling and draining the copies at both ends of the pipeline
  double middle_s = 0;             // protocol LL128, of gathering rings
};

// Between GPUs of a node, of one that works alone or with others; tree: along the chain of a tree, else of a ring.
// `bytes` pass each hop.
Hop inside_hop(const Cluster& cluster, const Party& party, bool tree, int nodes, double bytes);
// Between nodes. `plan` gives the switches' latency.
Hop network_hop(const Cluster& cluster, const FabricPlan& plan, const Party& party, bool tree);

double launch_s(const Party& party, int nodes);

// Buffer up to which LL's short messages are felt, over several nodes against one: as the most that LL moves.
double low_latency_share(const Party& party, int nodes);

// Serial messages: `inside` over hops of the node and `between` over the network.
struct Steps {
  double inside = 0, between = 0;
  int total() const { return static_cast<int>(inside + between + 0.5); }
};

// Ring of n ranks over `nodes` nodes, each rank passing on `rounds` x (n - 1) messages.
Steps ring_steps(int ranks, int nodes, int rounds);

Curve ring_curve(double launch, Hop inside, Hop network, Steps small, Steps full, int ranks);
// A ring of n - 1 messages over several nodes, by protocols LL and Simple; and by LL128, whose links carry more bytes.
Curve gathering_curve(double launch, Hop inside, Hop network, Steps steps, int ranks);
Curve gathering_curve_128(double launch, Hop network, Steps steps);
constexpr double share_of_128 = 120.0 / 128;  // [published: NCCL, data in a line of LL128]
// All ranks on NVLink and RDMA, one design of GPU, which LL128 needs.
bool has_128(const Cluster& cluster, const std::vector<Party>& parties);
// The network's hop for gathering rings: EFA's is known there.
Hop gathering_hop(const Cluster& cluster, const Party& party, Hop network);

Curve tree_curve(double launch, Hop inside, Hop network, Steps steps, bool efa);
Curve nvls_curve(double launch, Hop network, int nodes);
Curve in_network_curve(double launch);
Curve pairwise_curve(double launch, Hop network, int ranks, int nodes);

// Protocol that NCCL would name for this size.
const char* protocol_name(const Curve& curve, double bytes, bool nvlink);

}  // namespace clustersim
