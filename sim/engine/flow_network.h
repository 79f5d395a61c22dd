// The transfers in flight: they start, share resources max-min (max_min.h), and end.
//
// A transfer waits its latency, then `amount` units flow at the rate of the moment; a transfer of no amount ends with
// its latency, and one that nothing holds (no resource, no cap) flows in no time. Starts and ends only mark resources;
// at the end of the instant solve() sets the rates once, in the connected components (flows joined by resources) that
// were touched, and leaves the others alone: not a bit of their state changes. A component is found in the time it
// takes to read it, so solving all of a network that is one component costs no more than a full solve would. A transfer
// that shares nothing at the moment needs no solve: its rate is that of its narrowest resource.
//
// Resource accounting: busy while some amount flows over it; carried = amount x weight of what has flowed to its end;
// saturated while its capacity held some flow.
// Checked by: tests/engine/flow_network_test.cc
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clustersim/run_record.h"
#include "clustersim/task_graph.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/max_min.h"
#include "sim/engine/progress.h"

namespace clustersim {

using FlowId = std::int32_t;  // a task, or a lane of messages (message_runs.h)

struct FlowDemand {
  double amount = 0;
  double latency_s = 0;
  double rate_cap = 0;        // 0: none
  std::span<const Use> uses;  // must outlive the flow
};

inline FlowDemand demand_of(const Task& task) { return {task.amount, task.latency_s, task.rate_cap, task.uses}; }

class FlowNetwork {
 public:
  // The queue must outlive the network; it receives transfer_flows and task_ends (event_kinds.h) with the flow's id.
  FlowNetwork(std::vector<double> capacity, EventQueue& queue);

  // A transfer starts now; its latency comes first.
  void start(FlowId id, const FlowDemand& demand);
  // On transfer_flows: the latency is over.
  void flow(FlowId id, const FlowDemand& demand);
  // On task_ends of a transfer.
  void end(FlowId id);

  // Must solve() be called before this instant is over?
  bool touched() const { return !touched_.empty(); }
  // At the end of the instant: sets the rates that changed and moves the ends of those transfers.
  void solve();

  // From now on every change of what flows over a resource is appended to `log`, which must outlive the network.
  void record_rates(std::vector<RateChange>* log) { rate_log_ = log; }

  // Units a second; 0 for a transfer that does not flow.
  double rate(FlowId id) const;

  // Up to now.
  std::vector<ResourceUse> resource_uses() const;

 private:
  struct Flow {
    FlowId id = -1;
    double amount = 0, rate_cap = 0;
    std::span<const Use> uses;  // merged: the demand's own where they are, else `own`
    std::vector<Use> own;
    std::vector<std::int32_t> places;  // of uses[i] in the resource's list of users
    Progress progress;
    EventId end_event = no_event;
    std::uint32_t visit = 0;
  };
  struct User {
    std::int32_t slot;  // in flows_
    std::int32_t use;   // in Flow::uses
  };
  struct Resource {
    std::vector<User> users;
    double carried = 0;
    SimTime busy = 0, busy_since = 0;
    SimTime saturated = 0, saturated_since = 0;
    bool is_saturated = false;
    bool touched = false;
    std::uint32_t visit = 0;
  };

  Resource& resource(ResourceId id) { return resources_[static_cast<std::size_t>(id)]; }
  Flow& flow_in(std::int32_t slot) { return flows_[static_cast<std::size_t>(slot)]; }
  void touch(ResourceId id);
  void set_saturated(Resource& r, bool saturated);
  void collect_component(ResourceId seed);
  bool alone(const Flow& flow) const;
  void set_rate_alone(Flow& flow);
  void set_rates_of_component();
  void set_rate(Flow& flow, double rate);
  void record(const Flow& flow, double change);

  EventQueue& queue_;
  MaxMinSolver solver_;
  std::vector<Resource> resources_;
  std::vector<Flow> flows_;  // slots, used again
  std::vector<std::int32_t> free_slots_;
  std::vector<std::int32_t> slot_of_;  // by FlowId; -1: does not flow
  std::vector<ResourceId> touched_;
  std::uint32_t visit_ = 0;
  std::vector<RateChange>* rate_log_ = nullptr;
  // The component at hand, and what the solver is given and gives back.
  std::vector<ResourceId> component_resources_;
  std::vector<std::int32_t> component_slots_;
  std::vector<std::uint64_t> sort_keys_;
  std::vector<MaxMinFlow> solver_flows_;
  std::vector<double> rates_;
};

}  // namespace clustersim
