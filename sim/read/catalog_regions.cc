// Regions whose electricity's carbon the catalog knows.
#include <map>

#include "sim/read/catalog.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/json_value.h"

namespace clustersim {
namespace {

std::string in_small(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

CarbonIntensity Catalog::carbon(const std::string& region, const Asked& by) const {
  const std::string prefix = "carbon-";
  if (!has("economics", prefix + region)) {
    std::vector<std::string> regions;
    std::map<std::string, std::string> by_name;  // "france" -> "FRA"
    std::vector<std::string> names;
    for (const auto& id : ids("economics")) {
      if (!id.starts_with(prefix)) continue;
      regions.push_back(id.substr(prefix.size()));
      const auto grid = document("economics", id);
      const JsonValue* name = grid ? grid->find("region") : nullptr;
      if (name == nullptr) continue;
      names.push_back(in_small(name->text));
      by_name[names.back()] = regions.back();
    }
    std::string hint = did_you_mean(region, regions);
    const std::string named =
        by_name.count(in_small(region)) ? in_small(region) : nearest_word(in_small(region), names);
    if (!named.empty() && region.size() > 3) hint = "did you mean \"" + by_name.at(named) + "\", " + named + "?";
    hint += hint.empty() ? "known: " : "; known: ";
    for (const auto& known : regions) hint += known == regions.front() ? known : ", " + known;
    by.problems.push_back({by.file, by.pointer, "a region whose grid is known", "\"" + region + "\"", hint});
    return {};
  }
  const auto value = quantity("economics", prefix + region, "carbon", Dimension::carbon_intensity, by);
  return CarbonIntensity::from_base(value.value_or(0.0));
}

}  // namespace clustersim
