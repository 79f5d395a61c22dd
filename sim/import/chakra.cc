#include "sim/import/chakra.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <queue>
#include <sstream>
#include <tuple>

#include "clustersim/error.h"
#include "models/workload/operator_kind.h"
#include "sim/import/chakra_nodes.h"
#include "sim/import/chakra_protobuf.h"
#include "sim/import/step_trace_file.h"

namespace clustersim {
namespace {

constexpr double most_us = 1e11;

SimTime from_us(double us) { return static_cast<SimTime>(std::llround(std::clamp(us, 0.0, most_us) * 1e6)); }

std::optional<CollectiveOp> op_of(const ChakraNode& node) {
  constexpr CollectiveOp ours[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                   CollectiveOp::reduce,     CollectiveOp::all_to_all, CollectiveOp::broadcast,
                                   CollectiveOp::send_recv};
  if (node.op >= 0 && static_cast<std::size_t>(node.op) < std::size(ours)) return ours[node.op];
  if (node.type == ChakraType::send || node.type == ChakraType::receive) return CollectiveOp::send_recv;
  switch (node.comm_type) {
    case 0:
      return CollectiveOp::all_reduce;
    case 1:
      return CollectiveOp::reduce;
    case 2:
    case 3:  // a gather loads the root's link as an all-gather loads each
      return CollectiveOp::all_gather;
    case 4:
    case 5:
      return CollectiveOp::broadcast;
    case 6:
      return CollectiveOp::all_to_all;
    case 7:
    case 8:
      return CollectiveOp::reduce_scatter;
    default:
      return std::nullopt;  // a barrier, or not told
  }
}

// Where each id stands. Writers number nodes one after the other as a rule: then nothing is kept.
class Places {
 public:
  explicit Places(const std::vector<ChakraNode>& nodes)
      : first_(nodes.empty() ? 0 : nodes.front().id), count_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size() && in_order_; ++i) in_order_ = nodes[i].id == first_ + i;
    if (in_order_) return;
    sorted_.reserve(count_);
    for (std::size_t i = 0; i < nodes.size(); ++i) sorted_.emplace_back(nodes[i].id, static_cast<std::int32_t>(i));
    std::sort(sorted_.begin(), sorted_.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), same), sorted_.end());
  }
  std::size_t repeated() const { return in_order_ ? 0 : count_ - sorted_.size(); }
  // -1: no such node; of several with one id the first.
  std::int32_t of(std::uint64_t id) const {
    if (in_order_) return id - first_ < count_ ? static_cast<std::int32_t>(id - first_) : -1;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{id, std::int32_t{0}});
    return at != sorted_.end() && at->first == id ? at->second : -1;
  }

 private:
  std::uint64_t first_;
  std::size_t count_;
  bool in_order_ = true;
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted_;
};

class ChakraTrace {
 public:
  explicit ChakraTrace(const ChakraFile& file) : file_(file), places_(file.nodes) {}

  TraceImport make() {
    for (const ChakraNode& node : file_.nodes) {
      on_gpu_ = on_gpu_ || (node.on_cpu == 0 && node.type == ChakraType::compute);
      timed_ = timed_ || node.start_us >= 0;
    }
    if (timed_) {
      take_times();
    } else {
      lay_out();
    }
    finish();
    return std::move(found_);
  }

 private:
  bool communicates(const ChakraNode& node) const {
    return node.type == ChakraType::collective || node.type == ChakraType::send || node.type == ChakraType::receive;
  }
  // A collective that moves something; its launch on the host has the same type.
  bool exchanges(const ChakraNode& node) const { return communicates(node) && node.on_cpu != 1 && op_of(node); }
  bool computes(const ChakraNode& node) const {
    const bool memory = node.type == ChakraType::load || node.type == ChakraType::store;
    return (node.type == ChakraType::compute && (!on_gpu_ || node.on_cpu != 1)) || memory;
  }

