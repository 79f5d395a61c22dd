// clustersim calibrate: outputs of benchmarks -> a file of measured constants.
#include <iostream>

#include "clustersim/calibrate.h"
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string run_calibrate(const Arguments& arguments) {
  CalibrateOptions options;
  if (arguments.has("base")) options.bases = arguments.options.at("base");
  options.operation = arguments.value("op", "");
  options.scenario = arguments.value("scenario", "");
  const Calibrated calibrated = calibrate(arguments.positional, options);
  const std::string path = arguments.value("output", "");
  if (path.empty()) {
    std::cerr << calibration_text(calibrated);
    return calibrated.document;
  }
  write_file(path, calibrated.document);
  return calibration_text(calibrated) + "\nwritten to " + path + "\n";
}

std::string formats_text() {
  std::string text =
      "Recognised by their content, plain or gzip, with whatever launchers and terminals put around them:";
  for (const auto& [name, meaning] : measurement_kinds())
    text += "\n  " + name + std::string(name.size() < 26 ? 26 - name.size() : 1, ' ') + meaning;
  return text + "\n\nThe file goes to -o, else to standard output and this report to standard error.";
}

}  // namespace

Command calibrate_command() {
  constexpr int most_positional = 1000;
  return {"calibrate",
          "MEASUREMENT... [-o FILE]",
          "Outputs of benchmarks as constants of your hardware, with residuals, for a scenario to use.",
          {output_option(),
           {"base", "ID", "catalog id of what was measured: a gpu, nic, cpu, storage or link", true},
           {"op", "NAME", "operation of collective logs that do not say it"},
           {"scenario", "SCENARIO.json",
            "fit collectives as factors on the model of this cluster, so that they hold when the scenario changes"}},
          1,
          most_positional,
          run_calibrate,
          formats_text()};
}

}  // namespace clustersim
