// One entry of an MLPerf log, of any version.
#pragma once

#include <optional>
#include <string>

#include "sim/read/json_value.h"

namespace clustersim {

struct MlLogEntry {
  std::string key;
  double time_ms = -1;  // -1: not told
  JsonValue value, metadata;
};

// What a line says, nothing where it has no marker or no key.
std::optional<MlLogEntry> mllog_entry(const std::string& line);

}  // namespace clustersim
