// clustersim collective: the table of nccl-tests on a cluster.
#include <charconv>

#include "clustersim/units_text.h"
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

double size_of(const std::string& text) {
  const ParsedQuantity parsed = parse_quantity(text, Dimension::bytes);
  if (!parsed.base || *parsed.base < 1)
    throw UsageError("--sizes takes SIZE or FROM:TO such as 8B:8GiB, not \"" + text + "\"" +
                     (parsed.hint.empty() ? "" : "; " + parsed.hint));
  return *parsed.base;
}

// FROM:TO in doublings, as nccl-tests with -f 2; or one size.
std::vector<double> sizes_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const double from = size_of(text.substr(0, colon));
  if (colon == std::string::npos) return {from};
  const double to = size_of(text.substr(colon + 1));
  if (to < from) throw UsageError("--sizes FROM:TO needs FROM no larger than TO, not \"" + text + "\"");
  std::vector<double> sizes;
  for (double size = from; size <= to; size *= 2) sizes.push_back(size);
  return sizes;
}

int ranks_of(const std::string& text) {
  int ranks = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, ranks);
  if (read.ec != std::errc() || read.ptr != end)
    throw UsageError("--ranks takes a whole number from 2 to the cluster's GPUs, not \"" + text + "\"");
  return ranks;
}

std::string run_collective(const Arguments& arguments) {
  const std::string format = format_of(arguments);
  const auto sizes = sizes_of(arguments.value("sizes", "8B:8GiB"));
  std::optional<int> ranks;
  if (arguments.has("ranks")) ranks = ranks_of(arguments.value("ranks", ""));
  const Scenario scenario = read_scenario(arguments.positional[0], overrides_of(arguments));
  return write(collective(scenario, arguments.value("op", "all_reduce"), sizes, ranks,
                          arguments.value("algorithm", "auto"), arguments.value("fidelity", "bundle")),
               format);
}

}  // namespace

Command collective_command() {
  return {
      "collective",
      "SCENARIO.json",
      "What nccl-tests would print on this cluster: bytes, time, algbw, busbw.",
      {{"op", "NAME", "all_reduce (default), all_gather, reduce_scatter, reduce, all_to_all, broadcast, send_recv"},
       {"sizes", "FROM:TO", "doubling from one to the other, or one size; default 8B:8GiB"},
       {"ranks", "N", "the first N GPUs; default all"},
       {"algorithm", "NAME", "auto (default), ring, tree, hierarchical, naive_tree, ..."},
       {"fidelity", "WORD", "bundle (default): one transfer; messages: every chunk of a ring or all-to-all by itself"},
       format_option(),
       set_option()},
      1,
      1,
      run_collective};
}

}  // namespace clustersim
