#include "sim/collective_correction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "models/fabric/build_fabric.h"
#include "models/workload/operator_kind.h"
#include "sim/engine/topology.h"

namespace clustersim {
namespace {

constexpr std::size_t few_sizes = 6;
constexpr double most_of_few = 0.15;  // residual of one of them

// A planner of a cluster with what it leans on.
class Bench {
 public:
  explicit Bench(Cluster cluster)
      : cluster_(std::move(cluster)),
        fabric_(build_fabric(cluster_)),
        routes_(fabric_),
        planner_(cluster_, fabric_, routes_) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  const CollectivePlanner& planner() const { return planner_; }

 private:
  Cluster cluster_;
  FabricPlan fabric_;
  Topology routes_;
  CollectivePlanner planner_;
};

struct ModelledPoint {
  TimedSize measured;
  std::vector<PlanTerms> algorithms;
};

ModelledSize with(const TimedSize& measured, const PlanTerms& terms) {
  return {measured.bytes, measured.seconds, terms.small_s, terms.fill_s, terms.knee_bytes, terms.bound_s};
}

const PlanTerms& fastest(const ModelledPoint& point, const CollectiveFactors& factors) {
  const auto seconds = [&](const PlanTerms& t) { return seconds_of(with(point.measured, t), factors); };
  return *std::min_element(point.algorithms.begin(), point.algorithms.end(),
                           [&](const PlanTerms& a, const PlanTerms& b) { return seconds(a) < seconds(b); });
}

std::string percent(double share) { return number_text(std::round(share * 1000) / 10) + " %"; }
std::string times(double factor) { return "x " + number_text(std::round(factor * 100) / 100); }

std::string factors_text(const CollectiveCorrection& c) {
  return "latency " + times(c.small) + ", fill " + times(c.fill) + ", rate " + times(c.rate) + " of " + c.limit;
}

// Of one entry: complete factors, or nothing.
std::optional<CollectiveCorrection> given_factors(const CollectiveKeys& keys) {
  if (!keys.small || !keys.rate || !keys.limit) return std::nullopt;
  CollectiveCorrection c;
  c.op = *keys.op;
  c.between_nodes = keys.nodes.value_or(1) > 1;
  c.small = *keys.small;
  c.fill = keys.fill.value_or(*keys.small);
  c.knee = keys.knee.value_or(1);
  c.rate = *keys.rate;
  c.limit = *keys.limit;
  c.from = keys.from.value_or(Bytes());
  c.to = keys.to.value_or(bytes(0));
  return c;
}

bool sound(ReadContext& context, const CollectiveKeys& keys) {
  if (!keys.op || !keys.ranks) return false;  // told already
  const int nodes = keys.nodes.value_or(1);
  const std::size_t before = context.lookup.problems.size();
  if (*keys.ranks % nodes != 0)
    context.fault(keys.pointer + "/ranks", "a multiple of nodes", std::to_string(*keys.ranks),
                  "equally many GPUs of each node");
  std::string known;
  bool found = !keys.limit;
  for (const LinkKind kind : collective_links) {
    known += (known.empty() ? "" : ", ") + std::string(to_string(kind));
    found = found || *keys.limit == to_string(kind);
  }
  if (!found) context.fault(keys.pointer + "/limit", "one of: " + known, "\"" + *keys.limit + "\"");
  const bool factors = keys.small || keys.fill || keys.knee || keys.rate || keys.limit;
  if (factors && !(keys.small && keys.rate && keys.limit))
    context.fault(keys.pointer, "small, rate and limit together, or points", "some of them");
  else if (!factors && keys.points.size() < 2)
    context.fault(keys.pointer + "/points", "two or more sizes with their times, or factors",
                  std::to_string(keys.points.size()));
  return context.lookup.problems.size() == before;
}

// That what was measured on so many nodes, or GPUs of a node, is taken for another number of them.
std::string elsewhere(const std::vector<MeasuredSweep>& sweeps, const Cluster& cluster) {
  const bool between = sweeps.front().nodes > 1;
  const int here = between ? cluster.nodes() : cluster.groups.front().node.gpus;
  std::string measured;
  for (const MeasuredSweep& sweep : sweeps) {
    const int there = between ? sweep.nodes : sweep.ranks;
    if (there == here) return "";
    measured += (measured.empty() ? "" : ", ") + std::to_string(there);
  }
  return "; measured on " + measured + (between ? " nodes" : " GPUs") + ", taken for " + std::to_string(here) +
         " alike";
}

MeasuredSweep sweep_of(const CollectiveKeys& keys) {
  MeasuredSweep sweep{*keys.op, keys.nodes.value_or(1), *keys.ranks, {}};
  for (const CollectiveKeys::Point& p : keys.points)
    if (p.size && p.time) sweep.points.push_back({p.size->base(), p.time->base()});
  return sweep;
}

}  // namespace

std::optional<FittedCorrection> fit_correction(const Cluster& cluster, const std::vector<MeasuredSweep>& sweeps) {
  Cluster plain = cluster;
  plain.corrections.clear();
  const Bench bench(plain);
  std::vector<ModelledPoint> points;
  std::vector<std::pair<int, int>> parties;  // nodes, ranks of each point
  for (const MeasuredSweep& sweep : sweeps)
    for (const TimedSize& measured : sweep.points) {
      std::vector<PlanTerms> terms = bench.planner().terms(sweep.op, measured.bytes, sweep.nodes, sweep.ranks);
      if (terms.empty()) continue;
      points.push_back({measured, std::move(terms)});
      parties.emplace_back(sweep.nodes, sweep.ranks);
    }
  if (points.size() < 2) return std::nullopt;
  std::vector<std::vector<ModelledSize>> rows;
  for (const ModelledPoint& point : points) {
    rows.emplace_back();
    for (const PlanTerms& terms : point.algorithms) rows.back().push_back(with(point.measured, terms));
  }
  const auto fit = fit_factors(rows);
  if (!fit) return std::nullopt;
  const CollectiveFactors factors = fit->factors;
  const auto largest = std::max_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.measured.bytes < b.measured.bytes; });
  const auto smallest = std::min_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.measured.bytes < b.measured.bytes; });
  FittedCorrection fitted;
  CollectiveCorrection& c = fitted.correction;
  c = {sweeps.front().op,
       sweeps.front().nodes > 1,
       factors.small,
       factors.fill,
       factors.knee,
       factors.rate,
       fastest(*largest, factors).limit,
       bytes(smallest->measured.bytes),
       bytes(largest->measured.bytes)};
  Cluster corrected = plain;
  corrected.corrections = {c};
  const Bench check(corrected);
  std::vector<double> at, measured, modelled;
  for (std::size_t i = 0; i < points.size(); ++i) {
    at.push_back(points[i].measured.bytes);
    measured.push_back(points[i].measured.seconds);
    modelled.push_back(check.planner().idle_seconds(c.op, at.back(), parties[i].first, parties[i].second));
  }
  fitted.quality = quality_of(at, measured, modelled);
  const bool few = std::set<double>(at.begin(), at.end()).size() < few_sizes;
  if (few && (far_from_model(factors) || fitted.quality.worst_residual > most_of_few))
    fitted.doubt =
        "so few sizes, so far from what the model gives, mislead at others more often than not: measure a "
        "whole sweep (-b 8 -e 4G -f 2)";
  return fitted;
}

