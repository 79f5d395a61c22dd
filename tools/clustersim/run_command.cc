// clustersim run: one scenario, from file to report.
#include <charconv>

#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  if (read.ec != std::errc() || read.ptr != end)
    throw UsageError("--seed takes a whole number from 0 to 2^64-1, not \"" + text + "\"");
  return seed;
}

std::string run_scenario(const Arguments& arguments) {
  const std::string fidelity = arguments.value("fidelity", "bundle");
  if (fidelity != "bundle" && fidelity != "messages")
    throw UsageError("--fidelity takes bundle or messages, not \"" + fidelity + "\"");
  const std::string format = format_of(arguments);
  RunOptions options;
  options.overrides = overrides_of(arguments);
  if (arguments.has("seed")) options.seed = seed_of(arguments.value("seed", ""));
  options.what_if = !arguments.has("no-what-if");
  options.explain_cost = arguments.has("explain-cost");
  options.unfold = arguments.has("unfold");
  options.messages = fidelity == "messages";
  return write(run(arguments.positional[0], options), format);
}

}  // namespace

Command run_command() {
  return {"run",
          "SCENARIO.json",
          "Simulates the job on the cluster and reports time, bottleneck, energy and cost.",
          {set_option(),
           format_option(),
           {"seed", "N", "another draw of what is random"},
           {"no-what-if", "", "leaves out the advice that needs runs of its own"},
           {"explain-cost", "", "shows how each sum of money comes about"},
           {"report", "FILE", "", false, OptionState::not_built},
           {"trace", "FILE", "", false, OptionState::not_built},
           {"unfold", "", "simulates every node, not one of each kind; the answer is the same"},
           {"fidelity", "WORD",
            "bundle (default): a collective is one transfer; messages: each chunk of its ring by itself"}},
          1,
          1,
          run_scenario};
}

}  // namespace clustersim