  TraceOperator operator_of(const ChakraNode& node) {
    TraceOperator op;
    op.name = node.name;
    op.duration = node.duration_us >= 0 ? from_us(node.duration_us) : -1;
    const std::string name = node.name >= 0 ? file_.names[static_cast<std::size_t>(node.name)] : "";
    if (exchanges(node)) {
      op.kind = OperatorKind::collective;
      op.collective = static_cast<std::int32_t>(trace().collectives.size());
      TraceCollective c;
      c.op = *op_of(node);
      if (node.comm_bytes >= 0) c.bytes = node.comm_bytes;
      c.group = node.group > 0 ? node.group : c.op == CollectiveOp::send_recv ? 2 : 0;
      c.stride = node.stride;
      if (node.wire_us >= 0) c.wire = from_us(node.wire_us);
      trace().collectives.push_back(c);
      op.stream = node.stream >= 0 ? node.stream : queue_of(node);
      if (op.duration == 0 && !timed_) op.duration = -1;  // to be worked out
    } else {
      op.stream = std::max<std::int16_t>(0, node.stream);
      op.duration = std::max<SimTime>(0, op.duration);
      op.kind = on_gpu_ || node.on_cpu != 1 ? operator_kind(name) : OperatorKind::cpu;
      if (op.kind == OperatorKind::collective) op.kind = OperatorKind::unknown;
      if (node.operations >= 0) op.flop = node.operations;
      if (node.tensor_bytes >= 0) op.bytes = node.tensor_bytes;
      if (node.duration_us <= 0 && node.operations > 0) ++untimed_;
    }
    if (node.kind >= 0 && node.kind <= static_cast<int>(OperatorKind::unknown))
      op.kind = static_cast<OperatorKind>(node.kind);
    if (node.launch >= 0 && node.launch <= static_cast<int>(Launch::synchronized))
      op.launch = static_cast<Launch>(node.launch);
    return op;
  }

  // Queues of communication have numbers of their own, from 1000 up.
  std::int16_t queue_of(const ChakraNode& node) {
    const auto [at, is_new] =
        queues_.try_emplace(node.queue, static_cast<std::int16_t>(1000 + std::min<std::size_t>(queues_.size(), 20000)));
    return at->second;
  }

  StepTrace& trace() { return found_.trace; }

