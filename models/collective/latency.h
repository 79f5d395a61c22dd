// Time of a collective that does not depend on bandwidth: the curve
//
//   T(S) = small + fill x S / (S + knee) + S x seconds_per_byte
//
//   small  launch and skew of a node's ranks + base + serial steps over the hops, protocol LL (s)
//   fill   what the pipeline of protocol Simple takes more to fill and drain (s)
//   knee   buffer at which half of the fill is felt: below it LL's short messages do (bytes)
//   S      buffer of the collective (bytes)
// The hops are NCCL's own tuner constants; what was fitted is marked in latency.cc and kept few:
// launch per rank, factor of Simple's fill, knee per rank, EFA's and TCP's hops.
// Accuracy: about 10 % from 1 MiB up, 30 % below (launch and CPU differ from host to host).
// Source: NCCL src/graph/tuning.cc; MODELS 3.5. Checked by: tests/models/collective_measured_test.cc.
#pragma once

#include "models/collective/traffic.h"

namespace clustersim {

struct Curve {
  double small_s = 0, fill_s = 0, knee_bytes = 1;
  double latency_s(double bytes) const { return small_s + fill_s * bytes / (bytes + knee_bytes); }
};

struct Hop {
  double small_s = 0, full_s = 0;  // protocol LL, protocol Simple
  double once_s = 0;               // Simple: filling and draining the copies at both ends of the pipeline
};

// Between GPUs of a node; tree: along the chain of a tree, else of a ring.
Hop inside_hop(const Party& party, bool tree);
// Between nodes. `plan` gives the switches' latency.
Hop network_hop(const Cluster& cluster, const FabricPlan& plan, const Party& party, bool tree);

double launch_s(const Party& party);

// Serial messages: `inside` over hops of the node and `between` over the network.
struct Steps {
  double inside = 0, between = 0;
  int total() const { return static_cast<int>(inside + between + 0.5); }
};

// Ring of n ranks over `nodes` nodes, each rank passing on `rounds` x (n - 1) messages.
Steps ring_steps(int ranks, int nodes, int rounds);

Curve ring_curve(double launch, Hop inside, Hop network, Steps small, Steps full, int ranks);
Curve tree_curve(double launch, Hop inside, Hop network, Steps steps, bool efa);
Curve nvls_curve(double launch, Hop network, int nodes);
Curve in_network_curve(double launch);
Curve pairwise_curve(double launch, Hop network, int ranks, int nodes);

// Protocol that NCCL would name for this size.
const char* protocol_name(const Curve& curve, double bytes, bool nvlink);

}  // namespace clustersim
