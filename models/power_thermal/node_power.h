// What one node draws beside and with its GPUs, in direct current after and alternating current before its supplies.
//
//   P_DC = P_host + sum P_gpu;   P_AC = P_DC / eta
//   P_host = sockets*(idle + load*(TDP - idle)) + memory + NICs + drives + board + GPU switches + fans
//     load  share of the CPUs' work, 0..1;  eta  efficiency of the power supplies
// P_host hardly changes with the GPUs' work (published logs of an 8 x H100 node fit one constant of 1.4 kW from idle
// to full load), so it has no GPU term beyond fans sized for TDP.
//
// Assumes fans at constant speed and one efficiency at every load. Does not cover network switches outside the node
// and cooling of the room (PUE, see models/outcome/cost.h). Accuracy 5 % on the published node, unknown on others.
// Source: MLPerf Training power logs, 8 x H100. Checked by: tests/models/node_power_test.cc
#pragma once

#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/units.h"

namespace clustersim {

struct NodePower {
  Power host, gpus;  // direct current
  Power dc, ac;      // both together, after and before the power supplies
};

Power host_power(const NodeSpec& node, double cpu_load);
double supply_efficiency(const NodeSpec& node);
NodePower node_power(Power host, const std::vector<Power>& gpus, double supply_efficiency);
NodePower node_power(const NodeSpec& node, const std::vector<Power>& gpus, double cpu_load);

// What has to be installed: the server's stated maximum, else all GPUs at TDP (or their limit) and busy CPUs.
Power installed_power(const NodeSpec& node);

}  // namespace clustersim