  void take_times() {
    double origin_us = INFINITY;
    for (const ChakraNode& node : file_.nodes)
      if ((computes(node) || exchanges(node)) && node.start_us >= 0) origin_us = std::min(origin_us, node.start_us);
    const bool own = file_.numbers.contains("step_ps");
    if (own) origin_us = 0;
    std::vector<std::int32_t> place_of(own ? file_.nodes.size() : 0, -1);
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const ChakraNode& node = file_.nodes[i];
      if (!computes(node) && !exchanges(node)) {
        ++left_out_;
        continue;
      }
      TraceOperator op = operator_of(node);
      op.start = from_us(node.start_us - origin_us);
      op.first_after = static_cast<std::int32_t>(trace().after.size());
      if (own) {
        place_of[i] = static_cast<std::int32_t>(trace().operators.size());
        for (std::int32_t d = 0; d < node.dependencies; ++d)
          if (const std::int32_t before = place_of_dependency(node, d, place_of); before >= 0)
            trace().after.push_back(before);
      }
      op.after_count = static_cast<std::int32_t>(trace().after.size()) - op.first_after;
      trace().operators.push_back(op);
    }
  }

  // The operator that a node's dependency has become, -1 for none.
  std::int32_t place_of_dependency(const ChakraNode& node, std::int32_t d,
                                   const std::vector<std::int32_t>& place_of) const {
    const std::int32_t before = places_.of(file_.dependencies[static_cast<std::size_t>(node.first_dependency + d)]);
    return before < 0 ? -1 : place_of[static_cast<std::size_t>(before)];
  }

  // Without times: as soon as possible, in the order of dependencies.
  void lay_out() {
    const std::size_t count = file_.nodes.size();
    trace().operators.reserve(count);
    link();
    struct Ready {
      SimTime time;
      std::uint64_t id;
      std::int32_t node;
      bool operator>(const Ready& other) const {
        return std::tie(time, id, node) > std::tie(other.time, other.id, other.node);
      }
    };
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto release = [&](std::int32_t node, SimTime time) {
      ready.push({time, file_.nodes[static_cast<std::size_t>(node)].id, node});
    };
    for (std::size_t i = 0; i < count; ++i)
      if (waits_for_[i] == 0) release(static_cast<std::int32_t>(i), 0);
    std::vector<SimTime> possible(count, 0);
    std::vector<std::int32_t> place_of(count, -1);
    std::map<int, SimTime> free;  // by queue: GPU 0, host 1, communication from 1000 up
    std::size_t done = 0;
    while (!ready.empty()) {
      const Ready next = ready.top();
      ready.pop();
      const auto n = static_cast<std::size_t>(next.node);
      const SimTime end = place(n, next.time, free, place_of);
      ++done;
      for (std::int32_t s = first_successor_[n]; s < first_successor_[n + 1]; ++s) {
        const auto successor = static_cast<std::size_t>(successors_[static_cast<std::size_t>(s)]);
        possible[successor] = std::max(possible[successor], end);
        if (--waits_for_[successor] == 0) release(static_cast<std::int32_t>(successor), possible[successor]);
      }
    }
    trace().dependencies = true;
    if (done == count) return;
    for (std::size_t i = 0; i < count; ++i)
      if (waits_for_[i] > 0)
        throw InputError({{"", "", "nodes that do not wait for each other",
                           "node " + std::to_string(file_.nodes[i].id) + " waits for ever, with " +
                               std::to_string(count - done - 1) + " others",
                           "look for a circle of dependencies"}});
  }

  void link() {
    const std::size_t count = file_.nodes.size();
    waits_for_.assign(count, 0);
    first_successor_.assign(count + 1, 0);
    const auto for_each_edge = [&](auto&& edge) {
      for (std::size_t i = 0; i < count; ++i) {
        const ChakraNode& node = file_.nodes[i];
        for (std::int32_t d = 0; d < node.dependencies; ++d) {
          edge(places_.of(file_.dependencies[static_cast<std::size_t>(node.first_dependency + d)]), i);
        }
      }
    };
    for_each_edge([&](std::int32_t before, std::size_t i) {
      if (before < 0) {
        ++dangling_;
      } else {
        ++waits_for_[i];
        ++first_successor_[static_cast<std::size_t>(before) + 1];
      }
    });
    for (std::size_t i = 0; i < count; ++i) first_successor_[i + 1] += first_successor_[i];
    successors_.resize(static_cast<std::size_t>(first_successor_[count]));
    std::vector<std::int32_t> next(first_successor_.begin(), first_successor_.end() - 1);
    for_each_edge([&](std::int32_t before, std::size_t i) {
      if (before >= 0)
        successors_[static_cast<std::size_t>(next[static_cast<std::size_t>(before)]++)] = static_cast<std::int32_t>(i);
    });
  }

  // Puts a node on its queue at its turn; the time of its end.
  SimTime place(std::size_t n, SimTime possible, std::map<int, SimTime>& free, std::vector<std::int32_t>& place_of) {
    const ChakraNode& node = file_.nodes[n];
    const bool kept = computes(node) || exchanges(node);
    if (!kept) {  // hands on what it waited for
      ++left_out_;
      place_of[n] = last_kept(node, place_of);
      return possible;
    }
    TraceOperator op = operator_of(node);
    SimTime& queue = free[op.collective >= 0 ? op.stream : op.kind == OperatorKind::cpu ? 1 : 0];
    if (op.collective < 0) op.stream = op.kind == OperatorKind::cpu ? 1 : 0;
    op.start = std::max(possible, queue);
    queue = op.start + std::max<SimTime>(0, op.duration);
    op.first_after = static_cast<std::int32_t>(trace().after.size());
    for (std::int32_t d = 0; d < node.dependencies; ++d) {
      const std::int32_t place = place_of_dependency(node, d, place_of);
      // What comes before it in the same row needs no word.
      const bool in_row = place + 1 == static_cast<std::int32_t>(trace().operators.size()) && op.collective < 0 &&
                          place >= 0 && trace().operators[static_cast<std::size_t>(place)].collective < 0;
      if (place >= 0 && !in_row) trace().after.push_back(place);
    }
    op.after_count = static_cast<std::int32_t>(trace().after.size()) - op.first_after;
    place_of[n] = static_cast<std::int32_t>(trace().operators.size());
    trace().operators.push_back(op);
    return queue;
  }

  std::int32_t last_kept(const ChakraNode& node, const std::vector<std::int32_t>& place_of) const {
    std::int32_t last = -1;
    for (std::int32_t d = 0; d < node.dependencies; ++d) last = std::max(last, place_of_dependency(node, d, place_of));
    return last;
  }

  double number(const char* key) const {
    const auto found = file_.numbers.find(key);
    return found == file_.numbers.end() || !(found->second >= 0 && found->second < 1e17) ? 0 : found->second;
  }
  std::string text(const char* key) const {
    const auto found = file_.texts.find(key);
    return found == file_.texts.end() ? "" : found->second;
  }

  void finish() {
    StepTrace& t = trace();
    t.names = file_.names;
    t.source = text("source").empty() ? "Chakra" : text("source");
    t.gpu = text("gpu");
    t.batch_guess = text("batch_guess");
    t.ranks = static_cast<int>(std::min(number("ranks"), 1e7));
    t.batch = std::min(number("batch"), 1e7);
    t.parameters = std::min(number("parameters"), 1e14);
    t.on_cpu =
        number("on_cpu") > 0 || (timed_ && !on_gpu_ && !t.operators.empty() &&
                                 std::all_of(t.operators.begin(), t.operators.end(), [](const TraceOperator& op) {
                                   return op.kind == OperatorKind::cpu || op.collective >= 0;
                                 }));
    t.dependencies = t.dependencies || number("dependencies") > 0;
    std::istringstream steps(text("steps_ps"));
    for (SimTime step = 0; steps >> step;) t.steps.push_back(std::max<SimTime>(0, step));
    SimTime end = 0;
    for (const TraceOperator& op : t.operators) end = std::max(end, op.start + std::max<SimTime>(0, op.duration));
    t.step = std::max(end, static_cast<SimTime>(number("step_ps")));
    const auto warn = [&](std::size_t count, const char* what) {
      if (count > 0) found_.warnings.push_back(std::to_string(count) + " " + what);
    };
    warn(dangling_, "dependencies on nodes that are not there: dropped");
    warn(places_.repeated(), "nodes with the id of another: what depends on it depends on the first");
    if (left_out_ > 0)
      found_.known.push_back(std::to_string(left_out_) + " nodes of " + std::to_string(file_.nodes.size()) +
                             " left out: operators of the host beside a GPU, launches, metadata");
    if (!file_.trouble.empty()) found_.warnings.push_back("the file breaks off: " + file_.trouble);
    if (untimed_ > 0)
      throw InputError({{"", "", "the duration of every compute node",
                         std::to_string(untimed_) + " nodes with num_ops and without a duration", ""}});
    if (t.operators.empty() || (t.step == 0 && t.collectives.empty()))
      throw InputError({{"", "", "compute nodes with durations, or collectives", "none", ""}});
  }

  const ChakraFile& file_;
  Places places_;
  TraceImport found_;
  bool on_gpu_ = false, timed_ = false;
  std::size_t left_out_ = 0, dangling_ = 0, untimed_ = 0;
  std::map<std::int32_t, std::int16_t> queues_;
  std::vector<std::int32_t> waits_for_, first_successor_, successors_;
};

