// nccl-tests and rccl-tests as text, of every era:
//
//   size(B) count type [redop] [root] | time algbw busbw (error|#wrong) | the same in place [| #iters]
// (the newest may put four columns of single iterations behind each side)
//
// Launchers put words before a line and mix the lines of ranks, so a row is found by its form: two whole numbers and a
// type, anywhere in the first words. Which numbers follow is decided by algbw = size / time, which also tells
// microseconds from the milliseconds of the first NCCL tests; busbw is worked out again and a row that is off by more
// than 2 % is left out. Where a header names the columns in another order, or fewer of them, rows are read by its names
// (nccl_columns.h). Ranks are counted from the device lines; hosts become a number of nodes and are not kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "models/workload/operator_kind.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/nccl_columns.h"
#include "sim/import/nccl_rows.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr int most_ranks = 100000;

// Bytes of an element, 0 for a word that is no type.
int type_bytes(const std::string& word) {
  static const std::map<std::string, int> types = {{"float", 4},    {"half", 2},     {"double", 8},   {"int8", 1},
                                                   {"uint8", 1},    {"int32", 4},    {"uint32", 4},   {"int64", 8},
                                                   {"uint64", 8},   {"char", 1},     {"bfloat16", 2}, {"int", 4},
                                                   {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"f8e4m3", 1},   {"f8e5m2", 1}};
  const auto found = types.find(word);
  return found == types.end() ? 0 : found->second;
}

bool is_operator(const std::string& word) {
  static const std::set<std::string> words = {"sum", "prod", "min", "max", "avg", "mulsum", "none"};
  return words.count(word) > 0;
}

struct Side {
  double seconds = 0, algbw = 0;
  double busbw = 0;  // under 0: has no column
  bool wrong = false;
};

struct Row {
  int line = 0;
  std::optional<int> added;  // a whole number before the size: of a table whose author put the nodes in front
  PrintedRow printed;
  std::vector<Side> sides;  // out of place, in place; at least one
};

// time, algbw, busbw, #wrong from words[at]; nothing unless algbw is size over time.
std::optional<Side> side_at(const std::vector<std::string>& words, std::size_t at, double bytes) {
  if (at + 3 > words.size()) return std::nullopt;
  std::array<double, 3> v{};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto number = number_of(words[at + i]);
    if (!number) return std::nullopt;
    v[i] = *number;
  }
  if (!(v[0] > 0)) return std::nullopt;
  for (const double unit_s : {1e-6, 1e-3}) {
    const double algbw = bytes / (v[0] * unit_s) / 1e9;
    if (!agrees(v[1], algbw)) continue;
    if (unit_s > 1e-4 && v[1] < 0.05) continue;  // digits too few to tell milliseconds
    const auto wrong = at + 3 < words.size() ? number_of(words[at + 3]) : std::nullopt;
    return Side{v[0] * unit_s, v[1], v[2], wrong && *wrong > 1e-3};
  }
  return std::nullopt;
}

// The row that starts somewhere in the first words of the line.
std::optional<Row> row_of(const std::vector<std::string>& words, int line) {
  for (std::size_t at = 0; at + 2 < words.size() && at < 4; ++at) {
    const auto bytes = integer_of(words[at]), count = integer_of(words[at + 1]);
    if (!bytes || !count || *bytes < 0 || type_bytes(words[at + 2]) == 0) continue;
    Row row;
    row.line = line;
    row.printed.bytes = *bytes;
    row.printed.count_bytes = *count * type_bytes(words[at + 2]);
    if (at > 0) row.added = whole_number(words[at - 1], most_ranks);
    std::size_t next = at + 3;
    if (next < words.size() && is_operator(words[next])) row.printed.operator_word = words[next++];
    for (const std::size_t first : {next, next + 1}) {  // without and with a root
      const auto out = side_at(words, first, *bytes);
      auto in = side_at(words, first + 4, *bytes);
      if (!in) in = side_at(words, first + 8, *bytes);  // behind i_min, i_max, i_p99 and i_cv% of single iterations
      if (!out && !in) continue;
      if (first > next) {
        const auto root = integer_of(words[next]);
        if (!root || std::fabs(*root) > most_ranks) continue;
        row.printed.root = static_cast<int>(*root);
      }
      if (out) row.sides.push_back(*out);
      if (in) row.sides.push_back(*in);
      row.printed.algbw = row.sides.front().algbw;
      row.printed.busbw = row.sides.front().busbw;
      return row;
    }
    return row;  // a row by its form, without a time that fits
  }
  return std::nullopt;
}

