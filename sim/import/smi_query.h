// `nvidia-smi --query-gpu=... --format=csv`: name, memory, slot, power limit and clocks of each GPU.
//
// Columns are found by name, in any order, with the units in the header, in each value, or in both; "[N/A]" and other
// words are unknown. Without a header (noheader) the command that was pasted along names the columns. Samples of one
// GPU (a loop, or idle and loaded) are one GPU. The slot is
//   generation = the lowest of what GPU, host and both together can do; never the current one, which sleeps when idle
//   lanes      = the widest seen in use, since that is what the slot gives
// A GPU that does not answer ("[GPU is lost]", "[Unknown Error]", "ERR!") stays one of the node's, and is told.
// Checked by: tests/sim/import_smi_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the lines hold no such table.
std::optional<NodeFacts> read_smi_query(const std::vector<std::string>& lines, const std::string& path);

// 81559 MiB of "81559 MiB", or of "81559" where the header says [MiB]: in base units (bytes, W, Hz); empty if it is
// no number.
std::optional<double> smi_quantity(const std::string& value, const std::string& header_unit);

// What the driver prints in a value's place where the GPU does not answer: "[GPU is lost]", "Unknown Error", "ERR!".
bool smi_error(const std::string& value);

// The warning about GPUs that do not answer: `which` numbers them, `word` is what was printed. Empty without any.
std::vector<std::string> smi_lost(const std::vector<int>& which, const std::string& word);

}  // namespace clustersim
