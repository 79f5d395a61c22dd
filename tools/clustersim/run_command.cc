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

// The table, and the files that were asked for.
std::string result(const Arguments& arguments, const RunOptions& options, const std::string& format) {
  const std::string& path = arguments.positional[0];
  const bool traced = arguments.has("trace"), on_page = arguments.has("report");
  if (!on_page) {
    RunDetail detail;
    const Report report = run(path, options, traced ? &detail : nullptr);
    std::string text = write(report, format);
    if (traced) write_file(arguments.value("trace", ""), trace_json(detail, report));
    return text;
  }
  require_page_template();
  const RunPage shown = run_page(path, options);
  std::string text = write(shown.report, format);
  const std::string html = page(shown);
  if (traced) write_file(arguments.value("trace", ""), trace_json(shown.detail, shown.report));
  write_file(arguments.value("report", ""), html);
  return text;
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
  return result(arguments, options, format);
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
           report_option(),
           {"trace", "FILE.json", "one step as a timeline, and the heat before it, for ui.perfetto.dev", false,
            OptionState::offered, '\0', true},
           {"unfold", "", "simulates every node, not one of each kind; the answer is the same"},
           {"fidelity", "WORD",
            "bundle (default): a collective is one transfer; messages: each chunk of its ring by itself"}},
          1,
          1,
          run_scenario,
          "",
          true};
}

}  // namespace clustersim
