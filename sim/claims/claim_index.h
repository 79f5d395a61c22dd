// The list of claims as its file gives it: what is run, what is computed from it, and what the guide says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clustersim {

using Texts = std::vector<std::pair<std::string, std::string>>;  // in the order of the file

// What a claim says, one of: about (within a share of it), at_least and/or at_most.
struct Claimed {
  std::optional<double> about, at_least, at_most;
  double within = 0.2;  // of `about`
  bool given() const { return about || at_least || at_most; }
  bool holds(double value) const;
};

// One thing that is run or read. Its values are named NAME.VALUE in expressions.
struct ClaimRun {
  std::string name;
  std::string scenario;  // file beside the list
  Texts set;             // JSON pointer -> value, as --set takes it; after those of the condition
  // A collective in place of the job, where `operation` is given.
  std::string operation, algorithm = "auto";
  double bytes = 0;
  std::optional<int> ranks;
};

struct ClaimCondition {
  std::string when;
  Texts set;                // on every run
  Texts let;                // replaces the claim's
  std::string value, unit;  // in place of the claim's
  Claimed claimed;
};

struct ClaimEntry {
  int number = 0;
  std::string guide, claim;
  std::string no_model;  // why; then nothing below is given
  std::string measured, unit;
  std::string value;  // an expression, see claim_expression.h
  Claimed claimed;
  Texts let;  // name -> expression
  std::vector<ClaimRun> runs;
  std::vector<ClaimCondition> conditions;
  std::string because;
  std::string pointer;  // in the file
};

// InputError with every fault of the file.
std::vector<ClaimEntry> read_claims(const std::string& path);

}  // namespace clustersim
