// The table of DeepSpeed's communication logger, deepspeed.comm.log_summary():
//
//   Comm. Op   Message Size   Count   Total Latency(ms)   Avg Latency(ms)   tput_avg (Gbps)   busbw_avg (Gbps)
//   all_reduce
//              1.45 GB        2       271.11              135.56            183.76            160.79
// Sizes are powers of two with two decimals. The time is the mean one, which holds the wait for slower ranks too. How
// many ranks took part follows from rows where busbw is (n - 1)/n of the throughput. Whether a size is that of a rank
// or of all together differs with the version: the throughput beside it tells, for each operation where it is largest.
// Source: DeepSpeed's deepspeed/utils/comms_logging.py. Checked by: tests/sim/measurement_logs_test.cc
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr int kMostRanks = 100000, kUsualGpus = 8;
constexpr std::size_t kMostRows = 20000;

struct Row {
  std::string op;
  double bytes = 0, mean_s = 0, throughput = 0, busbw = 0;  // bytes/s
  int line = 0;
};

// "1.45 GB", "6.0 KB", "128.0 B", "0B"; how many words it takes.
std::optional<std::pair<double, std::size_t>> size_at(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  const std::size_t end = std::min(words[0].find_first_not_of("0123456789."), words[0].size());
  const auto number = number_of(words[0].substr(0, end));
  const bool joined = end < words[0].size();
  const std::string unit = joined ? words[0].substr(end) : words.size() > 1 ? words[1] : "";
  static const std::map<std::string, double> units = {{"B", 0}, {"KB", 10}, {"MB", 20}, {"GB", 30}, {"TB", 40}};
  const auto power = units.find(unit);
  if (!number || *number < 0 || power == units.end()) return std::nullopt;
  return std::make_pair(*number * std::pow(2.0, power->second), joined ? std::size_t{1} : std::size_t{2});
}

std::optional<Row> row_of(const std::vector<std::string>& words, const std::string& op, int line) {
  const auto size = size_at(words);
  if (!size || words.size() != size->second + 5) return std::nullopt;
  double v[5] = {};
  for (std::size_t i = 0; i < 5; ++i) {
    const auto number = number_of(words[size->second + i]);
    if (!number || *number < 0) return std::nullopt;
    v[i] = *number;
  }
  constexpr double bytes_per_gbit = 1e9 / 8;
  return Row{op, size->first, v[2] * 1e-3, v[3] * bytes_per_gbit, v[4] * bytes_per_gbit, line};
}

std::optional<CollectiveOp> operation_of_name(const std::string& name) {
  struct Named {
    const char* word;
    CollectiveOp op;
  };
  static constexpr Named table[] = {{"all_reduce", CollectiveOp::all_reduce},
                                    {"all_gather", CollectiveOp::all_gather},
                                    {"reduce_scatter", CollectiveOp::reduce_scatter},
                                    {"all_to_all", CollectiveOp::all_to_all},
                                    {"broadcast", CollectiveOp::broadcast}};
  if (name.find("object") != std::string::npos) return std::nullopt;
  for (const Named& named : table)
    if (name.starts_with(named.word) || name.starts_with(std::string("inference_") + named.word)) return named.op;
  return name == "reduce" ? std::optional(CollectiveOp::reduce) : std::nullopt;
}

// n of busbw = (n - 1)/n of the throughput, from the row with most digits; 0 where no row tells.
int ranks_of_rows(const std::vector<Row>& rows) {
  double most = 10e9 / 8;  // below 10 Gbit/s two decimals are too few
  int ranks = 0;
  for (const Row& row : rows) {
    const auto op = operation_of_name(row.op);
    if (!op || *op == CollectiveOp::broadcast || *op == CollectiveOp::reduce || row.throughput <= most) continue;
    const double left = 1 - row.busbw / row.throughput;
    if (!(left > 1.0 / kMostRanks) || left > 0.51) continue;
    most = row.throughput;
    const double n = std::round(1 / left);
    ranks = std::fabs(1 / left - n) < 0.02 * n ? static_cast<int>(n) : 0;
  }
  return ranks;
}

// How often the size stands in what moved, 1 or n, by the largest row of each operation; 0: neither fits.
std::map<std::string, double> multiples(const std::vector<Row>& rows, int ranks) {
  std::map<std::string, double> largest, found;
  for (const Row& row : rows) {
    if (row.bytes <= largest[row.op] || row.mean_s <= 0 || row.throughput <= 0) continue;
    const auto op = operation_of_name(row.op);
    const bool pieces =
        op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter || op == CollectiveOp::all_to_all;
    largest[row.op] = row.bytes;
    const double ratio = row.throughput * row.mean_s / row.bytes;
    const auto near = [&](double multiple) { return ratio > 0.7 * multiple && ratio < 1.4 * multiple; };
    if (pieces)
      found[row.op] = near(1) ? 1 : near(ranks) ? ranks : 0;
    else
      found[row.op] = near(1) || (op == CollectiveOp::all_reduce && near(2)) ? 1 : 0;
  }
  return found;
}

void keep(const std::vector<Row>& rows, MeasuredFile& out) {
  const int ranks = ranks_of_rows(rows);
  if (ranks < 2) {
    out.warn(
        rows.front().line,
        "how many ranks took part is not told: a row of all_reduce or all_gather of 10 Gbit/s and more would tell");
    return;
  }
  const int nodes = (ranks + kUsualGpus - 1) / kUsualGpus;
  out.warn(rows.front().line, std::to_string(ranks) + " ranks, worked out from busbw; on how many nodes is not told: " +
                                  std::to_string(nodes) + (nodes == 1 ? " is" : " of 8 are") + " assumed");
  out.warn(rows.front().line,
           "mean times of a job, in which ranks wait for each other: slower than nccl-tests would be");
  const std::map<std::string, double> times = multiples(rows, ranks);
  for (const Row& row : rows) {
    const auto op = operation_of_name(row.op);
    if (!op || row.bytes <= 0 || row.mean_s <= 0) continue;
    const auto multiple = times.find(row.op);
    if (multiple == times.end() || multiple->second <= 0) {
      out.warn(row.line,
               "the throughput of " + shown(row.op, 40) + " does not follow from its size and time: left out");
      continue;
    }
    out.add(CollectiveTime{*op, ranks, nodes, row.bytes * multiple->second, row.mean_s, row.line});
  }
}

}  // namespace

bool is_deepspeed_log(const std::string& text) {
  return contains(text, "Comm. Op") && contains(text, "Message Size") && contains(text, "busbw_avg");
}

void read_deepspeed_log(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "DeepSpeed's communication log";
  std::vector<Row> rows;
  std::string op;
  bool inside = false;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = trimmed(without_prefix(raw));
    if (contains(line, "Comm. Op")) {
      inside = contains(line, "busbw_avg");  // not the table of stragglers
      op.clear();
      continue;
    }
    if (!inside || line.empty()) continue;
    const std::vector<std::string> words = words_of(line);
    if (const auto row = row_of(words, op, number)) {
      if (!op.empty() && rows.size() < kMostRows) rows.push_back(*row);
    } else if (words.size() == 1 || (words.size() > 1 && words[1] == "|")) {
      op = words[0];
    } else {
      inside = false;
    }
  }
  if (rows.empty())
    out.warn(0, "no rows below the header");
  else
    keep(rows, out);
}

}  // namespace clustersim
