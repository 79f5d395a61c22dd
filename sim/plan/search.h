// Tries one machine in rising counts, with each network and each batch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/plan/machines.h"

namespace clustersim {

struct MachineTried {
  std::vector<PlanOffer> offers;  // one for each count and network that ran, in its fastest batch
  int runs = 0;
  std::map<std::string, std::size_t> pruned;  // variants that did not run, by the bound that left them out
  std::string why_not;                        // where nothing ran
  std::vector<Problem> problems;              // of the job on this machine
};

struct SearchBounds {
  bool time = true, money = true;  // off: what cannot keep the deadline, or the budget, runs too
  bool dearer = true;              // off: what is dearer than a variant of the same machines that is in time, too
};

MachineTried try_machine(const Question& question, const MachineChoice& machine, const Catalog& catalog,
                         const SearchBounds& bounds);

// Counts that are tried: all up to 8, then four between one power of two and the next.
std::vector<int> counts_up_to(int most);

}  // namespace clustersim
