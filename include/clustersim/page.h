// A result as one HTML page that opens without a network: the answer first, then charts with their tables.
//
// What the page draws with (charts, style, font) is a template that the build bundles with npm; without it every
// function here throws InputError, which says how to get it. What comes from a scenario is data in the page, never
// markup or script. Pages of equal results differ only in the wall time they state.
// Checked by: tests/sim/page_test.cc; tests/report/ opens them in a browser
#pragma once

#include <string>
#include <vector>

#include "clustersim/report.h"
#include "clustersim/scenario.h"
#include "clustersim/timeline.h"

namespace clustersim {

struct Comparison;
struct Plan;
struct RunOptions;
struct Sweep;
struct Validation;
struct ValidationRow;

// A part of the catalog that a scenario uses: its numbers, each with its source, as `clustersim catalog ID` prints it.
struct PartSources {
  std::string id;
  std::string text;
};

// What the page of a run shows beside its report.
struct RunPage {
  Report report;
  RunDetail detail;
  std::vector<ValidationRow> like;  // published training rows like this run, predicted now
  std::vector<PartSources> sources;
};

// sim/page: runs the scenario and gathers all of it.
RunPage run_page(const Scenario& scenario, const RunOptions& options);
RunPage run_page(const std::string& path, const RunOptions& options);

// Throws InputError where the template is missing; to be asked before a long run.
void require_page_template();

// sim/write/html*: the page itself.
std::string page(const RunPage& run);
std::string page(const Comparison& comparison);
std::string page(const Validation& validation);
std::string page(const Sweep& sweep);
std::string page(const Plan& plan);

}  // namespace clustersim
