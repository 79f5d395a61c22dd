// The report of one scenario with controls: what `clustersim serve` shows in a browser. Text in, text out; no network.
//
// A request may change only what the controls offer, and only to a number in a control's range, to one of its choices
// or to a quantity with a unit. No control names a file, and nothing else is read from a request: whatever a stranger
// sends, the files read are the scenario (once, before serving) and the catalog. Checked by: tests/sim/serve_test.cc;
// tests/serve/ sends it to the running program
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"

namespace clustersim {

// A scenario file as it was read when serving began.
struct ServedScenario {
  std::string file;  // how faults name it
  std::string text;
};

// Reads the file, and runs it once: InputError where it cannot be read or run.
ServedScenario serve_scenario(const std::string& path);

// One thing that may be changed.
struct Control {
  enum class Kind : std::uint8_t { choice, integer, number, quantity } kind = Kind::number;
  std::string pointer;  // of the scenario
  std::string group;    // "GPUs", "Network", ...
  std::string label;
  std::vector<std::string> choices;  // choice: what it may be
  double least = 0, most = 0;        // integer, number: the range
  std::string example;               // quantity: how it is written
  std::string value;                 // what the scenario says, "" where it leaves it to a default
};
std::vector<Control> serve_controls(const ServedScenario& scenario);

// `request`: {"changes": [{"pointer": "/cluster/nodes", "value": 8}, ...], "what_if": false}; at most 64 changes.
// `json`: the data of the page, or {"faults": [{"pointer", "expected", "got", "hint"}]} where `ok` is false.
struct ServeAnswer {
  bool ok = false;
  std::string json;
};
ServeAnswer serve_answer(const ServedScenario& scenario, const std::string& request);

// The page with the scenario as it is, and the policy that a server should send with it (Content-Security-Policy).
// InputError where the program was built without the page.
struct ServedPage {
  std::string html;
  std::string policy;
};
ServedPage serve_page(const ServedScenario& scenario);

}  // namespace clustersim
