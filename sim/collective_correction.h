// Measured collectives against the model of the very cluster: the factors that a Cluster carries.
//
// The model's terms at the measured numbers of nodes and ranks are scaled until they meet the measured times
// (models/calibration/collective_curve.h); which algorithm ran follows from the scaled times, so both are found in
// turns. What binds at the largest size is what the rate's factor is of. One correction an operation inside a node and
// one between nodes; sweeps of several numbers of nodes are fitted together.
// A few sizes that lie far from the model are doubted: of all pairs of sizes of 18 published all-reduce logs 82 %
// predict half of the others within 10 %, but of those whose factors are off by more than three scatters a quarter. A
// sweep that this cluster's nodes cannot run (more GPUs a node, no network) is no fault: an assumption says that it is
// not used. Checked by: tests/sim/collective_correction_test.cc.
#pragma once

#include <string>
#include <vector>

#include "models/calibration/collective_curve.h"
#include "models/collective/planner.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

struct MeasuredSweep {
  CollectiveOp op = CollectiveOp::all_reduce;
  int nodes = 1, ranks = 0;
  std::vector<TimedSize> points;
};

struct FittedCorrection {
  CollectiveCorrection correction;
  FitQuality quality;  // of the corrected model against the points
  std::string doubt;   // why it may mislead at other sizes, "" where nothing says so
};

// Sweeps of one operation, all inside a node or all between nodes. Nothing where the cluster cannot run them or the
// points do not fit.
std::optional<FittedCorrection> fit_correction(const Cluster& cluster, const std::vector<MeasuredSweep>& sweeps);

// Fills cluster.corrections from what the scenario says; remarks and faults go to the context.
void correct_collectives(ReadContext& context, const std::vector<CollectiveKeys>& keys, Cluster& cluster);

}  // namespace clustersim
