#include "sim/import/device_properties.h"

#include "sim/import/measurement_text.h"

namespace clustersim {

std::optional<NodeFacts> read_device_properties(const std::string& beginning) {
  const std::size_t key = beginning.find("\"deviceProperties\"");
  if (key == std::string::npos || beginning.find_first_not_of(" \t\r\n") != beginning.find('{')) return std::nullopt;
  const std::size_t open = beginning.find('[', key), close = beginning.find(']', key);
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  NodeFacts facts;
  facts.format = "GPUs that a PyTorch profiler's trace lists";
  for (const FoundJson& found : json_documents(beginning.substr(open, close - open))) {
    NodePart part;
    part.kind = PartKind::gpu;
    part.name = text_at(found.value, "name").substr(0, 100);
    if (part.name.empty()) continue;
    constexpr double most_bytes = 1e15;
    const auto whole = [&](const char* name, double most) -> std::optional<int> {
      const auto number = number_at(found.value, name);
      if (!number || *number < 0 || *number > most) return std::nullopt;
      return static_cast<int>(*number);
    };
    part.number = whole("id", 4096);
    if (const auto bytes = number_at(found.value, "totalGlobalMem"); bytes && *bytes > 0 && *bytes < most_bytes)
      part.memory_bytes = bytes;
    const auto major = whole("computeMajor", 99), minor = whole("computeMinor", 9);
    if (major && minor) part.capability = 10 * *major + *minor;
    facts.parts.push_back(std::move(part));
  }
  if (facts.parts.empty()) return std::nullopt;
  facts.remarks.push_back("GPUs that the profiled process saw: a node may have more");
  return facts;
}

}  // namespace clustersim
