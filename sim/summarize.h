// What happened, put into the words of the report.
#pragma once

#include <optional>

#include "clustersim/report.h"
#include "sim/projection.h"

namespace clustersim {

// A job simulated on a cluster, with what follows for the whole run.
struct SimulatedJob {
  const Assembly& assembly;
  JobResult result;
  Projection projection;
};

// `cloud`: the same job on rented instances, where the scenario prices some that this cluster is not.
Report summarize(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain_cost);

}  // namespace clustersim
