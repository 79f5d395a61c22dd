// The numbers that a claim's expressions may name: what a run reports, what a collective takes, and what is known of
// the hardware before any run ("gpu_memory", "storage_read": the table in claim_values.cc).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clustersim/clustersim.h"
#include "sim/claims/claim_index.h"

namespace clustersim {

// Remembers what it has run: many claims look at the same run.
class ClaimValues {
 public:
  explicit ClaimValues(std::string folder) : folder_(std::move(folder)) {}

  // Empty where the run has no such value. InputError where the scenario is at fault.
  std::optional<double> get(const ClaimRun& run, const std::vector<Override>& overrides, const std::string& value);

 private:
  const Scenario& scenario_of(const std::string& key, const ClaimRun& run, const std::vector<Override>& overrides);

  std::string folder_;
  std::map<std::string, Scenario> scenarios_;
  std::map<std::string, std::map<std::string, double>> results_;
};

}  // namespace clustersim
