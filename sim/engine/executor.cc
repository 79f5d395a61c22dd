#include "sim/engine/executor.h"

#include <string>
#include <utility>
#include <vector>

#include "sim/engine/compute_stream.h"
#include "sim/engine/event_kinds.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/flow_network.h"
#include "sim/engine/message_runs.h"

namespace clustersim {

namespace {

std::string name_of(const TaskGraph& graph, TaskId id) {
  const LabelId label = graph.tasks[static_cast<std::size_t>(id)].label;
  const bool named = label >= 0 && static_cast<std::size_t>(label) < graph.labels.size();
  return "task " + std::to_string(id) + " (" + (named ? graph.labels[static_cast<std::size_t>(label)] : "no label") +
         ")";
}

template <typename Id>
bool within(Id id, std::size_t count) {
  return id >= 0 && static_cast<std::size_t>(id) < count;
}

// What is wrong with a task, nullptr if nothing is.
const char* fault_of(const Task& task, const MachineSpec& machine, const TaskGraph& graph) {
  const auto gpus = static_cast<std::size_t>(machine.gpus);
  if (task.stream < -1 || task.stream >= static_cast<StreamId>(machine.stream_gpu.size())) return "unknown stream";
  if (!(task.latency_s >= 0)) return "negative latency";
  if (task.kind == TaskKind::compute && task.stream < 0) return "compute without a stream";
  if (task.kind == TaskKind::compute && !within(task.work, graph.works.size())) return "unknown work";
  if (task.messages >= 0 && task.kind != TaskKind::transfer) return "messages that are no transfer";
  if (task.messages >= static_cast<std::int32_t>(graph.patterns.size())) return "unknown pattern of messages";
  if (!(task.amount >= 0) || !(task.rate_cap >= 0)) return "negative amount or rate cap";
  for (const Use& use : task.uses) {
    if (!within(use.resource, machine.resource_capacity.size())) return "unknown resource";
    if (!(machine.resource_capacity[static_cast<std::size_t>(use.resource)] > 0)) return "a resource without capacity";
    if (!(use.weight > 0) || !(use.streams > 0)) return "a use without weight or streams";
  }
  for (const Hold& hold : task.holds)
    if (!within(hold.gpu, gpus) || !(hold.sms >= 0) || !(hold.dram >= 0)) return "a hold on no GPU, or below zero";
  for (const TaskId before : task.after)
    if (!within(before, graph.tasks.size())) return "unknown predecessor";
  return nullptr;
}

class Executor {
 public:
  Executor(const MachineSpec& machine, const TaskGraph& graph, bool record_rates)
      : machine_(machine),
        graph_(graph),
        network_(machine.resource_capacity, queue_),
        messages_(graph, network_),
        compute_(machine, graph.works, queue_) {
    if (record_rates) network_.record_rates(&record_.rates);
  }

  RunRecord run();

 private:
  void check() const;
  void link();
  void schedule_clock_changes();
  void start(TaskId id);
  void end(TaskId id);
  void handle(const Event& event);
  void settle_later();
  std::string a_stuck_task() const;

  const Task& task(TaskId id) const { return graph_.tasks[static_cast<std::size_t>(id)]; }
  GpuId gpu_of(const Task& t) const { return machine_.stream_gpu[static_cast<std::size_t>(t.stream)]; }

