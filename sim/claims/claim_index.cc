#include "sim/claims/claim_index.h"

#include <cmath>

#include "clustersim/clustersim.h"
#include "sim/read/json_reader.h"

namespace clustersim {
namespace {

constexpr Choice<int> kGuides[] = {{"long", 0, "the long guide"}, {"short", 1, "the short guide"}};

void visit_claimed(FieldVisitor& v, Claimed& claimed) {
  v.object({.name = "claimed", .meaning = "what the guide says of the value"}, [&](FieldVisitor& in) {
    in.key({.name = "about", .meaning = "the number said"}, claimed.about);
    in.key({.name = "within", .meaning = "share of it that a value may be off", .min = 0, .max = 1}, claimed.within);
    in.key({.name = "at_least", .meaning = "least value that bears the claim out"}, claimed.at_least);
    in.key({.name = "at_most", .meaning = "greatest value that bears the claim out"}, claimed.at_most);
  });
}

void visit_run(FieldVisitor& v, ClaimRun& run) {
  v.key({.name = "name", .meaning = "how expressions name it", .required = true}, run.name);
  v.key({.name = "scenario", .meaning = "a file beside this one", .required = true}, run.scenario);
  run.set = v.texts({.name = "set", .meaning = "changes to the scenario, by JSON pointer"});
  v.object({.name = "collective", .meaning = "a collective in place of the job"}, [&](FieldVisitor& in) {
    Bytes size;
    in.key({.name = "operation", .meaning = "such as all_reduce", .required = true}, run.operation);
    in.key({.name = "size", .meaning = "of the message", .required = true, .min = 1}, size);
    in.key({.name = "ranks", .meaning = "GPUs that take part", .min = 2}, run.ranks);
    in.key({.name = "algorithm", .meaning = "auto, ring, naive_tree, ..."}, run.algorithm);
    run.bytes = size.base();
  });
}

void visit_condition(FieldVisitor& v, ClaimCondition& condition) {
  v.key({.name = "when", .meaning = "the conditions in words", .required = true}, condition.when);
  condition.set = v.texts({.name = "set", .meaning = "changes to the scenario of every run"});
  condition.let = v.texts({.name = "let", .meaning = "names for expressions"});
  v.key({.name = "value", .meaning = "an expression in place of the claim's"}, condition.value);
  v.key({.name = "unit", .meaning = "of that expression"}, condition.unit);
  visit_claimed(v, condition.claimed);
}

void visit_claim(FieldVisitor& v, ClaimEntry& claim) {
  claim.pointer = v.pointer();
  int guide = 0;
  v.key({.name = "number", .meaning = "of the claim", .required = true, .min = 1}, claim.number);
  v.choice({.name = "guide", .meaning = "where it stands", .required = true}, kGuides, guide);
  claim.guide = kGuides[guide].name;
  v.key({.name = "claim", .meaning = "in our words", .required = true}, claim.claim);
  v.key({.name = "because", .meaning = "the physics behind the verdict"}, claim.because);
  const bool runnable = !v.given("no_model");
  v.key({.name = "no_model", .meaning = "why nothing is run"}, claim.no_model);
  v.key({.name = "measured", .meaning = "what the value is", .required = runnable}, claim.measured);
  v.key({.name = "unit", .meaning = "of the value", .required = runnable}, claim.unit);
  v.key({.name = "value", .meaning = "an expression over the runs", .required = runnable}, claim.value);
  claim.let = v.texts({.name = "let", .meaning = "names for expressions"});
  visit_claimed(v, claim.claimed);
  v.list({.name = "runs", .meaning = "what is run"},
         [&](FieldVisitor& in) { visit_run(in, claim.runs.emplace_back()); });
  v.list({.name = "conditions", .meaning = "under which it is tried", .required = runnable},
         [&](FieldVisitor& in) { visit_condition(in, claim.conditions.emplace_back()); });
}

void check_claims(const std::vector<ClaimEntry>& claims, const std::string& path, std::vector<Problem>& problems) {
  int last = 0;
  for (const ClaimEntry& claim : claims) {
    if (claim.number <= last)
      problems.push_back({path, claim.pointer + "/number", "a number above " + std::to_string(last),
                          std::to_string(claim.number), "claims stand in order"});
    last = claim.number;
    for (std::size_t i = 0; i < claim.conditions.size(); ++i)
      if (!claim.claimed.given() && !claim.conditions[i].claimed.given())
        problems.push_back({path, claim.pointer + "/conditions/" + std::to_string(i),
                            "\"claimed\" here or in the claim", "neither", ""});
  }
}

}  // namespace

bool Claimed::holds(double value) const {
  if (about && std::abs(value - *about) > within * std::abs(*about)) return false;
  if (at_least && value < *at_least) return false;
  return !at_most || value <= *at_most;
}

std::vector<ClaimEntry> read_claims(const std::string& path) {
  std::vector<Problem> problems;
  const JsonValue document = load_json(path, problems);
  std::vector<ClaimEntry> claims;
  if (problems.empty()) {
    JsonReader reader(document, path, problems);
    reader.read([&](FieldVisitor& v) {
      v.skip("about");
      v.list({.name = "claims", .meaning = "in the order of their numbers", .required = true},
             [&](FieldVisitor& in) { visit_claim(in, claims.emplace_back()); });
    });
    check_claims(claims, path, problems);
  }
  if (!problems.empty()) throw InputError(problems);
  return claims;
}

}  // namespace clustersim
