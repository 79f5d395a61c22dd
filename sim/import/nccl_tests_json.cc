// nccl-tests with -J: {version, args, config{}, ranks | devices[], results[]{size, out_of_place{}, in_place{}}}.
// Times are microseconds, "time" or "cpu_time"; either side may be null. Hosts become a number of nodes.
#include <algorithm>
#include <cmath>
#include <set>

#include "models/workload/operator_kind.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr double most_ranks = 100000;

const JsonValue* list_at(const JsonValue& value, const std::string& path) {
  const JsonValue* found = at_path(value, path);
  return found != nullptr && found->kind == JsonValue::Kind::list ? found : nullptr;
}

struct Party {
  int ranks = 0, nodes = 1;
  std::string gpu;
};

Party party_of(const JsonValue& document) {
  Party party;
  for (const char* path : {"devices", "ranks", "config/devices", "config/ranks"}) {
    const JsonValue* list = list_at(document, path);
    if (list == nullptr || list->items.empty() || list->items.front().kind != JsonValue::Kind::object) continue;
    std::set<std::string> hosts, models;
    std::size_t ranks = 0;
    const double group = number_at(list->items.front(), "group").value_or(0);  // of several communicators the first
    for (const JsonValue& device : list->items) {
      if (number_at(device, "group").value_or(group) != group) continue;
      ++ranks;
      for (const char* key : {"host", "hostname"})
        if (const std::string host = text_at(device, key); !host.empty()) hosts.insert(host);
      for (const char* key : {"device_info", "device_name", "name", "gpu"})
        if (const std::string model = text_at(device, key); !model.empty()) models.insert(model);
    }
    party.ranks = static_cast<int>(std::min<std::size_t>(ranks, 100000));
    party.nodes = std::max<int>(1, static_cast<int>(hosts.size()));
    if (models.size() == 1) party.gpu = *models.begin();
    return party;
  }
  for (const char* path : {"config/ranks", "config/nranks", "config/nRanks", "ranks", "nranks"}) {
    const auto ranks = number_at(document, path);
    if (ranks && *ranks >= 2 && *ranks <= most_ranks) party.ranks = static_cast<int>(*ranks);
  }
  return party;
}

// "2.19.3", or 22703 as NCCL numbers 2.27.3.
std::string version_of(const JsonValue& document) {
  if (const std::string text = text_at(document, "nccl_version"); text.size() < 24 && !text.empty()) return text;
  const double code = number_at(document, "nccl_version").value_or(0);
  if (!(code >= 20900 && code < 1e6)) return "";
  const auto number = static_cast<int>(code);
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

// Seconds of one side, 0 where it is null, wrong or does not agree with itself.
double side_seconds(const JsonValue& row, const char* side, double bytes, CollectiveOp op, int ranks, int line,
                    MeasuredFile& out) {
  const JsonValue* place = at_path(row, side);
  if (place == nullptr || place->kind != JsonValue::Kind::object) return 0;
  const auto us = number_at(*place, "time") ? number_at(*place, "time") : number_at(*place, "cpu_time");
  if (!us || !(*us > 0)) return 0;
  const std::string where = std::to_string(static_cast<long long>(bytes)) + " B, " + side;
  if (number_at(*place, "nwrong").value_or(0) > 0) {
    out.warn(line, "wrong results at " + where + ": left out");
    return 0;
  }
  const auto busbw = number_at(*place, "bus_bw");
  const double algbw = bytes / (*us * 1e-6) / 1e9;
  if (busbw && !agrees(*busbw, algbw * bus_factor(op, ranks))) {
    out.warn(line, "busbw of " + where + " is off by more than 2 %: left out");
    return 0;
  }
  return *us * 1e-6;
}

}  // namespace

bool is_nccl_json(const std::string& text) {
  return contains(text, "\"results\"") && (contains(text, "\"out_of_place\"") || contains(text, "\"in_place\"")) &&
         contains(text, "\"size\"");
}

void read_nccl_json(const std::string& text, const ReaderOptions& options, MeasuredFile& out) {
  int cut_off = 0;
  const auto documents = json_documents(text, &cut_off);
  if (cut_off > 0) out.warn(cut_off, "this document is cut off: left out");
  for (const FoundJson& found : documents) {
    const JsonValue* results = list_at(found.value, "results");
    if (results == nullptr) continue;
    const Party party = party_of(found.value);
    if (out.gpu.empty()) out.gpu = party.gpu;
    const JsonValue* args = at_path(found.value, "args");
    auto op = options.op;
    if (!op && args != nullptr) op = operation_in(to_text(*args, 0));
    for (const char* key : {"config/test", "config/collective", "test", "collective", "command"})
      if (!op) op = operation_in(text_at(found.value, key) + "_perf");
    if (!op) op = operation_in(text);
    if (!op && party.ranks >= 2)
      for (const JsonValue& row : results->items) {
        PrintedRow printed;
        printed.operator_word = text_at(row, "redop");
        auto root = number_at(row, "root");
        if (!root) root = number_of(trimmed(text_at(row, "root")));  // "    -1"
        if (root && std::fabs(*root) < most_ranks) printed.root = static_cast<int>(*root);
        printed.algbw = number_at(row, "out_of_place/alg_bw").value_or(0);
        printed.busbw = number_at(row, "out_of_place/bus_bw").value_or(0);
        if (!op) op = operation_of(printed, party.ranks);
      }
    out.program = "nccl-tests";
    if (const std::string version = version_of(found.value); !version.empty()) out.program += " (NCCL " + version + ")";
    if (party.ranks < 2 || !op) {
      out.warn(found.line, party.ranks < 2 ? "how many ranks took part is not said, so the rows cannot be used"
                                           : "which operation it was is not said; name it with --op");
      continue;
    }
    out.program = std::string(to_string(*op)) + " of " + out.program;
    for (const JsonValue& row : results->items) {
      const double bytes = number_at(row, "size").value_or(0);
      if (!(bytes > 0) || bytes > 1e18) continue;
      const double seconds = std::max(side_seconds(row, "out_of_place", bytes, *op, party.ranks, found.line, out),
                                      side_seconds(row, "in_place", bytes, *op, party.ranks, found.line, out));
      if (seconds > 0) out.add(CollectiveTime{*op, party.ranks, party.nodes, bytes, seconds, found.line});
    }
  }
  if (out.collectives.empty()) out.warn(0, "no rows: the test printed no data");
}

}  // namespace clustersim
