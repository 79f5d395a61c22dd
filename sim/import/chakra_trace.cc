#include "sim/import/chakra_trace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <span>
#include <sstream>
#include <tuple>

#include "clustersim/error.h"
#include "models/workload/operator_kind.h"

namespace clustersim {
namespace {

constexpr double most_us = 1e11;
constexpr SimTime longest_step =
    SimTime{86400} * 1'000'000'000'000;  // a day, beyond which picoseconds do not reach far

[[noreturn]] void refuse_endless() {
  throw InputError({{"", "", "a step of at most a day", "a longer one",
                     "a node with a start or a duration of its own makes it so long: take it out"}});
}

SimTime from_us(double us) { return static_cast<SimTime>(std::llround(std::clamp(us, 0.0, most_us) * 1e6)); }

class ChakraTrace {
 public:
  // Takes the file apart.
  explicit ChakraTrace(ChakraFile& file) : file_(file), places_(file), kinds_(file.names.size()) {}

  TraceImport make() {
    for (const ChakraNode& node : file_.nodes) {
      on_gpu_ = on_gpu_ || (node.on_cpu == 0 && node.type == ChakraType::compute);
      sends_ = sends_ || node.type == ChakraType::send;
      receives_ += node.type == ChakraType::receive;
    }
    timed_ = !file_.starts_us.empty();
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
  // A collective that moves something; its launch on the host has the same type. A receive is the other end of a send.
  bool exchanges(const ChakraNode& node) const {
    if (node.type == ChakraType::receive && sends_) return false;
    return communicates(node) && node.on_cpu != 1 && op_of(node);
  }
  // By its attributes; a kernel that has none, as in JSON of Chakra's jsonizer, by its name.
  std::optional<CollectiveOp> op_of(const ChakraNode& node) const {
    const auto told = chakra_op(node, file_.more_of(node));
    if (told || node.on_cpu != 0 || node.name < 0) return told;
    return collective_op_of_name(file_.names[static_cast<std::size_t>(node.name)]);
  }
  bool computes(const ChakraNode& node) const {
    const bool memory = node.type == ChakraType::load || node.type == ChakraType::store;
    return (node.type == ChakraType::compute && (!on_gpu_ || node.on_cpu != 1)) || memory;
  }

  TraceOperator operator_of(const ChakraNode& node) {
    const ChakraMore& more = file_.more_of(node);
    TraceOperator op;
    op.name = node.name;
    op.duration = node.duration_us >= 0 ? from_us(node.duration_us) : -1;
    if (exchanges(node)) {
      op.kind = OperatorKind::collective;
      op.collective = static_cast<std::int32_t>(trace().collectives.size());
      TraceCollective c;
      c.op = *op_of(node);
      if (more.comm_bytes >= 0) c.bytes = more.comm_bytes;
      c.group = more.group > 0 ? more.group : c.op == CollectiveOp::send_recv ? 2 : 0;
      c.stride = more.stride;
      if (more.wire_us >= 0) c.wire = from_us(more.wire_us);
      trace().collectives.push_back(c);
      op.stream = node.stream >= 0 ? node.stream : queue_of(more);
      if (op.duration == 0 && !timed_) op.duration = -1;  // to be worked out
    } else {
      op.stream = std::max<std::int16_t>(0, node.stream);
      op.duration = std::max<SimTime>(0, op.duration);
      op.kind = on_gpu_ || node.on_cpu != 1 ? kind_of(node) : OperatorKind::cpu;
      if (op.kind == OperatorKind::collective) op.kind = OperatorKind::unknown;
      if (more.operations >= 0) op.flop = more.operations;
      if (more.tensor_bytes >= 0) op.bytes = more.tensor_bytes;
      if (node.duration_us <= 0 && more.operations > 0) ++untimed_;
    }
    if (node.kind >= 0 && node.kind <= static_cast<int>(OperatorKind::unknown))
      op.kind = static_cast<OperatorKind>(node.kind);
    if (node.launch >= 0 && node.launch <= static_cast<int>(Launch::synchronized))
      op.launch = static_cast<Launch>(node.launch);
    return op;
  }

  // By its name; names are few, nodes many.
  OperatorKind kind_of(const ChakraNode& node) {
    if (node.name < 0) return operator_kind("");
    std::optional<OperatorKind>& kind = kinds_[static_cast<std::size_t>(node.name)];
    if (!kind) kind = operator_kind(file_.names[static_cast<std::size_t>(node.name)]);
    return *kind;
  }

  // Queues of communication have numbers of their own, from 1000 up.
  std::int16_t queue_of(const ChakraMore& more) {
    const auto [at, is_new] =
        queues_.try_emplace(more.queue, static_cast<std::int16_t>(1000 + std::min<std::size_t>(queues_.size(), 20000)));
    return at->second;
  }

  StepTrace& trace() { return found_.trace; }

  void take_times() {
    double origin_us = INFINITY;
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const ChakraNode& node = file_.nodes[i];
      if ((computes(node) || exchanges(node)) && file_.start_us(i) >= 0)
        origin_us = std::min(origin_us, file_.start_us(i));
    }
    const bool own = file_.numbers.contains("step_ps");
    if (own) origin_us = 0;
    if (own) {
      find_dependencies();
      place_of_.assign(file_.nodes.size(), -1);
    }
    trace().operators.reserve(file_.nodes.size());
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
      const ChakraNode& node = file_.nodes[i];
      if (!computes(node) && !exchanges(node)) {
        ++left_out_;
        continue;
      }
      TraceOperator op = operator_of(node);
      unplaced_ += file_.start_us(i) < 0;
      op.start = from_us(file_.start_us(i) - origin_us);
      op.first_after = static_cast<std::int32_t>(trace().after.size());
      if (own) {
        place_of_[i] = static_cast<std::int32_t>(trace().operators.size());
        for (const std::int32_t b : before(i))
          if (const std::int32_t place = place_of(b); place >= 0) trace().after.push_back(place);
      }
      op.after_count = static_cast<std::int32_t>(trace().after.size()) - op.first_after;
      trace().operators.push_back(op);
    }
  }

