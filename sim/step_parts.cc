#include "sim/step_parts.h"

#include <algorithm>

#include "clustersim/error.h"

namespace clustersim {
namespace {

void count(StepParts& parts, Part part, double seconds) {
  switch (part) {
    case Part::forward_backward:
      parts.forward_backward_s += seconds;
      break;
    case Part::communication:
      parts.communication_s += seconds;
      break;
    case Part::input:
      parts.input_s += seconds;
      break;
    case Part::optimizer:
      parts.optimizer_s += seconds;
      break;
    case Part::straggler:
      parts.straggler_s += seconds;
      break;
    case Part::host_overhead:
    case Part::other:
      parts.host_s += seconds;
      break;
  }
}

class Observer {
 public:
  Observer(const TaskGraph& graph, const RunRecord& record, SimTime from, SimTime to)
      : graph_(graph), record_(record), from_(from), to_(to) {
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      const auto stream = static_cast<std::size_t>(graph.tasks[i].stream + 1);
      if (tasks_of_.size() <= stream) tasks_of_.resize(stream + 1);
      tasks_of_[stream].push_back(static_cast<TaskId>(i));
    }
  }

  std::vector<StreamInterval> observe(StreamId stream) const {
    std::vector<StreamInterval> intervals;
    SimTime done = from_;
    if (static_cast<std::size_t>(stream) + 1 >= tasks_of_.size()) return intervals;
    for (const TaskId id : tasks_of_[static_cast<std::size_t>(stream) + 1]) {  // they run in order of their ids
      const Span& span = record_.spans[static_cast<std::size_t>(id)];
      const Task& task = task_of(span);
      const bool ends_the_window = span.start == to_ && span.end == to_;  // a task of no length: what it waited for
      if (span.end <= done || (span.start >= to_ && !ends_the_window)) continue;
      if (span.start > done) explain_gap(intervals, stream, done, span.start, span.last_predecessor);
      intervals.push_back({std::max(span.start, done), std::min(span.end, to_), task.part, span.task, false});
      done = std::min(span.end, to_);
    }
    if (done < to_) intervals.push_back({done, to_, Part::straggler, -1, true});  // others are still at work
    return intervals;
  }

  StepParts parts_of(StreamId stream) const {
    StepParts parts;
    for (const StreamInterval& interval : observe(stream)) {
      const double seconds = sim_time_to_seconds(interval.to - interval.from);
      count(parts, interval.part, seconds);
      if (interval.task < 0) continue;
      const Task& task = graph_.tasks[static_cast<std::size_t>(interval.task)];
      if (interval.waiting) parts.waited_s[graph_.labels[static_cast<std::size_t>(task.label)]] += seconds;
      if (!interval.waiting && task.kind == TaskKind::compute)
        parts.busy_s += seconds * (task.work < 0 ? 1.0 : graph_.works[static_cast<std::size_t>(task.work)].activity);
    }
    return parts;
  }

 private:
  const Task& task_of(const Span& span) const { return graph_.tasks[static_cast<std::size_t>(span.task)]; }

  // Nothing ran on `stream` from `begin` to `end`; `cause` is the task whose end let it go on.
  void explain_gap(std::vector<StreamInterval>& intervals, StreamId stream, SimTime begin, SimTime end,
                   TaskId cause) const {
    while (end > begin && cause >= 0) {
      const Span& span = record_.spans[static_cast<std::size_t>(cause)];
      const Task& task = task_of(span);
      const SimTime since = std::max(span.start, begin);
      if (since < end) {
        const bool on_a_rank = task.kind != TaskKind::transfer && task.stream >= 0 && task.part != Part::communication;
        const bool of_another_rank = on_a_rank && task.stream != stream;
        intervals.push_back({since, end, of_another_rank ? Part::straggler : task.part, cause, true});
        end = since;
      }
      cause = span.last_predecessor;
    }
    if (end > begin) intervals.push_back({begin, end, Part::host_overhead, -1, true});
  }

  const TaskGraph& graph_;
  const RunRecord& record_;
  SimTime from_, to_;
  std::vector<std::vector<TaskId>> tasks_of_;  // by stream + 1: the first are on none
};

}  // namespace

std::vector<StreamInterval> stream_intervals(const TaskGraph& graph, const RunRecord& record, StreamId stream,
                                             SimTime from, SimTime to) {
  return Observer(graph, record, from, to).observe(stream);
}

std::vector<StepParts> parts_of_each(const TaskGraph& graph, const RunRecord& record,
                                     const std::vector<ObservedStream>& streams, SimTime from, SimTime to) {
  require(to > from && !streams.empty(), "a step to take apart has a length and a stream");
  const Observer observer(graph, record, from, to);
  std::vector<StepParts> parts;
  parts.reserve(streams.size());
  for (const ObservedStream& s : streams) parts.push_back(observer.parts_of(s.stream));
  return parts;
}

StepParts mean_of(const std::vector<StepParts>& parts, const std::vector<ObservedStream>& streams) {
  StepParts mean;
  double weights = 0;
  for (const ObservedStream& s : streams) weights += s.weight;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StepParts& one = parts[i];
    const double share = streams[i].weight / weights;
    mean.forward_backward_s += share * one.forward_backward_s;
    mean.communication_s += share * one.communication_s;
    mean.input_s += share * one.input_s;
    mean.optimizer_s += share * one.optimizer_s;
    mean.host_s += share * one.host_s;
    mean.straggler_s += share * one.straggler_s;
    mean.busy_s += share * one.busy_s;
    for (const auto& [label, seconds] : one.waited_s) mean.waited_s[label] += share * seconds;
  }
  return mean;
}

StepParts take_apart(const TaskGraph& graph, const RunRecord& record, const std::vector<ObservedStream>& streams,
                     SimTime from, SimTime to) {
  return mean_of(parts_of_each(graph, record, streams, from, to), streams);
}

std::vector<SimTime> step_ends(const TaskGraph& graph, const RunRecord& record) {
  std::vector<SimTime> ends;
  for (const Span& span : record.spans) {
    const auto step = static_cast<std::size_t>(graph.tasks[static_cast<std::size_t>(span.task)].step);
    if (ends.size() <= step) ends.resize(step + 1, 0);
    ends[step] = std::max(ends[step], span.end);
  }
  return ends;
}

}  // namespace clustersim
