// The topology text of SimAI, another simulator.
//
//   18 8 1 9 20 A100                 vertices, GPUs of a server, NVSwitches, switches, links, GPU
//   8 9 10 11 12 13 14 15 16 17      which of them are switches, NVSwitches first
//   0 8 2400Gbps 0.000025ms 0        a link: from, to, rate, latency, error rate
// GPUs are the vertices before the switches. Numbers that contradict each other are told; where the GPUs do not fill
// whole servers the file is refused.
// Source: SimAI's tutorial (aliyun/SimAI, docs/Tutorial.md); files in its issues 51, 57 and 60.
#include <set>

#include "clustersim/error.h"
#include "sim/import/inventory.h"
#include "sim/import/measurement_text.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

struct Header {
  int vertices = 0, per_server = 0, nvswitches = 0, switches = 0, links = 0;
  std::string gpu;
};

std::optional<Header> header_of(const std::string& line) {
  constexpr int most = 10000000;
  const std::vector<std::string> words = words_of(line.substr(0, 200));
  if (words.size() != 6) return std::nullopt;
  int numbers[5] = {};
  for (std::size_t i = 0; i < 5; ++i) {
    const auto number = whole_number(words[i], most);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const bool named = words[5].find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
  if (!named || numbers[0] < 1 || numbers[1] < 1) return std::nullopt;
  return Header{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], words[5]};
}

// Gbit/s of "400Gbps".
std::optional<double> rate_of(const std::string& word) {
  if (!word.ends_with("Gbps")) return std::nullopt;
  const auto rate = number_of(word.substr(0, word.size() - 4));
  return rate && *rate > 0 && *rate < 1e6 ? rate : std::nullopt;
}

std::string rates_text(const std::set<double>& rates) {
  std::string text;
  std::size_t told = 0;
  for (const double rate : rates)
    if (++told <= 6) text += (text.empty() ? "" : ", ") + std::to_string(static_cast<long long>(rate)) + " Gbit/s";
  return text + (rates.size() > 6 ? ", ..." : "");
}

std::string mismatch(const char* what, long long announced, long long there) {
  return std::to_string(announced) + " " + what + " are announced and " + std::to_string(there) +
         " are there: what is there counts";
}

}  // namespace

bool is_simai_topology(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text.substr(0, 4 << 10));
  if (lines.size() < 3 || !header_of(lines[0])) return false;
  const std::vector<std::string> words = words_of(lines[2]);
  return words.size() == 5 && rate_of(words[2]).has_value();
}

Inventory read_simai_topology(const std::string& text, const std::string& path) {
  const std::vector<std::string> lines = lines_of(text);
  const Header header = *header_of(lines[0]);
  const int gpus = header.vertices - header.nvswitches - header.switches;
  if (gpus < 1 || gpus % header.per_server != 0)
    throw InputError({{path, "line 1",
                       "vertices without switches in whole servers of " + std::to_string(header.per_server) + " GPUs",
                       std::to_string(header.vertices) + " - " + std::to_string(header.nvswitches) + " - " +
                           std::to_string(header.switches) + " = " + std::to_string(gpus),
                       ""}});
  Inventory out;
  out.format = "SimAI topology";
  const auto listed = static_cast<long long>(words_of(lines[1]).size());
  long long links = 0, odd = 0;
  std::set<double> to_nvswitch, to_network;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    const std::vector<std::string> words = words_of(lines[i].substr(0, 200));
    const auto from = words.size() == 5 ? whole_number(words[0], header.vertices - 1) : std::nullopt;
    const auto to = from ? whole_number(words[1], header.vertices - 1) : std::nullopt;
    const auto rate = to ? rate_of(words[2]) : std::nullopt;
    if (!rate) {
      ++odd;
      continue;
    }
    ++links;
    if (*from >= gpus || *to < gpus || to_network.size() + to_nvswitch.size() > 100) continue;
    (*to < gpus + header.nvswitches ? to_nvswitch : to_network).insert(*rate);
  }
  if (listed != header.switches + header.nvswitches)
    out.warnings.push_back(mismatch("switches", header.switches + header.nvswitches, listed));
  if (links != header.links) out.warnings.push_back(mismatch("links", header.links, links));
  if (odd > 0) out.warnings.push_back(std::to_string(odd) + " lines that are no link between two vertices: left out");
  if (!to_nvswitch.empty()) out.known.push_back("a GPU to its NVSwitch: " + rates_text(to_nvswitch));
  if (!to_network.empty()) out.known.push_back("a GPU to the network: " + rates_text(to_network));
  out.unknown.push_back("which network cards: /cluster/node/nic and /cluster/node/nics");
  NodeCounter counter;
  counter.add(gpus / header.per_server, header.per_server, header.gpu, std::nullopt, std::nullopt);
  counter.fill(out, path);
  return out;
}

}  // namespace clustersim
