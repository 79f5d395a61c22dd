// The guides' claims with their verdicts, in each format.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 96;
constexpr int indent = 4;
constexpr int amount_width = 18;
constexpr const char* verdicts[] = {"reproduced", "bounded", "refuted", "no model"};

std::string amount(double value, const std::string& unit) {
  char small[40];
  std::snprintf(small, sizeof small, "%.2g", value);
  return (std::abs(value) < 1e-3 ? small : readable(value, "")) + (unit == "1" ? "" : " " + unit);
}

// The first line of the folded text begins with `head`, the others are set under its end.
std::string hanging(const std::string& head, const std::string& text) {
  const int columns = static_cast<int>(head.size());
  std::string lines = folded(text, columns, width);
  return head + lines.substr(head.size());
}

std::string claim_block(const Claim& claim) {
  const std::string number = std::to_string(claim.number);
  std::string text = hanging(left(number, indent), claim.verdict + ": " + claim.claim);
  const std::string margin(indent, ' ');
  if (!claim.measured.empty())
    text += hanging(margin, claim.measured + (claim.claimed.empty() ? "" : "; claimed " + claim.claimed));
  for (const ClaimCase& c : claim.cases) {
    const std::string head = margin + (c.holds ? "yes" : "no ") + right(amount(c.value, c.unit), amount_width) + "  ";
    text += hanging(head, c.when + (c.claimed.empty() ? "" : " (claimed " + c.claimed + ")"));
  }
  if (!claim.because.empty()) text += hanging(margin, claim.because);
  return text;
}

std::size_t count_of(const Claims& claims, const std::string& verdict) {
  return static_cast<std::size_t>(
      std::count_if(claims.claims.begin(), claims.claims.end(), [&](const Claim& c) { return c.verdict == verdict; }));
}

}  // namespace

std::string claims_as_table(const Claims& claims) {
  std::string text;
  for (const Claim& claim : claims.claims) text += claim_block(claim) + "\n";
  for (const char* verdict : verdicts) {
    const std::size_t count = count_of(claims, verdict);
    text += left(verdict, 12) + right(std::to_string(count), 4) + "\n";
  }
  return text + hanging("",
                        "reproduced: in every case tried; bounded: in some; refuted: in none; no model: nothing of "
                        "it is simulated");
}

std::string claims_as_json(const Claims& claims) {
  Json json;
  json["claims"] = Json::array();
  for (const Claim& claim : claims.claims) {
    Json entry = {{"number", claim.number}, {"guide", claim.guide}, {"claim", claim.claim}, {"verdict", claim.verdict}};
    if (!claim.cases.empty()) {
      entry["measured"] = claim.measured;
      entry["unit"] = claim.unit;
      entry["claimed"] = claim.claimed;
      entry["condition"] = claim.condition;
      entry["cases"] = Json::array();
      for (const ClaimCase& c : claim.cases) {
        entry["cases"].push_back({{"when", c.when}, {"value", c.value}, {"unit", c.unit}, {"holds", c.holds}});
        if (!c.claimed.empty()) entry["cases"].back()["claimed"] = c.claimed;
      }
    }
    entry["because"] = claim.because;
    json["claims"].push_back(std::move(entry));
  }
  json["summary"] = Json::object();
  for (const char* verdict : verdicts) json["summary"][verdict] = count_of(claims, verdict);
  return json.dump(2) + "\n";
}

}  // namespace clustersim
