// Other results than MLPerf training logs that `import mllog` turns into rows of measurements (CSV).
// Checked by: tests/sim/import_rows_test.cc, tests/sim/import_fuzz_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

// MLPerf Storage (storage_summary.cc): a row a file.
bool is_storage_summary(const std::string& text);
Imported import_storage_summaries(const std::vector<std::string>& paths);

// Tables of step times in a training diary in Markdown (step_tables.cc): a row a line of a table.
bool is_step_table(const std::string& text);
Imported import_step_tables(const std::vector<std::string>& paths);

}  // namespace clustersim