// A row by the names of a header.
std::optional<Row> row_by_names(const NcclColumns& columns, const std::vector<std::string>& words, int line) {
  const auto values = columns.row(words);
  if (!values) return std::nullopt;
  Row row;
  row.line = line;
  row.printed.bytes = values->bytes;
  row.printed.count_bytes = values->count * type_bytes(values->type);
  if (is_operator(values->operator_word)) row.printed.operator_word = values->operator_word;
  row.printed.root = values->root;
  for (const NcclColumns::Side& side : values->sides) {
    double seconds = side.time * 1e-6;
    if (side.algbw && !agrees(*side.algbw, values->bytes / seconds / 1e9)) seconds = side.time * 1e-3;
    const double algbw = values->bytes / seconds / 1e9;
    if (!(side.time > 0) || (side.algbw && !agrees(*side.algbw, algbw))) continue;
    row.sides.push_back({seconds, side.algbw.value_or(algbw), side.busbw.value_or(-1), side.wrong});
  }
  if (!row.sides.empty()) {
    row.printed.algbw = row.sides.front().algbw;
    row.printed.busbw = std::max(0.0, row.sides.front().busbw);
  }
  return row;
}

// "#  Rank  3 Group  0 Pid   77 on host device  3 [0000:47:00] NAME", also "Rank 3 uses device 3 [0x04] NAME".
struct Devices {
  std::set<int> ranks;
  std::set<std::string> hosts;
  std::set<std::string> models;
  std::map<int, int> seen;  // how often each rank of group 0 was announced
  bool other_groups = false;

  void take(const std::vector<std::string>& words) {
    const auto rank_word = std::find(words.begin(), words.end(), "Rank");
    const auto device_word = std::find(rank_word, words.end(), "device");
    if (rank_word == words.end() || device_word == words.end() || rank_word + 1 == words.end()) return;
    const auto rank = integer_of(*(rank_word + 1));
    if (!rank || *rank < 0 || *rank >= most_ranks) return;
    const auto group_word = std::find(rank_word, device_word, "Group");
    if (group_word != device_word && group_word + 1 != device_word) {
      const auto group = integer_of(*(group_word + 1));
      if (group && *group != 0) {
        other_groups = true;
        return;
      }
    }
    const auto on = std::find(rank_word, device_word, "on");
    if (on != device_word && on + 1 != device_word) hosts.insert(*(on + 1));
    ranks.insert(static_cast<int>(*rank));
    ++seen[static_cast<int>(*rank)];
    std::string model;
    auto word = std::find_if(device_word, words.end(), [](const std::string& w) { return w.front() == '['; });
    for (word = word == words.end() ? word : word + 1; word != words.end(); ++word)
      model += (model.empty() ? "" : " ") + *word;
    if (!model.empty()) models.insert(model);
  }

  bool copies() const {
    return std::any_of(seen.begin(), seen.end(), [](const auto& entry) { return entry.second > 1; });
  }
};

// Columns of the first header "#  size  count  type [redop] [root]  time ...".
struct Header {
  bool seen = false, redop = false, root = false;
};

// Old tests gave all-gather no column for an operator, and all-to-all an empty one.
std::optional<CollectiveOp> operation_of_header(const Header& header, const std::vector<Row>& rows, int ranks) {
  if (!header.seen || header.root) return std::nullopt;
  const CollectiveOp op = header.redop ? CollectiveOp::all_to_all : CollectiveOp::all_gather;
  int fit = 0, off = 0;
  for (const Row& row : rows) {
    if (!row.printed.operator_word.empty() || row.printed.root) return std::nullopt;
    if (row.printed.algbw >= 0.5) ++(agrees(row.printed.busbw, row.printed.algbw * bus_factor(op, ranks)) ? fit : off);
  }
  return fit > off ? std::optional<CollectiveOp>(op) : std::nullopt;
}

