// At what rates do flows share resources: weighted max-min fairness, levelled on traffic per stream.
//
// Flow f runs at rate x_f (its units a second). It uses resource r with weight w_fr (units of r per unit of the flow)
// as s_fr streams, and may have a rate cap c_f. Resource r has capacity C_r (units a second). The traffic of f on r is
// x_f w_fr, and each of its streams there carries x_f w_fr / s_fr.
//
//   no overload   sum over f of  x_f w_fr  <=  C_r
//   levelling     each r has a level L_r (units a second and stream), infinite where r is not full, and
//                 x_f = min( c_f, min over r of  L_r s_fr / w_fr )
//
// So a flow is held either by its cap or by a full resource on which no other flow has more traffic per stream.
// With all weights and streams 1 this is the classical max-min fair share.
//
// Method: progressive filling. Give the open flows of r equal parts, L_r = (C_r - what closed flows take) / (open
// streams). A resource which is the tightest for every one of its open flows settles: they close at their rates. A flow
// whose cap is below what every resource would give closes at its cap. What is given away this way is at most the equal
// part, so the other levels only rise, what has settled stays right, and the order does not matter.
// If weights differ so that no resource is the tightest for all its flows (two flows, each heavy where the other is
// light), the open levels are found together by iteration: one after the other is set to what fills its resource while
// the rest stand, until nothing moves by more than 1e-13. If it goes round in circles the moves are damped. Should even
// that not settle, flows on overfull resources are scaled down: no overload always holds, levelling then only nearly.
// (80,000 random networks with weights spread over 1 to 10,000 and 1 to 4 streams all settled.)
//
// More flows than resources, 64 at least, without caps, that load each resource alike (its flows have one weight and
// one count of streams there, as messages do) are filled by a heap of levels instead: the lowest level's resources
// settle, and those within 1e-12 of it with them, whatever the others are. Every use is then handled once, not once a
// round.
//
// Assumes w, s > 0, C > 0 where a resource is used, each resource at most once in a flow (see merge_uses), distinct
// flow ids. Cost: O(uses) a round, rounds = depth of the chain of bottlenecks, or O(uses + resources x log) by the
// heap; no allocation once the workspace has grown. Source: Bertsekas and Gallager, Data Networks, section 6.5.2
// (filling); Bonald and Roberts, Multi-resource fairness: objectives, algorithms and performance, SIGMETRICS 2015 (the
// bottleneck property with unequal weights). Checked by: tests/engine/max_min_test.cc
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clustersim/task_graph.h"

namespace clustersim {

struct MaxMinFlow {
  std::int32_t id = 0;        // sums run in the order of ids, whatever the order of the flows
  double rate_cap = 0;        // 0: none
  std::span<const Use> uses;  // not empty unless there is a cap
};

// Sorts by resource and joins entries of the same resource: weights add up, and so do streams.
void merge_uses(std::vector<Use>& uses);
// Nothing for merge_uses to do.
bool is_merged(std::span<const Use> uses);

class MaxMinSolver {
 public:
  explicit MaxMinSolver(std::vector<double> capacity);

  // rates[i] is that of flows[i], with these flows alone on the resources. A function of its arguments: nothing is
  // remembered but the memory of the workspace and the answers of limiting().
  void solve(std::span<const MaxMinFlow> flows, std::vector<double>& rates);

  // The rate of one flow that shares no resource: to the bit what solve() gives it, in one pass over its uses.
  double rate_alone(const MaxMinFlow& flow);

  // Did the resource's capacity hold some flow of the last solve that used it?
  bool limiting(ResourceId resource) const { return state_[static_cast<std::size_t>(resource)].limiting; }

  std::size_t resources() const { return state_.size(); }

  // Rounds of filling and sweeps of the iteration in the last solve.
  int rounds() const { return rounds_; }
  int sweeps() const { return sweeps_; }

 private:
  struct State {  // of a resource
    double capacity = 0;
    double left = 0;  // not taken by closed flows
    double open_streams = 0;
    double level = 0;
    double weight = 0, streams = 0;  // of the first flow on it
    std::int32_t place = 0;          // in touched_
    int refusals = 0;                // open flows for which another bound is tighter
    bool touched = false;
    bool limiting = false;
  };
  struct Demand {   // a flow on a resource during the iteration
    double height;  // traffic per stream that its other bounds allow
    double streams;
  };

  State& state(const Use& use) { return state_[static_cast<std::size_t>(use.resource)]; }
  void prepare(std::span<const MaxMinFlow> flows);
  bool filled_alike(std::span<const MaxMinFlow> flows) const;
  void fill_by_level(std::span<const MaxMinFlow> flows, std::vector<double>& rates);
  void list_users(std::span<const MaxMinFlow> flows);
  bool next_lowest();
  double bound_of(const State& r) const;
  void set_equal_levels(std::span<const MaxMinFlow> flows);
  void find_refusals(std::span<const MaxMinFlow> flows, std::vector<double>& rates);
  bool close_settled(std::span<const MaxMinFlow> flows, const std::vector<double>& rates);
  void solve_together(std::span<const MaxMinFlow> flows, std::vector<double>& rates);
  bool sweep(std::span<const MaxMinFlow> flows, double damping);
  static double filling_level(double capacity, double streams, std::span<Demand> demands);
  void take_rates_of_levels(std::span<const MaxMinFlow> flows, std::vector<double>& rates);

  std::vector<State> state_;
  std::vector<ResourceId> touched_;
  std::vector<std::int32_t> order_;                               // positions of the open flows, by id
  std::vector<std::vector<std::pair<std::int32_t, Use>>> users_;  // of touched_[i], during the iteration
  std::vector<Demand> demands_;
  // fill_by_level: the flows on touched_[i] are those from first_user_[i] on in user_flows_.
  std::vector<std::int32_t> first_user_, user_flows_;
  std::vector<std::pair<double, std::int32_t>> levels_;  // a heap of bounds on a rate, the lowest on top; places
  std::vector<std::int32_t> lowest_, closing_;           // places that settle, positions of flows that close
  int rounds_ = 0;
  int sweeps_ = 0;
};

}  // namespace clustersim