  // The operator that a node before has become, -1 for none.
  std::int32_t place_of(std::int32_t before) const {
    return before < 0 ? -1 : place_of_[static_cast<std::size_t>(before)];
  }

  // Ids of dependencies become the numbers of the nodes, -1 where there is no such node.
  void find_dependencies() {
    before_.reserve(file_.dependencies.size());
    for (const std::uint64_t id : file_.dependencies) before_.push_back(places_.of(id));
    file_.dependencies = {};
  }
  std::span<const std::int32_t> before(std::size_t node) const {
    const auto first = static_cast<std::size_t>(file_.nodes[node].first_dependency);
    const std::size_t end = node + 1 < file_.nodes.size()
                                ? static_cast<std::size_t>(file_.nodes[node + 1].first_dependency)
                                : before_.size();
    return {before_.data() + first, end - first};
  }

  // Without times: as soon as possible, in the order of dependencies.
  void lay_out() {
    const std::size_t count = file_.nodes.size();
    link();
    trace().operators.reserve(count);
    struct Ready {
      SimTime time;
      std::uint64_t id;
      std::int32_t node;
      bool operator>(const Ready& other) const {
        return std::tie(time, id, node) > std::tie(other.time, other.id, other.node);
      }
    };
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto release = [&](std::size_t node, SimTime time) {
      ready.push({time, file_.id(node), static_cast<std::int32_t>(node)});
    };
    for (std::size_t i = 0; i < count; ++i)
      if (place_of_[i] == waits_for_none) release(i, 0);
    std::map<int, SimTime> free;  // by queue: GPU 0, host 1, communication from 1000 up
    std::size_t done = 0;
    while (!ready.empty()) {
      const Ready next = ready.top();
      ready.pop();
      const auto n = static_cast<std::size_t>(next.node);
      place(n, next.time, free);
      ++done;
      for (std::int32_t s = first_successor_[n]; s < first_successor_[n + 1]; ++s) {
        const auto successor = static_cast<std::size_t>(successors_[static_cast<std::size_t>(s)]);
        if (++place_of_[successor] == waits_for_none) release(successor, possible(successor));
      }
    }
    trace().dependencies = true;
    if (done == count) return;
    for (std::size_t i = 0; i < count; ++i)
      if (place_of_[i] < waits_for_none)
        throw InputError({{"", "", "nodes that do not wait for each other",
                           "node " + std::to_string(file_.id(i)) + " waits for ever, with " +
                               std::to_string(count - done - 1) + " others",
                           "look for a circle of dependencies"}});
  }

  // Every node waits, and its successors follow each other.
  void link() {
    const std::size_t count = file_.nodes.size();
    find_dependencies();
    place_of_.assign(count, waits_for_none);
    first_successor_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::int32_t b : before(i)) {
        if (b < 0) {
          ++dangling_;
        } else {
          --place_of_[i];
          ++first_successor_[static_cast<std::size_t>(b)];
        }
      }
    // Up to the end of each node's successors, and back to their first as they are put in.
    for (std::size_t i = 0; i < count; ++i) first_successor_[i + 1] += first_successor_[i];
    successors_.resize(static_cast<std::size_t>(first_successor_[count]));
    for (std::size_t i = count; i-- > 0;)
      for (const std::int32_t b : before(i))
        if (b >= 0)
          successors_[static_cast<std::size_t>(--first_successor_[static_cast<std::size_t>(b)])] =
              static_cast<std::int32_t>(i);
  }