// NCCL's own lines (NCCL_DEBUG=INFO) break a row apart: its head, then each side at the beginning of a line of its own.
void go_on(Row& row, const std::vector<std::string>& words) {
  if (row.sides.size() >= 2) return;
  const auto side = side_at(words, 0, row.printed.bytes);
  if (!side) return;
  row.sides.push_back(*side);
  row.printed.algbw = row.sides.front().algbw;
  row.printed.busbw = row.sides.front().busbw;
}

// The operation that most rows agree on.
std::optional<CollectiveOp> operation_of_rows(const std::vector<Row>& rows, int ranks) {
  std::map<CollectiveOp, int> votes;
  for (const Row& row : rows)
    if (const auto op = operation_of(row.printed, ranks)) ++votes[*op];
  std::optional<CollectiveOp> best;
  for (const auto& [op, count] : votes)
    if (!best || count > votes[*best]) best = op;
  return best;
}

int ranks_of_rows(const std::vector<Row>& rows) {
  double most = 0;
  int ranks = 0;
  for (const Row& row : rows)
    if (row.printed.algbw > most && row.printed.operator_word != "none" && !row.printed.operator_word.empty()) {
      most = row.printed.algbw;
      ranks = ranks_of(row.printed.algbw, row.printed.busbw);
    }
  return ranks;
}

std::string version_in(const std::string& line) {
  const std::size_t at = line.find("NCCL version ");
  if (at == std::string::npos) return "";
  const std::vector<std::string> words = words_of(line.substr(at + 13));
  return words.empty() || words[0].size() > 24 ? "" : "NCCL " + words[0];
}

std::string size_text(double bytes) { return std::to_string(static_cast<long long>(bytes)) + " B"; }

// Seconds of the slower side that can be used, 0 where none can; says why.
double usable_seconds(const Row& row, CollectiveOp op, int ranks, MeasuredFile& out) {
  double slowest = 0;
  bool off = false;
  for (const Side& side : row.sides) {
    if (side.wrong) {
      out.warn(row.line, "wrong results at " + size_text(row.printed.bytes) + ": left out");
      return 0;
    }
    const double algbw = row.printed.bytes / side.seconds / 1e9;
    if (side.busbw < 0 || agrees(side.busbw, algbw * bus_factor(op, ranks)))
      slowest = std::max(slowest, side.seconds);  // of out of place and in place the one to plan with
    else
      off = true;
  }
  if (off)
    out.warn(row.line, "busbw of " + size_text(row.printed.bytes) + " is off by more than 2 % for " + to_string(op) +
                           " of " + std::to_string(ranks) + " ranks: left out");
  return slowest;
}

void keep_rows(const std::vector<Row>& rows, CollectiveOp op, int ranks, int nodes, MeasuredFile& out) {
  for (const Row& row : rows) {
    if (row.printed.bytes <= 0) continue;  // the empty first size of a sweep
    if (row.sides.empty()) {
      out.warn(row.line, "no time that agrees with the bandwidth beside it: left out");
      continue;
    }
    const double seconds = usable_seconds(row, op, ranks, out);
    if (seconds > 0) out.add(CollectiveTime{op, ranks, nodes, row.printed.bytes, seconds, row.line});
  }
}

// One run of a test; a log may hold several.
struct Run {
  Devices devices;
  std::vector<Row> rows;
  Header header;
  std::optional<NcclColumns> columns;  // of a header that is not nccl-tests' own
  std::optional<CollectiveOp> named;
  bool announced = false;  // by lines of the test itself, not by a command alone

  // A line that stands before the rows of a test, though rows were seen: another run begins.
  bool ends_at(const std::string& line) const {
    if (rows.empty()) return false;
    return (operation_in(line) && !contains(line, "concluded")) || announces(line);
  }
  static bool announces(const std::string& line) {
    return contains(line, "# nThread ") || contains(line, "Using devices");
  }

