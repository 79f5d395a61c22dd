// What a file of ours says it is, by the key of its version; so that one given to the wrong command is told the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clustersim/error.h"
#include "sim/read/json_value.h"

namespace clustersim {

enum class FileKind : std::uint8_t { scenario, study, question, calibration, topology };

// True where the document is of another kind than `wanted`, and then one Problem: what it is and what reads it.
// A document that says no kind, or several, is taken as wanted.
bool is_another_kind(const JsonValue& document, FileKind wanted, const std::string& file,
                     std::vector<Problem>& problems);

}  // namespace clustersim