  // When all that a node waits for has ended.
  SimTime possible(std::size_t n) const {
    SimTime time = 0;
    for (const std::int32_t b : before(n)) {
      if (b < 0) continue;
      const auto handed_on = handed_on_.find(b);
      time = std::max(time, handed_on != handed_on_.end() ? handed_on->second : end_of(place_of(b)));
    }
    return time;
  }
  SimTime end_of(std::int32_t place) const {
    const TraceOperator& op = found_.trace.operators[static_cast<std::size_t>(place)];
    return op.start + std::max<SimTime>(0, op.duration);
  }

  // Puts a node on its queue at its turn.
  void place(std::size_t n, SimTime possible, std::map<int, SimTime>& free) {
    const ChakraNode& node = file_.nodes[n];
    const bool kept = computes(node) || exchanges(node);
    if (!kept) {  // hands on what it waited for
      ++left_out_;
      std::int32_t last = -1;
      for (const std::int32_t b : before(n)) last = std::max(last, place_of(b));
      place_of_[n] = last;
      handed_on_[static_cast<std::int32_t>(n)] = possible;
      return;
    }
    TraceOperator op = operator_of(node);
    SimTime& queue = free[op.collective >= 0 ? op.stream : op.kind == OperatorKind::cpu ? 1 : 0];
    if (op.collective < 0) op.stream = op.kind == OperatorKind::cpu ? 1 : 0;
    op.start = std::max(possible, queue);
    if (op.start > longest_step) refuse_endless();
    op.first_after = static_cast<std::int32_t>(trace().after.size());
    for (const std::int32_t b : before(n)) {
      const std::int32_t place = place_of(b);
      // What comes before it in the same row needs no word.
      const bool in_row = place + 1 == static_cast<std::int32_t>(trace().operators.size()) && op.collective < 0 &&
                          place >= 0 && trace().operators[static_cast<std::size_t>(place)].collective < 0;
      if (place >= 0 && !in_row) trace().after.push_back(place);
    }
    op.after_count = static_cast<std::int32_t>(trace().after.size()) - op.first_after;
    place_of_[n] = static_cast<std::int32_t>(trace().operators.size());
    trace().operators.push_back(op);
    queue = end_of(place_of_[n]);
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
    if (t.step > longest_step) refuse_endless();
    const auto warn = [&](std::size_t count, const char* what) {
      if (count > 0) found_.warnings.push_back(std::to_string(count) + " " + what);
    };
    for (const auto& [what, count] : file_.faulty) warn(count, (what + ": unknown").c_str());
    warn(unplaced_, "nodes without a start, in a file that tells those of others: put at the beginning");
    warn(dangling_, "dependencies on nodes that are not there: dropped");
    warn(places_.repeated(), "nodes with the id of another: what depends on it depends on the first");
    if (left_out_ > 0)
      found_.known.push_back(std::to_string(left_out_) + " nodes of " + std::to_string(file_.nodes.size()) +
                             " left out: operators of the host beside a GPU, launches, metadata");
    if (sends_ && receives_ > 0)
      found_.known.push_back(std::to_string(receives_) + " receives are the other ends of sends: counted once");
    if (!file_.trouble.empty()) found_.warnings.push_back("the file breaks off: " + file_.trouble);
    if (untimed_ > 0)
      throw InputError({{"", "", "the duration of every compute node",
                         std::to_string(untimed_) + " nodes with num_ops and without a duration",
                         file_.faulty.empty() ? "" : "durations below 0 or above an hour count as none"}});
    if (t.operators.empty() || (t.step == 0 && t.collectives.empty()))
      throw InputError({{"", "", "compute nodes with durations, or collectives", "none", ""}});
  }

  static constexpr std::int32_t waits_for_none = -1;

  ChakraFile& file_;
  ChakraPlaces places_;
  TraceImport found_;
  bool on_gpu_ = false, timed_ = false, sends_ = false;
  std::size_t left_out_ = 0, dangling_ = 0, untimed_ = 0, receives_ = 0, unplaced_ = 0;
  std::map<std::int32_t, std::int16_t> queues_;
  std::vector<std::optional<OperatorKind>> kinds_;  // by name, once asked for
  std::vector<std::int32_t> before_;                // of all dependencies
  // By node: the operator that it has become, or of what it only handed on the last, -1: none. While it waits for other
  // nodes, so many below -1.
  std::vector<std::int32_t> place_of_;
  std::vector<std::int32_t> first_successor_, successors_;
  std::map<std::int32_t, SimTime> handed_on_;  // by node that becomes no operator: when it could have started
};

}  // namespace

TraceImport chakra_trace(ChakraFile& file) { return ChakraTrace(file).make(); }

}  // namespace clustersim
