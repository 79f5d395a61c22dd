#include "models/workload/replay_step.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "clustersim/error.h"
#include "models/workload/operator_kind.h"
#include "models/workload/replay_kernels.h"

namespace clustersim {
namespace {

constexpr double ddp_first_bucket_bytes = 1048576.0;  // [published: torch reducer.hpp, kDefaultFirstBucketBytes]
constexpr SimTime just_after = 20'000'000;            // 20 us: a kernel that starts so soon after a collective's end
constexpr double backward_share = 2.0 / 3;            // of the time before the optimizer [assumed]

class StepMaker {
 public:
  StepMaker(const Job& job, const GpuSpec& target, int ranks)
      : job_(job), trace_(*job.trace), scaler_(job, target), exchanging_(ranks > 1) {}

  ReplayStep make() {
    lay_out();
    if (exchanging_) {
      find_collectives();
      if (step_.collectives.empty()) add_gradients();
    }
    pieces_of_row_.reserve(row_.size());
    for (std::size_t i = 0; i < row_.size(); ++i) append_operator(i);
    append_collectives(row_.size());
    end_step();
    step_.one_queue = last_of_queues_.size() <= 1;
    return std::move(step_);
  }

 private:
  struct InRow {
    std::int32_t op = -1;
    SimTime start = 0, end = 0;  // without the part that ran beside an earlier one
  };
  struct Exchange {
    int collective = -1;     // index into ReplayStep::collectives
    int after_row = -1;      // the last operator of the row that it follows; -1: the start of the step
    std::vector<int> after;  // exchanges that must be done before
    int follows = -1;        // the exchange before in its queue
    int queue = 0;
    SimTime start = 0, end = 0;
    double seconds = unknown_amount;  // as recorded
    int piece = -1;
  };

  const TraceOperator& op_of(const InRow& entry) const { return trace_.operators[static_cast<std::size_t>(entry.op)]; }

  // When the first kernel starts after each operator, never beyond the step.
  std::vector<SimTime> next_kernels() const {
    std::vector<SimTime> next(trace_.operators.size());
    SimTime coming = std::max<SimTime>(trace_.step, 0);
    for (std::size_t i = next.size(); i-- > 0;) {
      next[i] = coming;
      const TraceOperator& op = trace_.operators[i];
      if (op.kind != OperatorKind::collective && op.kind != OperatorKind::host_copy) coming = op.start;
    }
    return next;
  }

  // All queues in one row. A copy from or to the host ends in it where the next kernel begins: what is left of it runs
  // beside that one, or beside the next step.
  void lay_out() {
    SimTime covered = 0;
    const std::vector<SimTime> next = next_kernels();
    row_of_.assign(trace_.operators.size(), -1);
    row_.reserve(trace_.operators.size());
    for (std::size_t i = 0; i < trace_.operators.size(); ++i) {
      const TraceOperator& op = trace_.operators[i];
      if (op.kind == OperatorKind::collective) continue;
      const SimTime start = std::max(op.start, covered), whole = op.start + std::max<SimTime>(op.duration, 0);
      const SimTime end = op.kind == OperatorKind::host_copy ? std::clamp(next[i], op.start, whole) : whole;
      if (end > covered || row_.empty()) {
        row_.push_back({static_cast<std::int32_t>(i), start, std::max(end, start)});
        step_.beside_s += sim_time_to_seconds(start - op.start);
        covered = std::max(end, start);
      } else {
        step_.beside_s += sim_time_to_seconds(end - op.start);
      }
      row_of_[i] = static_cast<int>(row_.size()) - 1;
    }
    last_of_piece_.assign(row_.size(), false);
  }

  // The last operator of the row that has ended by then.
  int row_before(SimTime time) const {
    const auto at =
        std::upper_bound(row_.begin(), row_.end(), time, [](SimTime t, const InRow& entry) { return t < entry.end; });
    return static_cast<int>(at - row_.begin()) - 1;
  }

