// How far off a prediction like this one has been: from the published rows that are most like the scenario.
//
// Like means: the same kind of network, GPU design (a100, h100), stack and precision; where fewer than three rows are,
// any stack; where again fewer, any GPU of the architecture. Else nothing published is like it.
// The table is data, scenarios/measurements/expected_error.csv, written by
// `clustersim validate --suite training --write-expected FILE`.
// Checked by: tests/sim/expected_error_test.cc
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/report.h"
#include "clustersim/scenario.h"

namespace clustersim {

struct ValidationRow;

std::optional<ExpectedError> expected_error(const Scenario& scenario);

// The published rows that the expected error is of, predicted now; empty where none is like the scenario.
std::vector<ValidationRow> published_rows_like(const Scenario& scenario);

// The design of a GPU, whatever its memory and slot: "a100" of "a100-pcie-40gb", "rtx-3090" of itself.
std::string gpu_design(const std::string& gpu_id);

}  // namespace clustersim
