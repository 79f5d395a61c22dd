// How many samples a run needs to reach its quality target at a given global batch.
//
//   inside the tabulated batches: linear in log B between the reference points
//   outside: samples(B) = S_edge * (1 + B/B_crit) / (1 + B_edge/B_crit)
//     S_edge, B_edge  nearest reference point [samples], [samples a step];  B_crit  critical batch, fitted
// A learning rate that misses the reference by a factor costs samples: * (1 + kappa * |ln(lr / lr_ref)|), where the
// rules `linear` and `sqrt` start from the smallest tabulated batch and `reference` follows the table.
// Runs end at an evaluation, so the count is rounded up to the evaluation grid.
//
// Range: ResNet-50 with LARS on ImageNet to 75.9 % top-1, BERT-large with LAMB on Wikipedia to 0.72 masked accuracy;
// anything else has no reference and gives nothing. Accuracy 5 % inside the table, 15 % outside, on top of the spread
// between runs. kappa is assumed. The fit of B_crit alone misses the points by 4.0 % (ResNet) and 6.4 % (BERT) rms.
// Source: MLPerf reference convergence points (mlcommons/logging, rcp_checker), newest round per batch.
// Checked by: tests/models/convergence_test.cc
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

struct SamplesToTarget {
  double samples = 0;
  double epochs = 0;
  double spread = 0;          // standard deviation between runs, relative
  bool extrapolated = false;  // batch outside the tabulated ones
  std::string basis;          // where the number comes from, for the report
};

struct BatchRange {
  double smallest = 0, largest = 0;
};

// `model_id` as in the catalog ("resnet-50", "bert-large"). Empty where there is no reference for the pair.
std::optional<SamplesToTarget> samples_to_target(const std::string& model_id, Optimizer optimizer, double global_batch,
                                                 LrRule rule, double samples_per_epoch);
// The tabulated batches: from the smallest to the largest, and all of them; empty where there is no reference.
std::optional<BatchRange> reference_batches(const std::string& model_id, Optimizer optimizer);
std::vector<double> reference_batch_list(const std::string& model_id, Optimizer optimizer);

// What the table would say at `batch` had it no point there, in the table's unit: epochs (resnet-50) or samples
// (bert-large). Beyond the remaining points it leans on B_crit, which was fitted with the point.
std::optional<double> left_out_amount(const std::string& model_id, Optimizer optimizer, double batch);

// The first evaluation at or after `samples`; `every` = 0: no grid.
double on_evaluation_grid(double samples, double every);
// The first whole step at or after `samples`.
double whole_steps(double samples, double global_batch);

}  // namespace clustersim
