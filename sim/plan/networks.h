// How owned servers of a cluster may be joined, and what that costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/plan/machines.h"

namespace clustersim {

struct NetworkChoice {
  std::string card;  // id of cards that are bought; "": those that the machine comes with
  int cards = 0;     // of them that are wired on each machine; 0: all that it has
};

// Those of one machine alone are none. Fewer cards of the machine's own, for fewer ports of switches; one card of each
// usual rate; of the fastest also one for two GPUs.
std::vector<NetworkChoice> network_choices(const Question& question, const MachineChoice& machine, int gpus, int count);

// Cards that are bought, switches, and one copper cable for each port, twice as many below leaves and spines; empty
// where a part has no price.
std::optional<Money> network_cost(const Scenario& scenario, const NetworkChoice& network, const Catalog& catalog);

}  // namespace clustersim
