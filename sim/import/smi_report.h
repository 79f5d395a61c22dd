// The reports of nvidia-smi for people: `-q` (indented "Key : Value", as text or as XML with -x), `nvlink -s` and `-L`.
//
// Values of -q are found by the headings above them, since keys repeat ("Max", "Current", "Total"). Slots as in
// smi_query.h. Lists of GPUs in reports of an environment ("GPU 0,1: NVIDIA L4") are read as -L is. Of nvlink -s the
// links that are up are counted; their rate is the line's, of which 25/26.562 is usable. Checked by:
// tests/sim/import_smi_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/import/node_facts.h"

namespace clustersim {

// Empty where the lines hold no such report.
std::optional<NodeFacts> read_smi_report(const std::vector<std::string>& lines, const std::string& path);
std::optional<NodeFacts> read_smi_links(const std::vector<std::string>& lines, const std::string& path);
// The table that nvidia-smi prints without options (smi_table.cc).
std::optional<NodeFacts> read_smi_table(const std::vector<std::string>& lines, const std::string& path);

bool is_smi_xml(const std::string& text);
NodeFacts read_smi_xml(const std::string& text, const std::string& path);

}  // namespace clustersim
