// MLPerf training logs to one measured row, as in measurements/mlperf_training.csv.
//
// Lines with ":::MLLOG {...}" anywhere in them (from v0.7), ":::MLL time key: {...}" and ":::MLPv0.5.0 name time
// (file:line) key: value" (v0.5, v0.6); other lines and text around are ignored. JSON files of a system description
// (number_of_nodes, accelerators_per_node, ...) may be given beside them.
// A run goes from its first run_start to its first run_stop with success; several ranks of one log say the same. Files
// whose runs start and stop within a minute of each other are ranks of one run. Score: mean of the runs without the
// best and the worst, of three or more; a run without success counts as the worst.
// Files of another kind of result (measured_rows.h) become rows of theirs.
// Source: MLPerf training rules and logging specification of MLCommons.
// Checked by: tests/sim/import_mllog_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

Imported import_mllog(const std::vector<std::string>& paths);

}  // namespace clustersim
