// How often instances of a provider are taken back, as the catalog has it.
#pragma once

#include <optional>
#include <string>

#include "clustersim/hardware.h"
#include "clustersim/range.h"
#include "sim/read/read_context.h"

namespace clustersim {

struct KnownSpotRate {
  std::string id;  // of the catalog's economics
  RangeOf<Frequency> interruptions;
  std::string date;  // "" where none is given
  std::string text;  // "5 to 10 % a month"
};

// Of the instance's family, else of its provider; empty where neither is known. Guesses become assumptions.
std::optional<KnownSpotRate> spot_rate(ReadContext& context, const CloudSpec& cloud);

}  // namespace clustersim
