#include "sim/read/spot_rates.h"

#include <algorithm>

#include "models/outcome/spot.h"
#include "sim/read/json_value.h"

namespace clustersim {

namespace {

std::string text_of(const JsonValue& document, const char* key) {
  const JsonValue* found = document.find(key);
  return found ? found->text : "";
}

std::optional<double> number_of(const JsonValue& document, const char* key) {
  const JsonValue* found = document.find(key);
  if (!found || found->kind != JsonValue::Kind::number) return std::nullopt;
  return found->number;
}

// "p3/g4dn" names p3.16xlarge and g4dn.xlarge, not p3dn.24xlarge.
bool is_of_family(const std::string& families, const std::string& instance) {
  const std::string family = instance.substr(0, instance.find('.'));
  const std::string listed = "/" + families + "/";
  return listed.find("/" + family + "/") != std::string::npos;
}

std::optional<KnownSpotRate> rate_of(const JsonValue& document, const std::string& id) {
  KnownSpotRate known{id, {}, text_of(document, "date"), ""};
  const Frequency hourly = Frequency::from_base(1.0 / 3600);
  const auto month_low = number_of(document, "interruption_rate_month_low"),
             month_high = number_of(document, "interruption_rate_month_high");
  const auto low = number_of(document, "interruption_rate_per_hour_low"),
             high = number_of(document, "interruption_rate_per_hour_high"),
             typical = number_of(document, "interruption_rate_per_hour_typical");
  Frequency from, to;
  if (month_low && month_high && *month_low >= 0 && *month_high < 1) {
    from = interruption_rate(*month_low);
    to = interruption_rate(*month_high);
    known.text = number_text(100 * *month_low) + " to " + number_text(100 * *month_high) + " % taken back in a month";
  } else if (low && high) {
    from = hourly * *low;
    to = hourly * *high;
    known.text = number_text(100 * *low) + " to " + number_text(100 * *high) + " % an hour";
  } else if (typical) {
    from = to = hourly * *typical;
    known.text = number_text(100 * *typical) + " % an hour";
  } else {
    return std::nullopt;
  }
  known.interruptions = {from, (from + to) / 2, to};
  return known;
}

}  // namespace

std::optional<KnownSpotRate> spot_rate(ReadContext& context, const CloudSpec& cloud) {
  std::optional<KnownSpotRate> of_provider;
  for (const std::string& id : context.catalog().ids("economics")) {
    if (!id.starts_with("spot-")) continue;
    const auto document = context.catalog().document("economics", id);
    if (!document || text_of(*document, "provider") != cloud.provider) continue;
    const auto rate = rate_of(*document, id);
    if (!rate) continue;
    const std::string family = text_of(*document, "instance_family");
    if (!family.empty() && !is_of_family(family, cloud.instance)) continue;
    of_provider = rate;
    if (!family.empty()) break;
  }
  if (of_provider) {
    const auto document = context.catalog().document("economics", of_provider->id);
    if (const JsonValue* guessed = document->find("estimated"))
      for (const auto& [field, why] : guessed->members)
        context.estimate("economics/" + of_provider->id + "/" + field, of_provider->text, why.text);
  }
  return of_provider;
}

}  // namespace clustersim
