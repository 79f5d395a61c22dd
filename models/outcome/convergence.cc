#include "models/outcome/convergence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "clustersim/error.h"

namespace clustersim {
namespace {

struct Point {
  double batch;   // samples a step
  double amount;  // epochs (ResNet-50) or samples (BERT-large) to the target, mean of the runs
  double spread;  // standard deviation over mean
  double lr;      // base learning rate of the reference
};

// [published: mlcommons/logging, rcp_checker/training_{1.0.0,1.1.0,2.0.0}/rcps_resnet.json; epochs]
constexpr Point resnet_50_lars[] = {
    {1632, 35.0, 0.0310, 7.4},   {2048, 38.4, 0.0128, 8.5},     {3264, 35.2, 0.0213, 10.5},
    {4096, 40.0, 0.0250, 10.0},  {8192, 42.0, 0.0238, 17.0},    {13056, 45.4, 0.0146, 12.8},
    {32768, 56.0, 0.0080, 21.2}, {49152, 68.0, 0.0093, 19.405}, {58880, 79.9, 0.0104, 23.246},
    {64480, 86.1, 0.0110, 26.0}, {65536, 84.5, 0.0109, 24.699}, {67840, 85.857, 0.0074, 24.699}};

// [published: mlcommons/logging, rcp_checker/training_{1.0.0,1.1.0,2.0.0,2.1.0}/rcps_bert.json; samples of 512 tokens]
constexpr Point bert_large_lamb[] = {{256, 2552704, 0.0856, 0.00035},       {448, 2410629.565, 0.0819, 0.000425},
                                     {1536, 2777588, 0.0296, 0.002},        {3072, 2768215.2, 0.0600, 0.002},
                                     {4096, 2843443.2, 0.0410, 0.0024},     {4608, 2794752, 0.0469, 0.0035},
                                     {6144, 3321446.4, 0.0442, 0.0029293},  {6912, 3596122.4, 0.0339, 0.0029293},
                                     {8192, 4191436.8, 0.0211, 0.00288293}, {8704, 4278144, 0.0313, 0.002971656225},
                                     {12288, 4470336, 0.0198, 0.0031},      {13056, 4632576, 0.0386, 0.00319540686},
                                     {16384, 5504307.2, 0.0263, 0.0033}};

constexpr double resnet_critical_batch = 46900;  // [fitted: the points above but 2048 and 64480; rms 4.0 % over all]
constexpr double bert_critical_batch = 12700;    // [fitted: the points above, rms 6.4 %]
constexpr double kappa = 0.4;                    // [assumed: 0.3-0.5]
constexpr double grid_slack = 1e-9;              // of an interval, so that rounding does not add an evaluation

struct Reference {
  const Point* first;
  const Point* last;  // inclusive
  double critical_batch;
  bool in_epochs;
  const char* basis;
};

std::optional<Reference> reference_of(const std::string& model_id, Optimizer optimizer) {
  if (model_id == "resnet-50" && optimizer == Optimizer::lars) {
    return Reference{std::begin(resnet_50_lars), std::end(resnet_50_lars) - 1, resnet_critical_batch, true,
                     "MLPerf reference convergence points, ResNet-50 with LARS"};
  }
  if (model_id == "bert-large" && optimizer == Optimizer::lamb) {
    return Reference{std::begin(bert_large_lamb), std::end(bert_large_lamb) - 1, bert_critical_batch, false,
                     "MLPerf reference convergence points, BERT-large with LAMB"};
  }
  return std::nullopt;
}

// The table at a batch inside it; learning rates follow power laws between points, so they go by their logarithm.
Point inside(const Reference& reference, double batch) {
  const Point* upper = std::find_if(reference.first, reference.last, [&](const Point& p) { return p.batch >= batch; });
  if (upper == reference.first) return *upper;
  const Point* lower = upper - 1;
  const double share = std::log(batch / lower->batch) / std::log(upper->batch / lower->batch);
  return {batch, std::lerp(lower->amount, upper->amount, share), std::lerp(lower->spread, upper->spread, share),
          lower->lr * std::pow(upper->lr / lower->lr, share)};
}

// Outside the table by the law of the critical batch from the nearer edge.
double growth_beyond(const Reference& reference, double batch, double edge) {
  return (1 + batch / reference.critical_batch) / (1 + edge / reference.critical_batch);
}

double learning_rate(const Reference& reference, LrRule rule, double batch, double reference_lr) {
  const Point& anchor = *reference.first;
  switch (rule) {
    case LrRule::linear:
      return anchor.lr * batch / anchor.batch;
    case LrRule::sqrt:
      return anchor.lr * std::sqrt(batch / anchor.batch);
    case LrRule::reference:
      return reference_lr;
  }
  throw InternalError("a learning-rate rule is known");
}

}  // namespace

std::optional<SamplesToTarget> samples_to_target(const std::string& model_id, Optimizer optimizer, double global_batch,
                                                 LrRule rule, double samples_per_epoch) {
  require(global_batch > 0 && samples_per_epoch > 0, "a batch and an epoch have samples");
  const std::optional<Reference> reference = reference_of(model_id, optimizer);
  if (!reference) return std::nullopt;
  const double edge = std::clamp(global_batch, reference->first->batch, reference->last->batch);
  const Point point = inside(*reference, edge);
  const double beyond = growth_beyond(*reference, global_batch, edge);
  const double lr_miss = std::log(learning_rate(*reference, rule, edge, point.lr) / point.lr);

  SamplesToTarget result;
  const double amount = point.amount * beyond * (1 + kappa * std::abs(lr_miss));
  result.samples = reference->in_epochs ? amount * samples_per_epoch : amount;
  result.epochs = result.samples / samples_per_epoch;
  result.spread = point.spread;
  result.extrapolated = global_batch != edge;
  result.basis = reference->basis;
  if (result.extrapolated) result.basis += ", batch outside the table: growth by 1 + B/B_crit";
  return result;
}

std::optional<BatchRange> reference_batches(const std::string& model_id, Optimizer optimizer) {
  const std::optional<Reference> reference = reference_of(model_id, optimizer);
  if (!reference) return std::nullopt;
  return BatchRange{reference->first->batch, reference->last->batch};
}

std::vector<double> reference_batch_list(const std::string& model_id, Optimizer optimizer) {
  std::vector<double> batches;
  if (const std::optional<Reference> reference = reference_of(model_id, optimizer))
    for (const Point* point = reference->first; point <= reference->last; ++point) batches.push_back(point->batch);
  return batches;
}

std::optional<double> left_out_amount(const std::string& model_id, Optimizer optimizer, double batch) {
  std::optional<Reference> reference = reference_of(model_id, optimizer);
  if (!reference) return std::nullopt;
  std::vector<Point> others;
  std::copy_if(reference->first, reference->last + 1, std::back_inserter(others),
               [&](const Point& p) { return p.batch != batch; });
  reference->first = others.data();
  reference->last = others.data() + others.size() - 1;
  const double edge = std::clamp(batch, reference->first->batch, reference->last->batch);
  return inside(*reference, edge).amount * growth_beyond(*reference, batch, edge);
}

double on_evaluation_grid(double samples, double every) {
  if (every <= 0) return samples;
  return std::ceil(samples / every - grid_slack) * every;
}

double whole_steps(double samples, double global_batch) {
  require(global_batch > 0, "a batch has samples");
  return std::ceil(samples / global_batch - grid_slack);
}

}  // namespace clustersim