  void find_collectives() {
    std::vector<int> exchange_of(trace_.operators.size(), -1);
    std::map<int, int> last_of_stream;
    for (std::size_t i = 0; i < trace_.operators.size(); ++i) {
      const TraceOperator& op = trace_.operators[i];
      if (op.kind != OperatorKind::collective) continue;
      Exchange e;
      e.collective = static_cast<int>(step_.collectives.size());
      step_.collectives.push_back(trace_.collectives[static_cast<std::size_t>(op.collective)]);
      e.start = op.start;
      // What lasts beyond the step runs beside the next one.
      e.end = op.start + std::clamp<SimTime>(op.duration, 0, std::max<SimTime>(trace_.step - op.start, 0));
      if (op.duration >= 0) e.seconds = sim_time_to_seconds(e.end - e.start);
      bool told = trace_.dependencies;
      for (std::int32_t d = 0; d < op.after_count; ++d) {
        const auto before = static_cast<std::size_t>(trace_.after[static_cast<std::size_t>(op.first_after + d)]);
        if (exchange_of[before] >= 0) e.after.push_back(exchange_of[before]);
        if (row_of_[before] >= 0) e.after_row = std::max(e.after_row, row_of_[before]);
        told = told || row_of_[before] >= 0;
      }
      if (!told) e.after_row = row_before(op.start);
      const auto [queue, is_new] = last_of_stream.try_emplace(op.stream, -1);
      e.follows = queue->second;
      e.queue = op.stream;
      queue->second = exchange_of[i] = static_cast<int>(exchanges_.size());
      exchanges_.push_back(e);
    }
    for (const Exchange& e : exchanges_)
      if (e.after_row >= 0) last_of_piece_[static_cast<std::size_t>(e.after_row)] = true;
    for (const auto& [stream, last] : last_of_stream) last_of_queues_.push_back(last);
    find_waits(exchange_of);
  }

  void find_waits(const std::vector<int>& exchange_of) {
    for (std::size_t i = 0; i < trace_.operators.size(); ++i) {
      const TraceOperator& op = trace_.operators[i];
      if (row_of_[i] < 0) continue;
      for (std::int32_t d = 0; d < op.after_count; ++d) {
        const int e = exchange_of[static_cast<std::size_t>(trace_.after[static_cast<std::size_t>(op.first_after + d)])];
        if (e >= 0) waits_[row_of_[i]].push_back(e);
      }
    }
    if (trace_.dependencies) return;
    bool updating = false;
    std::size_t next = 0;
    std::vector<int> running;           // begun and not known to have ended
    std::map<int, int> ended_of_queue;  // the last of each queue that has ended
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const InRow& entry = row_[i];
      const SimTime before = i == 0 ? 0 : row_[i - 1].end;
      const bool update = op_of(entry).kind == OperatorKind::optimizer;
      const bool first_update = update && !updating;
      updating = update;
      if (!first_update && entry.start - before <= folded_pause) continue;
      while (next < exchanges_.size() && exchanges_[next].start < entry.start)
        running.push_back(static_cast<int>(next++));
      std::vector<int> waits;
      std::erase_if(running, [&](int e) {
        const Exchange& x = exchanges_[static_cast<std::size_t>(e)];
        if (x.end > entry.start) return false;
        ended_of_queue[x.queue] = e;
        const SimTime shared = x.end - std::max(before, x.start);
        const bool most_of_it = op_of(entry).launch != Launch::host && 2 * shared >= entry.start - before;
        if (x.end > before && (entry.start - x.end <= just_after || most_of_it)) waits.push_back(e);
        return true;
      });
      if (first_update)
        for (const auto& [queue, last] : ended_of_queue) waits.push_back(last);
      if (!waits.empty()) waits_[static_cast<int>(i)] = std::move(waits);
    }
  }

  // The first kernel of the optimizer behind the last product; gradients that are zeroed by the same kernels at the
  // beginning of a step are none of it.
  std::size_t update_begin() const {
    std::size_t first = row_.size();
    for (std::size_t i = row_.size(); i-- > 0;) {
      if (bound_by_arithmetic(op_of(row_[i]).kind) && first < row_.size()) return first;
      if (op_of(row_[i]).kind == OperatorKind::optimizer) first = i;
    }
    return first;
  }