  void take(const std::string& line, int number) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) return;
    if (!named) named = operation_in(line);
    announced = announced || announces(line);
    if (contains(line, "Rank") && contains(line, "device")) devices.take(words);
    if (!header.seen && contains(line, "count") && contains(line, "algbw"))
      header = {true, contains(line, "redop"), contains(line, "root")};
    if (auto found = nccl_columns(words)) columns = std::move(found);
    auto row = columns && !columns->usual ? row_by_names(*columns, words, number) : std::nullopt;
    if (!row) row = row_of(words, number);
    if (row)
      rows.push_back(*row);
    else if (!rows.empty())
      go_on(rows.back(), words);
  }

  // The operation, once its rows have been kept.
  std::optional<CollectiveOp> keep(const ReaderOptions& options, MeasuredFile& out) const {
    const int ranks = static_cast<int>(devices.ranks.size());
    if (const std::map<int, Run> parts = by_nodes(); ranks < 2 && parts.size() > 1) {
      std::optional<CollectiveOp> op;
      for (const auto& [nodes, part] : parts) op = part.keep_as(nodes, options, out);
      return op;
    }
    return keep_as(std::max<int>(1, static_cast<int>(devices.hosts.size())), options, out);
  }

 private:
  // Parts of a table with a column of nodes in front, where all rows have it.
  std::map<int, Run> by_nodes() const {
    std::map<int, Run> parts;
    for (const Row& row : rows) {
      if (row.added.value_or(0) < 1) return {};
      Run& part = parts[*row.added];
      part.header = header;
      part.named = named;
      part.rows.push_back(row);
    }
    return parts;
  }

  std::optional<CollectiveOp> keep_as(int nodes, const ReaderOptions& options, MeasuredFile& out) const {
    const int first = rows.front().line;
    int ranks = static_cast<int>(devices.ranks.size());
    if (ranks < 2) {
      ranks = ranks_of_rows(rows);
      if (ranks >= 2)
        out.warn(first, "no device lines: " + std::to_string(ranks) + " ranks worked out from busbw over algbw");
    }
    if (ranks < 2) {
      out.warn(first, devices.ranks.size() == 1
                          ? "one rank alone took part: nothing went between GPUs (was it built with MPI=1?)"
                          : "how many ranks took part is not said, so the rows cannot be used");
      return std::nullopt;
    }
    if (devices.copies())
      out.warn(first, "ranks announced more than once: independent copies of the test ran at a time");
    if (devices.other_groups) out.warn(first, "several communicators ran at a time; ranks are those of group 0");
    auto op = options.op ? options.op : named ? named : operation_of_rows(rows, ranks);
    if (!op) op = operation_of_header(header, rows, ranks);
    if (!op) {
      out.warn(first, "which operation it was is not said: all_gather and all_to_all print alike; name it with --op");
      return std::nullopt;
    }
    keep_rows(rows, *op, ranks, nodes, out);
    return op;
  }
};

constexpr std::size_t most_runs = 1000;

}  // namespace

bool is_nccl_text(const std::string& text) {
  if (contains(text, "busbw") && contains(text, "algbw")) return true;
  if (contains(text, "busbw") || contains(text, "algbw"))
    for (const std::string& line : lines_of(text))
      if (nccl_columns(words_of(without_prefix(line)))) return true;
  return contains(text, "# Avg bus bandwidth") || (contains(text, "# nThread ") && contains(text, "minBytes"));
}

void read_nccl_text(const std::string& text, const ReaderOptions& options, MeasuredFile& out) {
  std::vector<Run> runs(1);
  std::string version;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = without_prefix(raw);
    if (version.empty()) version = version_in(line);
    if (runs.size() < most_runs && runs.back().ends_at(line)) runs.emplace_back();
    runs.back().take(line, number);
  }
  for (std::size_t i = runs.size() - 1; i > 0; --i) {  // NCCL's own lines name programs too
    if (runs[i].announced) continue;
    runs[i - 1].rows.insert(runs[i - 1].rows.end(), runs[i].rows.begin(), runs[i].rows.end());
    runs[i].rows.clear();
  }
  std::erase_if(runs, [](const Run& run) { return run.rows.empty(); });
  out.program = "nccl-tests" + (version.empty() ? "" : " (" + version + ")");
  if (runs.empty()) {
    out.warn(0, "no rows: the test printed no data");
    return;
  }
  std::set<std::string> models;
  std::set<CollectiveOp> ops;
  for (const Run& run : runs) {
    models.insert(run.devices.models.begin(), run.devices.models.end());
    if (const auto op = run.keep(options, out)) ops.insert(*op);
  }
  if (models.size() == 1) out.gpu = *models.begin();
  if (ops.size() == 1) out.program = std::string(to_string(*ops.begin())) + " of " + out.program;
  if (runs.size() > 1)
    out.warn(0, std::to_string(runs.size()) + " runs; those of one operation and as many ranks are taken together");
}

}  // namespace clustersim
