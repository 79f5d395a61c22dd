// The machines of the catalog that a question may be answered with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/plan/question.h"

namespace clustersim {

struct MachineChoice {
  std::string id;
  bool rented = false;
  bool clusters = false;       // more than one of it can work together
  bool guessed_price = false;  // rented: the tariff is a recollection, or disputed
  bool own_cards = false;      // owned: its cards are of its own, and others can take their place
  int cards = 0;               // owned: of the network that training uses
  std::string card;            // owned: the kind of the first of them
  std::string price_date;
  JsonValue scenario;  // of one machine
};

// By id, instances after servers. Those that do not come into question are named with the reason.
std::vector<MachineChoice> machine_choices(const Question& question, const Catalog& catalog,
                                           std::vector<std::pair<std::string, std::string>>& left_out);

}  // namespace clustersim