  // All-reduces that the recording of one GPU could not have.
  void add_gradients() {
    if (trace_.parameters <= 0) return;
    const std::size_t update = update_begin();
    const SimTime backward_end = update == 0 ? 0 : row_[update - 1].end;
    const double per_element = job_.gradient_precision == GradientPrecision::fp16 ? 2 : 4;
    const double total = trace_.parameters * per_element;
    double limit = job_.bucket > Bytes() ? ddp_first_bucket_bytes : total, done = 0;
    while (done < total) {
      const double size = std::min(limit, total - done);
      done += size;
      if (job_.bucket > Bytes()) limit = job_.bucket.base();
      Exchange e;
      e.collective = static_cast<int>(step_.collectives.size());
      step_.collectives.push_back({CollectiveOp::all_reduce, size, 0, 0, -1});
      const double share = job_.overlap ? 1 - backward_share * (1 - done / total) : 1.0;
      e.after_row = std::min(row_before(static_cast<SimTime>(share * static_cast<double>(backward_end))),
                             static_cast<int>(update) - 1);
      e.start = e.end = e.after_row < 0 ? 0 : row_[static_cast<std::size_t>(e.after_row)].end;
      e.follows = static_cast<int>(exchanges_.size()) - 1;
      if (e.after_row >= 0) last_of_piece_[static_cast<std::size_t>(e.after_row)] = true;
      exchanges_.push_back(e);
    }
    last_of_queues_.push_back(static_cast<int>(exchanges_.size()) - 1);
    if (update < row_.size()) waits_[static_cast<int>(update)].push_back(last_of_queues_.back());
    step_.gradients_added = true;
  }

  int add_piece(ReplayPiece piece) {
    step_.pieces.push_back(std::move(piece));
    return static_cast<int>(step_.pieces.size()) - 1;
  }

  void append_operator(std::size_t i) {
    const InRow& entry = row_[i];
    const TraceOperator& op = op_of(entry);
    append_collectives(i);
    SimTime free = i == 0 ? 0 : row_[i - 1].end;
    ReplayPiece piece;
    piece.part = scaler_.part(op);
    if (const auto waits = waits_.find(static_cast<int>(i)); waits != waits_.end())
      for (const int e : waits->second) {
        const Exchange& x = exchanges_[static_cast<std::size_t>(e)];
        // A recording that contradicts itself may have it start later: then it counts from what there is.
        while (x.piece < 0) append_collective(exchanges_[next_exchange_++], static_cast<int>(i) - 1);
        piece.after.push_back(x.piece);
        free = std::max(free, x.end);
      }
    const SimTime pause = std::max<SimTime>(0, entry.start - free);
    double folded_s = 0;
    if (pause > folded_pause || (op.launch == Launch::synchronized && i > 0)) {
      append_pause(entry, pause, piece);
    } else {
      folded_s = sim_time_to_seconds(pause);
    }
    const double seconds = sim_time_to_seconds(entry.end - entry.start);
    Kernel kernel = scaler_.kernel(op, seconds);
    count(op, kernel, seconds);
    kernel.fixed_s += folded_s;
    const bool goes_on = open_piece_ >= 0 && piece.after.empty() &&
                         step_.pieces[static_cast<std::size_t>(open_piece_)].part == piece.part;
    if (!goes_on) open_piece_ = add_piece(std::move(piece));
    ReplayPiece& open = step_.pieces[static_cast<std::size_t>(open_piece_)];
    add_kernel(open.kernels, kernel);
    open.idle_s += folded_s;
    pieces_of_row_.push_back(open_piece_);
    if (last_of_piece_[i]) open_piece_ = -1;
  }

  void append_pause(const InRow& entry, SimTime pause, ReplayPiece& piece) {
    const double pause_s = sim_time_to_seconds(pause);
    step_.pause_s += pause_s;
    ReplayPiece wait;
    wait.part = Part::host_overhead;
    wait.after = std::move(piece.after);
    piece.after.clear();
    if (op_of(entry).launch == Launch::host) {
      // The host goes on by itself from where it last met the GPU; the kernel waits for what it waited for, and for it.
      step_.host_bound_s += pause_s;
      piece.after = std::move(wait.after);
      wait.after = {anchor_};
      wait.kind = PieceKind::host;
      wait.seconds = sim_time_to_seconds(std::max<SimTime>(0, entry.start - anchor_time_));
      anchor_ = add_piece(std::move(wait));
      piece.after.push_back(anchor_);
    } else {
      wait.kind = PieceKind::pause;
      wait.seconds = pause_s;
      anchor_ = add_piece(std::move(wait));
    }
    anchor_time_ = entry.start;
    open_piece_ = -1;
  }

  // The collectives that follow operators of the row before `row`.
  void append_collectives(std::size_t row) {
    while (next_exchange_ < exchanges_.size() && exchanges_[next_exchange_].after_row < static_cast<int>(row))
      append_collective(exchanges_[next_exchange_++], static_cast<int>(row) - 1);
  }

