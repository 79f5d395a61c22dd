// Published single-GPU training throughput, predicted. The compute constants were chosen with these rows in view, so
// the bounds below say how well the model describes them, not how well it predicts others (constants.h tells that).
// CLUSTERSIM_PRINT_ROWS=1 prints the table.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "models/compute/roofline.h"
#include "tests/models/suite_rows.h"

using namespace clustersim;

namespace {

const char* const suite_path = CLUSTERSIM_SOURCE_DIR "/scenarios/measurements/training_suite.csv";

// One step of one GPU alone: micro-batches (each at least its launches), update, synchronisations.
double step_seconds(const Job& job, const StepModel& model) {
  double micro_s = work_seconds({model.forward, 1}, {});
  for (const Segment& segment : model.backward) micro_s += work_seconds({segment.kernels, 1}, {});
  micro_s = std::max(micro_s, model.launch_bound.base());
  return job.accumulation * micro_s + work_seconds({model.optimizer, 1}, {}) + model.optimizer_host.base() +
         model.step_host.base();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("single-GPU rows: median error by family") {
  std::map<std::string, std::vector<double>> errors;
  std::vector<double> all;
  for (const suite::Row& row : suite::rows(suite_path)) {
    if (row.ranks() != 1) continue;
    const StepModel model = build_step(row.job, suite::gpu_spec(row.gpu), suite::host_of(row.gpu), 1, 1);
    const double predicted = row.job.samples_per_step_and_gpu() / step_seconds(row.job, model);
    const double error = predicted / row.throughput - 1;
    errors[row.family()].push_back(std::abs(error));
    all.push_back(std::abs(error));
    if (std::getenv("CLUSTERSIM_PRINT_ROWS") != nullptr)
      std::printf("%-8s %-10s %-15s %-24s batch %-4d predicted %8.1f measured %8.1f %+6.1f %%\n", row.id.c_str(),
                  row.job.model_id.c_str(), row.gpu.c_str(), row.family().c_str(), row.job.batch_per_gpu, predicted,
                  row.throughput, 100 * error);
  }
  REQUIRE(all.size() == 83);
  for (const auto& [family, values] : errors)
    if (std::getenv("CLUSTERSIM_PRINT_ROWS") != nullptr)
      std::printf("%-24s %2zu rows, median %.1f %%\n", family.c_str(), values.size(), 100 * median(values));
  CHECK(median(all) < 0.05);
  CHECK(median(errors.at("pytorch-ddp cnn")) < 0.065);
  CHECK(median(errors.at("pytorch-ddp bert")) < 0.03);
  CHECK(median(errors.at("mxnet-horovod cnn")) < 0.035);
  CHECK(median(errors.at("tensorflow-horovod cnn")) < 0.05);
  CHECK(median(errors.at("tensorflow-horovod bert")) < 0.07);
}
