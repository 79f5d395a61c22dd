// Tries one machine in rising counts.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/machines.h"

namespace clustersim {

struct MachineTried {
  std::vector<PlanOffer> offers;  // one for each count that ran
  int runs = 0;
  std::string why_not;            // where nothing ran
  std::vector<Problem> problems;  // of the job on this machine
};

struct SearchBounds {
  bool time = true, money = true;  // off: what cannot win runs too
};

MachineTried try_machine(const Question& question, const MachineChoice& machine, const Catalog& catalog,
                         const SearchBounds& bounds);

// Counts that are tried: all up to 8, then four between one power of two and the next.
std::vector<int> counts_up_to(int most);

}  // namespace clustersim