  void append_collective(Exchange& e, int last_row) {
    const int after_row = std::min(e.after_row, last_row);
    ReplayPiece piece;
    piece.kind = PieceKind::collective;
    piece.part = Part::communication;
    piece.seconds = e.seconds;
    piece.collective = e.collective;
    piece.after = {after_row < 0 ? -1 : pieces_of_row_[static_cast<std::size_t>(after_row)]};
    SimTime free = after_row < 0 ? 0 : row_[static_cast<std::size_t>(after_row)].end;
    for (const int other : e.after) {
      piece.after.push_back(exchanges_[static_cast<std::size_t>(other)].piece);
      free = std::max(free, exchanges_[static_cast<std::size_t>(other)].end);
    }
    const SimTime queue_free = e.follows < 0 ? 0 : exchanges_[static_cast<std::size_t>(e.follows)].end;
    if (e.start > std::max(free, queue_free)) {
      // It was next in its queue, or the host launched it that much later.
      const bool next_in_queue = queue_free > free && e.start - queue_free <= just_after;
      ReplayPiece later;
      later.kind = PieceKind::host;
      later.part = Part::host_overhead;
      later.seconds = sim_time_to_seconds(e.start - (next_in_queue ? queue_free : free));
      later.after = std::move(piece.after);
      if (next_in_queue) later.after.push_back(exchanges_[static_cast<std::size_t>(e.follows)].piece);
      piece.after = {add_piece(std::move(later))};
    }
    if (e.follows >= 0) piece.after.push_back(exchanges_[static_cast<std::size_t>(e.follows)].piece);
    e.piece = add_piece(std::move(piece));
    open_piece_ = -1;
  }

  void end_step() {
    ReplayPiece end;
    end.kind = PieceKind::pause;
    end.part = Part::host_overhead;
    SimTime free = row_.empty() ? 0 : row_.back().end;
    for (const int last : last_of_queues_) {
      const Exchange& e = exchanges_[static_cast<std::size_t>(last)];
      end.after.push_back(e.piece);
      free = std::max(free, e.end);
    }
    const SimTime tail = std::max<SimTime>(0, trace_.step - free);
    const bool host = !row_.empty() && op_of(row_.front()).launch == Launch::host;
    step_.pause_s += sim_time_to_seconds(tail);
    if (host && tail > folded_pause) {
      step_.host_bound_s += sim_time_to_seconds(tail);
      ReplayPiece wait;
      wait.kind = PieceKind::host;
      wait.part = Part::host_overhead;
      wait.seconds = sim_time_to_seconds(std::max<SimTime>(0, trace_.step - anchor_time_));
      wait.after = {anchor_};
      end.after.push_back(add_piece(std::move(wait)));
    } else {
      end.seconds = sim_time_to_seconds(tail);
    }
    add_piece(std::move(end));
  }

  void count(const TraceOperator& op, const Kernel& kernel, double seconds) {
    step_.kernel_s += seconds;
    if (op.kind == OperatorKind::unknown) step_.unclassified_s += seconds;
    if (!(op.flop > 0 && op.bytes > 0) && !bound_by_host(op.kind)) step_.guessed_kind_s += seconds;
    (kernel.math_s > kernel.memory_s ? step_.arithmetic.math_s : step_.memory.memory_s) +=
        std::max(kernel.math_s, kernel.memory_s);
    step_.fixed.fixed_s += kernel.fixed_s;
  }

  const Job& job_;
  const StepTrace& trace_;
  KernelScaler scaler_;
  bool exchanging_;
  ReplayStep step_;
  std::vector<InRow> row_;
  std::vector<int> row_of_;                // by operator: the row's entry it is, or runs beside
  std::vector<bool> last_of_piece_;        // by row entry: a collective follows it
  std::map<int, std::vector<int>> waits_;  // by row entry: the exchanges it waits for
  std::vector<int> pieces_of_row_;         // by row entry
  std::vector<Exchange> exchanges_;
  std::vector<int> last_of_queues_;
  std::size_t next_exchange_ = 0;
  int open_piece_ = -1;
  int anchor_ = -1;  // the piece at whose end the host was known to be at anchor_time_
  SimTime anchor_time_ = 0;
};

}  // namespace

ReplayStep replay_step(const Job& job, const GpuSpec& target, int ranks) {
  require(job.trace != nullptr, "a replay has a trace");
  return StepMaker(job, target, ranks).make();
}

}  // namespace clustersim
