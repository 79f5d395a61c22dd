#include "sim/write/writers.h"

namespace clustersim {
namespace {

// What `write` does, for any kind of result: find the format by name or say which there are.
template <class Result>
std::string write_as(const std::vector<Writer<Result>>& writers, const Result& result, const std::string& format) {
  std::string names;
  for (const Writer<Result>& writer : writers) {
    if (writer.name == format) return writer.function(result);
    names += (names.empty() ? "" : ", ") + writer.name;
  }
  throw InputError({Problem{"command line", "--format", "one of: " + names, "\"" + format + "\"", ""}});
}

}  // namespace

const std::vector<Writer<Report>>& report_writers() {
  static const std::vector<Writer<Report>> writers = {
      {"table", "for reading, 80 columns", report_as_table},
      {"json", "every metric with unit and meaning; numbers read back to the same bits", report_as_json},
      {"csv", "one header line and one row; columns are metric_unit", report_as_csv},
  };
  return writers;
}

const std::vector<Writer<CollectiveTable>>& collective_writers() {
  static const std::vector<Writer<CollectiveTable>> writers = {
      {"table", "as nccl-tests prints it", collective_as_table},
      {"json", "one object a message size", collective_as_json},
      {"csv", "one row a message size", collective_as_csv},
  };
  return writers;
}

const std::vector<Writer<Validation>>& validation_writers() {
  static const std::vector<Writer<Validation>> writers = {
      {"table", "a line a row, then the summaries", validation_as_table},
      {"json", "rows and summaries", validation_as_json},
      {"csv", "one row a measurement", validation_as_csv},
  };
  return writers;
}

const std::vector<Writer<Comparison>>& comparison_writers() {
  static const std::vector<Writer<Comparison>> writers = {
      {"table", "a column a scenario, then why they differ", comparison_as_table},
      {"json", "every metric of each, the offers and the best of them", comparison_as_json},
      {"csv", "one row a scenario", comparison_as_csv},
  };
  return writers;
}

const std::vector<Writer<Claims>>& claims_writers() {
  static const std::vector<Writer<Claims>> writers = {
      {"table", "a block a claim, then how many of each verdict", claims_as_table},
      {"json", "one object a claim", claims_as_json},
  };
  return writers;
}

const std::vector<Writer<Sweep>>& sweep_writers() {
  static const std::vector<Writer<Sweep>> writers = {
      {"table", "best points, fronts, sensitivities, faults", sweep_as_table},
      {"json", "the same, with the rows that they name", sweep_as_json},
      {"csv", "one row a point", sweep_as_csv},
  };
  return writers;
}

const std::vector<Writer<Plan>>& plan_writers() {
  static const std::vector<Writer<Plan>> writers = {
      {"table", "the best offer and why, the others, what is left out", plan_as_table},
      {"json", "every offer with its metrics", plan_as_json},
  };
  return writers;
}

std::string write(const Report& report, const std::string& format) {
  return write_as(report_writers(), report, format);
}

std::string write(const CollectiveTable& table, const std::string& format) {
  return write_as(collective_writers(), table, format);
}

std::string write(const Validation& validation, const std::string& format) {
  return write_as(validation_writers(), validation, format);
}

std::string write(const Comparison& comparison, const std::string& format) {
  return write_as(comparison_writers(), comparison, format);
}

std::string write(const Claims& claims, const std::string& format) {
  return write_as(claims_writers(), claims, format);
}

std::string write(const Plan& plan, const std::string& format) { return write_as(plan_writers(), plan, format); }

std::string write(const Sweep& sweep, const std::string& format) { return write_as(sweep_writers(), sweep, format); }

}  // namespace clustersim