void correct_collectives(ReadContext& context, const std::vector<CollectiveKeys>& keys, Cluster& cluster) {
  std::map<std::pair<CollectiveOp, bool>, std::vector<MeasuredSweep>> sweeps;
  std::map<std::pair<CollectiveOp, bool>, std::string> pointers;
  for (const CollectiveKeys& entry : keys) {
    if (!sound(context, entry)) continue;
    const std::pair<CollectiveOp, bool> of{*entry.op, entry.nodes.value_or(1) > 1};
    if (const auto given = given_factors(entry)) {
      const bool again = std::any_of(cluster.corrections.begin(), cluster.corrections.end(),
                                     [&](const auto& c) { return c.op == of.first && c.between_nodes == of.second; });
      if (again) {
        context.fault(entry.pointer, "factors once for an operation inside nodes and once between them", "twice");
        continue;
      }
      cluster.corrections.push_back(*given);
      context.remark(entry.pointer, to_string(of.first), "corrected by measurement: " + factors_text(*given));
      continue;
    }
    sweeps[of].push_back(sweep_of(entry));
    pointers[of] = entry.pointer;
  }
  for (const auto& [of, list] : sweeps) {
    const bool again = std::any_of(cluster.corrections.begin(), cluster.corrections.end(),
                                   [&](const auto& c) { return c.op == of.first && c.between_nodes == of.second; });
    if (again) continue;  // factors were given
    const auto fitted = fit_correction(cluster, list);
    const std::string what = std::string(to_string(of.first)) + (of.second ? " between nodes" : " inside a node");
    if (!fitted) {
      context.remark(pointers[of], what,
                     "not used: this cluster's nodes cannot have run it, or its times fit no such cluster");
      continue;
    }
    cluster.corrections.push_back(fitted->correction);
    context.remark(pointers[of], what,
                   "corrected by measurement: " + factors_text(fitted->correction) + "; " +
                       std::to_string(fitted->quality.rows) + " sizes met within " +
                       percent(fitted->quality.median_residual) + " (median), " +
                       percent(fitted->quality.worst_residual) + " (worst)" + elsewhere(list, cluster) +
                       (fitted->doubt.empty() ? "" : "; " + fitted->doubt));
  }
}

}  // namespace clustersim
