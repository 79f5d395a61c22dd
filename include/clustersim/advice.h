// What someone who has bought such machines before would say of a scenario, before any money is spent.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

struct Advice {
  std::string rule;     // "memory", "loader cores", "power supply", ...
  std::string finding;  // what is so, with the numbers
  std::string remedy;   // what to change
  std::string gain;     // what the change brings, by simulation; "" where nothing can be run
  std::string source;   // whose rule it is
};

// sim/advice: the selection checklist of two buying guides as rules; only what applies, in the checklist's order. A
// rule whose change can be simulated is silent where the change brings less than 2 % of the step or of the first epoch.
std::vector<Advice> advise(const Scenario& scenario);

}  // namespace clustersim
