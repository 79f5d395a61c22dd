#include "sim/import/ib_links.h"

#include <algorithm>
#include <cmath>

#include "clustersim/error.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostRates = 64;

struct Generation {
  double lane_gbit, data_gbit;
  const char* name;
};
constexpr Generation kGenerations[] = {{2.5, 2, "SDR"},        {5, 4, "DDR"},           {10, 8, "QDR"},
                                       {10.3125, 10, "FDR10"}, {14.0625, 13.64, "FDR"}, {25.78125, 25, "EDR"},
                                       {53.125, 50, "HDR"},    {106.25, 100, "NDR"},    {212.5, 200, "XDR"}};

// What stands between "==(" and ")==>" of an active link: "4X", "25.78125", "Gbps".
void add_line(const std::string& line, IbLinks& out) {
  const std::size_t open = line.find("==("), close = line.find(")==>");
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  const std::vector<std::string> words = words_of(line.substr(open + 3, close - open - 3));
  if (words.size() < 4 || words[2] != "Gbps" || !words[3].starts_with("Active") || !words[0].ends_with("X")) return;
  const auto lanes = whole_number(words[0].substr(0, words[0].size() - 1), 12);
  const auto rate = number_of(words[1]);
  if (!lanes || *lanes < 1 || !rate) return;
  for (const Generation& known : kGenerations) {
    if (std::abs(*rate - known.lane_gbit) > 0.01) continue;
    const auto same = std::find_if(out.rates.begin(), out.rates.end(), [&](const IbLinks::Rate& r) {
      return r.lanes == *lanes && r.lane_gbit == known.lane_gbit;
    });
    if (same != out.rates.end())
      ++same->links;
    else if (out.rates.size() < kMostRates)
      out.rates.push_back({*lanes, known.lane_gbit, std::round(*lanes * known.data_gbit), known.name, 1});
  }
}

}  // namespace

bool is_ib_links(const std::string& text) {
  for (const std::string& line : lines_of(text))
    if (contains(line, "==(") && contains(line, ")==>")) return true;
  return false;
}

IbLinks read_ib_links(const std::string& text, const std::string& path) {
  IbLinks links;
  for (const std::string& line : lines_of(text)) add_line(line, links);
  if (links.rates.empty())
    throw InputError({{path, "", "active links of InfiniBand: ==( 4X 25.78125 Gbps Active/ LinkUp)==>", "none", ""}});
  std::stable_sort(links.rates.begin(), links.rates.end(),
                   [](const IbLinks::Rate& a, const IbLinks::Rate& b) { return a.links > b.links; });
  return links;
}

}  // namespace clustersim
