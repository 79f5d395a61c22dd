#include "models/outcome/time_to_train.h"

#include <algorithm>
#include <cmath>

#include "clustersim/error.h"

namespace clustersim {

TimeToTrain time_to_train(const RunLength& run) {
  require(run.samples >= 0 && run.samples_per_epoch > 0 && run.samples_per_s > 0, "a run has samples and a rate");
  const double in_first_epoch = std::min(run.samples, run.samples_per_epoch);
  TimeToTrain result;
  result.first_epoch = run.first_epoch * (in_first_epoch / run.samples_per_epoch);
  result.training = result.first_epoch + seconds((run.samples - in_first_epoch) / run.samples_per_s);
  result.evaluations = run.evaluation * run.evaluations;
  if (run.checkpoint_interval.base() > 0) {
    result.checkpoints = std::floor(result.training / run.checkpoint_interval);
    result.checkpoint = run.checkpoint_blocking * result.checkpoints;
  }
  result.total = result.training + result.evaluations + result.checkpoint;
  return result;
}

}  // namespace clustersim
