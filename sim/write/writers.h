// Reports as text. A format is one file with two functions and one line in each table of writers.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/clustersim.h"
#include "clustersim/report.h"

namespace clustersim {

template <class Result>
struct Writer {
  std::string name;
  std::string meaning;
  std::string (*function)(const Result&);
};

const std::vector<Writer<Report>>& report_writers();
const std::vector<Writer<CollectiveTable>>& collective_writers();
const std::vector<Writer<Validation>>& validation_writers();
const std::vector<Writer<Comparison>>& comparison_writers();
const std::vector<Writer<Claims>>& claims_writers();
const std::vector<Writer<Sweep>>& sweep_writers();
const std::vector<Writer<Plan>>& plan_writers();

std::string report_as_table(const Report& report);
std::string report_as_json(const Report& report);
std::string report_as_csv(const Report& report);

std::string collective_as_table(const CollectiveTable& table);
std::string collective_as_json(const CollectiveTable& table);
std::string collective_as_csv(const CollectiveTable& table);

std::string validation_as_table(const Validation& validation);
std::string validation_as_json(const Validation& validation);
std::string validation_as_csv(const Validation& validation);

std::string comparison_as_table(const Comparison& comparison);
std::string comparison_as_json(const Comparison& comparison);
std::string comparison_as_csv(const Comparison& comparison);

std::string sweep_as_table(const Sweep& sweep);
std::string sweep_as_json(const Sweep& sweep);
std::string sweep_as_csv(const Sweep& sweep);

std::string plan_as_table(const Plan& plan);
std::string plan_as_json(const Plan& plan);

std::string claims_as_table(const Claims& claims);
std::string claims_as_json(const Claims& claims);

}  // namespace clustersim
