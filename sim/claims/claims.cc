// `clustersim claims`: each claim of the guides under conditions that we name, computed from runs.
//
// A case holds where the value lies where the claim says. The verdict follows from the cases alone:
//   reproduced  every case holds;   bounded  some do;   refuted  none does;   no model  nothing could be run
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "clustersim/clustersim.h"
#include "sim/claims/claim_expression.h"
#include "sim/claims/claim_index.h"
#include "sim/claims/claim_values.h"

namespace clustersim {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) >= 1000 && std::abs(value) < 1e7 ? "%.0f" : "%.3g", value);
  return text;
}

std::string with_unit(const std::string& amount, const std::string& unit) {
  return unit == "1" ? amount : amount + " " + unit;
}

std::string claimed_text(const Claimed& claimed, const std::string& unit) {
  if (claimed.about) return with_unit(number(*claimed.about), unit) + " within " + number(100 * claimed.within) + " %";
  if (claimed.at_least && claimed.at_most)
    return with_unit(number(*claimed.at_least) + " to " + number(*claimed.at_most), unit);
  return with_unit(claimed.at_least ? "at least " + number(*claimed.at_least) : "at most " + number(*claimed.at_most),
                   unit);
}

// One condition of one claim: its names, and the value that follows.
class Trial {
 public:
  Trial(const ClaimEntry& claim, const ClaimCondition& condition, ClaimValues& values)
      : claim_(claim), condition_(condition), values_(values) {}

  double value() { return evaluated(condition_.value.empty() ? claim_.value : condition_.value); }

 private:
  static constexpr int deepest = 20;  // names that stand for names

  double evaluated(const std::string& expression) {
    return evaluate(expression, [&](const std::string& name) { return named(name); });
  }

  double named(const std::string& name) {
    const std::size_t point = name.find('.');
    if (point != std::string::npos) return of_run(name.substr(0, point), name.substr(point + 1));
    for (const Texts* texts : {&condition_.let, &claim_.let})
      for (const auto& [given, expression] : *texts) {
        if (given != name) continue;
        if (++depth_ > deepest) throw ExpressionError("\"" + name + "\" without a circle");
        const double value = evaluated(expression);
        --depth_;
        return value;
      }
    throw ExpressionError("a name that \"let\" gives, in place of \"" + name + "\"");
  }

  double of_run(const std::string& run_name, const std::string& value) {
    const auto run =
        std::find_if(claim_.runs.begin(), claim_.runs.end(), [&](const ClaimRun& r) { return r.name == run_name; });
    if (run == claim_.runs.end()) throw ExpressionError("a run of this claim, in place of \"" + run_name + "\"");
    std::vector<Override> overrides = condition_.set;
    overrides.insert(overrides.end(), run->set.begin(), run->set.end());
    const auto found = values_.get(*run, overrides, value);
    if (!found) throw ExpressionError("a value that the run \"" + run_name + "\" has, in place of \"" + value + "\"");
    return *found;
  }

  const ClaimEntry& claim_;
  const ClaimCondition& condition_;
  ClaimValues& values_;
  int depth_ = 0;
};

std::string verdict_of(const std::vector<ClaimCase>& cases) {
  const auto holding = std::count_if(cases.begin(), cases.end(), [](const ClaimCase& c) { return c.holds; });
  if (holding == 0) return "refuted";
  return holding == static_cast<std::ptrdiff_t>(cases.size()) ? "reproduced" : "bounded";
}

std::string joined(const std::vector<ClaimCase>& cases, bool holds) {
  std::string text;
  for (const ClaimCase& c : cases)
    if (c.holds == holds) text += (text.empty() ? "" : "; ") + c.when;
  return text;
}

std::string condition_of(const Claim& claim) {
  if (claim.verdict == "refuted") return "in none of the cases tried";
  const std::string holds = "holds: " + joined(claim.cases, true);
  return claim.verdict == "bounded" ? holds + ". Does not: " + joined(claim.cases, false) : holds;
}

Claim try_claim(const ClaimEntry& entry, ClaimValues& values, const std::string& index,
                std::vector<Problem>& problems) {
  Claim claim;
  claim.number = entry.number;
  claim.guide = entry.guide;
  claim.claim = entry.claim;
  if (!entry.no_model.empty()) {
    claim.verdict = "no model";
    claim.because = entry.no_model;
    return claim;
  }
  claim.measured = entry.measured;
  claim.unit = entry.unit;
  claim.because = entry.because;
  if (entry.claimed.given()) claim.claimed = claimed_text(entry.claimed, entry.unit);
  for (std::size_t i = 0; i < entry.conditions.size(); ++i) {
    const ClaimCondition& condition = entry.conditions[i];
    const std::string pointer = entry.pointer + "/conditions/" + std::to_string(i);
    try {
      const Claimed& claimed = condition.claimed.given() ? condition.claimed : entry.claimed;
      const double value = Trial(entry, condition, values).value();
      if (!std::isfinite(value)) throw ExpressionError("a value that is finite");
      const std::string unit = condition.unit.empty() ? entry.unit : condition.unit;
      claim.cases.push_back({condition.when, value, unit,
                             condition.claimed.given() ? claimed_text(condition.claimed, unit) : "",
                             claimed.holds(value)});
    } catch (const ExpressionError& error) {
      problems.push_back({index, pointer, error.what(), condition.when, ""});
    } catch (const InputError& error) {
      for (Problem problem : error.problems()) {
        problem.hint = "of claim " + std::to_string(entry.number) + ", " + condition.when;
        problems.push_back(problem);
      }
    }
  }
  claim.verdict = verdict_of(claim.cases);
  claim.condition = condition_of(claim);
  return claim;
}

}  // namespace

Claims claims(const std::string& index) {
  const std::string path = index.empty() ? data_directory() + "/claims/claims.json" : index;
  ClaimValues values(std::filesystem::path(path).parent_path().string());
  std::vector<Problem> problems;
  Claims result;
  for (const ClaimEntry& entry : read_claims(path)) result.claims.push_back(try_claim(entry, values, path, problems));
  if (!problems.empty()) throw InputError(problems);
  return result;
}

}  // namespace clustersim