// name.N.et: how many of them lie side by side, from 0 up.
int ranks_beside(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path file(path);
  if (file.extension() != ".et" || file.stem().extension().empty()) return 0;
  const std::string base = (file.parent_path() / file.stem().stem()).string();
  int ranks = 0;
  std::error_code ignored;
  while (ranks < 1 << 20 && fs::exists(base + "." + std::to_string(ranks) + ".et", ignored)) ++ranks;
  return ranks;
}

TraceImport read_one(const std::string& path) {
  try {
    const ChakraFile file = read_chakra_file(path);
    return ChakraTrace(file).make();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& p : problems)
      if (p.file.empty()) p.file = path;
    throw InputError(problems);
  }
}

}  // namespace

TraceImport read_chakra(const std::vector<std::string>& paths) {
  TraceImport found = read_one(paths.front());
  found.format = "Chakra execution trace";
  StepTrace& trace = found.trace;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const StepTrace other = read_one(paths[i]).trace;
    if (other.collectives.size() != trace.collectives.size())
      found.warnings.push_back(paths[i] + ": " + std::to_string(other.collectives.size()) +
                               " collectives, the first file " + std::to_string(trace.collectives.size()) +
                               ": ranks may differ; the first is used for all");
  }
  if (trace.ranks == 0) trace.ranks = std::max(ranks_beside(paths.front()), static_cast<int>(paths.size()));
  const int dropped = sort_operators(trace);
  if (dropped > 0) found.warnings.push_back(std::to_string(dropped) + " dependencies on what starts later: dropped");
  if (trace.gpu.empty() && !trace.on_cpu) found.unknown.push_back("gpu: give it as recorded_on of the job's model");
  if (trace.batch <= 0) found.unknown.push_back("batch: samples of a step; give it as batch_per_gpu of the job");
  if (trace.collectives.empty() && trace.ranks > 1)
    found.warnings.push_back("no collective moves anything in this trace of " + std::to_string(trace.ranks) + " ranks");
  return found;
}

Imported import_chakra(const std::vector<std::string>& paths) {
  if (paths.size() > 1 || !is_step_trace(paths.front())) return imported_trace(read_chakra(paths));
  const StepTrace trace = read_step_trace(paths.front());
  Imported imported;
  imported.format = "a recorded step of ours, to Chakra's protobuf";
  imported.known = trace_summary(trace);
  imported.document = chakra_protobuf(trace);
  return imported;
}

}  // namespace clustersim