  const MachineSpec& machine_;
  const TaskGraph& graph_;
  EventQueue queue_;
  FlowNetwork network_;
  MessageRuns messages_;
  ComputeStreams compute_;
  RunRecord record_;
  std::vector<std::int32_t> waits_for_;        // by task: predecessors that are not done
  std::vector<std::int32_t> first_successor_;  // by task, into successors_; one more at the end
  std::vector<TaskId> successors_;             // of each task in the order of ids
  std::size_t done_ = 0;
  bool settle_pending_ = false;
};

void Executor::check() const {
  for (const GpuId gpu : machine_.stream_gpu) require(gpu >= -1 && gpu < machine_.gpus, "a stream's GPU exists");
  for (const ClockChange& c : machine_.clock_changes)
    require(within(c.gpu, static_cast<std::size_t>(machine_.gpus)), "a clock change names a GPU that exists");
  for (const MessagePattern& pattern : graph_.patterns)
    if (const char* fault = fault_of(pattern, machine_.resource_capacity))
      require(false, std::string("messages can be sent, but: ") + fault);
  for (std::size_t i = 0; i < graph_.tasks.size(); ++i)
    if (const char* fault = fault_of(graph_.tasks[i], machine_, graph_))
      require(false, name_of(graph_, static_cast<TaskId>(i)) + " can run, but: " + fault);
}

// Turns `after` and the order of the streams into successor lists and counts of predecessors.
void Executor::link() {
  const std::size_t count = graph_.tasks.size();
  waits_for_.assign(count, 0);
  first_successor_.assign(count + 1, 0);
  const auto for_each_edge = [&](auto&& edge) {
    std::vector<TaskId> last_of_stream(machine_.stream_gpu.size(), -1);
    for (std::size_t i = 0; i < count; ++i) {
      const Task& t = graph_.tasks[i];
      const auto id = static_cast<TaskId>(i);
      for (const TaskId before : t.after) edge(before, id);
      if (t.stream < 0) continue;
      TaskId& last = last_of_stream[static_cast<std::size_t>(t.stream)];
      if (last >= 0) edge(last, id);
      last = id;
    }
  };
  for_each_edge([&](TaskId before, TaskId id) {
    ++waits_for_[static_cast<std::size_t>(id)];
    ++first_successor_[static_cast<std::size_t>(before) + 1];
  });
  for (std::size_t i = 0; i < count; ++i) first_successor_[i + 1] += first_successor_[i];
  successors_.resize(static_cast<std::size_t>(first_successor_[count]));
  std::vector<std::int32_t> next(first_successor_.begin(), first_successor_.end() - 1);
  for_each_edge([&](TaskId before, TaskId id) {
    successors_[static_cast<std::size_t>(next[static_cast<std::size_t>(before)]++)] = id;
  });
}

void Executor::schedule_clock_changes() {
  for (std::size_t i = 0; i < machine_.clock_changes.size(); ++i)
    queue_.schedule(sim_time_from_seconds(machine_.clock_changes[i].time_s), clock_changes,
                    static_cast<std::int32_t>(i));
}

void Executor::start(TaskId id) {
  const Task& t = task(id);
  Span& span = record_.spans[static_cast<std::size_t>(id)];
  span.ready = span.start = queue_.now();
  switch (t.kind) {
    case TaskKind::compute:
      compute_.start(id, t.work, gpu_of(t));
      break;
    case TaskKind::transfer:
      compute_.hold(t.holds);
      if (t.messages < 0) {
        network_.start(id, demand_of(t));
      } else if (t.latency_s > 0) {
        queue_.schedule(queue_.now() + sim_time_from_seconds(t.latency_s), transfer_flows, id);
      } else {
        messages_.start(id);
      }
      break;
    case TaskKind::delay:
      queue_.schedule(queue_.now() + sim_time_from_seconds(t.latency_s), task_ends, id);
      break;
  }
}

void Executor::end(TaskId id) {
  const Task& t = task(id);
  if (t.kind == TaskKind::compute) compute_.end(id, gpu_of(t));
  if (t.kind == TaskKind::transfer) {
    network_.end(id);
    compute_.release(t.holds);
  }
  record_.spans[static_cast<std::size_t>(id)].end = queue_.now();
  ++done_;
  const auto i = static_cast<std::size_t>(id);
  for (auto s = first_successor_[i]; s < first_successor_[i + 1]; ++s) {
    const TaskId successor = successors_[static_cast<std::size_t>(s)];
    if (--waits_for_[static_cast<std::size_t>(successor)] > 0) continue;
    record_.spans[static_cast<std::size_t>(successor)].last_predecessor = id;
    start(successor);
  }
}

void Executor::handle(const Event& event) {
  switch (event.kind) {
    case task_ends:
      if (messages_.is_message(event.subject)) {
        const TaskId done = messages_.end(event.subject);
        if (done >= 0) end(done);
      } else {
        end(event.subject);
      }
      break;
    case transfer_flows:
      if (messages_.is_message(event.subject)) {
        messages_.flow(event.subject);
      } else if (task(event.subject).messages >= 0) {
        messages_.start(event.subject);
      } else {
        network_.flow(event.subject, demand_of(task(event.subject)));
      }
      break;
    case clock_changes: {
      const ClockChange& c = machine_.clock_changes[static_cast<std::size_t>(event.subject)];
      compute_.set_clock(c.gpu, c.clock);
      break;
    }
    case instant_settles:
      settle_pending_ = false;
      if (queue_.more_now()) break;  // not the last of this instant: it goes behind what came since
      network_.solve();
      compute_.rerate();
      break;
  }
  settle_later();
}

// Rates are set when everything else of this instant has happened: an event with a later sequence.
void Executor::settle_later() {
  if (settle_pending_ || !(network_.touched() || compute_.touched())) return;
  settle_pending_ = true;
  queue_.schedule(queue_.now(), instant_settles, -1);
}

std::string Executor::a_stuck_task() const {
  for (std::size_t i = 0; i < waits_for_.size(); ++i)
    if (waits_for_[i] > 0) return name_of(graph_, static_cast<TaskId>(i));
  return "none waits";
}

RunRecord Executor::run() {
  check();
  link();
  record_.spans.resize(graph_.tasks.size());
  for (std::size_t i = 0; i < record_.spans.size(); ++i) record_.spans[i].task = static_cast<TaskId>(i);
  schedule_clock_changes();
  for (std::size_t i = 0; i < waits_for_.size(); ++i)
    if (waits_for_[i] == 0) start(static_cast<TaskId>(i));
  settle_later();
  while (done_ < graph_.tasks.size()) {
    if (queue_.empty()) require(false, "every task can start, but this one waits for ever: " + a_stuck_task());
    handle(queue_.pop());
    if (done_ == graph_.tasks.size()) record_.end = queue_.now();
  }
  record_.resources = network_.resource_uses();
  record_.gpus = compute_.gpu_uses();
  record_.events = queue_.popped();
  record_.fingerprint = queue_.fingerprint();
  return std::move(record_);
}

}  // namespace

RunRecord run_tasks(const MachineSpec& machine, const TaskGraph& graph, bool record_rates) {
  return Executor(machine, graph, record_rates).run();
}

}  // namespace clustersim
