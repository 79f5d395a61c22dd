#include "sim/step_timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/write/readable.h"

namespace clustersim {
namespace {

// "backward 3 of 10": tasks of one stream, step and label are numbered.
std::vector<std::string> task_names(const TaskGraph& graph) {
  std::map<std::tuple<StreamId, std::int32_t, LabelId>, int> count, seen;
  for (const Task& task : graph.tasks) ++count[{task.stream, task.step, task.label}];
  std::vector<std::string> names;
  for (const Task& task : graph.tasks) {
    const int all = count[{task.stream, task.step, task.label}];
    const int number = ++seen[{task.stream, task.step, task.label}];
    std::string name = graph.labels[static_cast<std::size_t>(task.label)];
    if (all > 1) name += " " + std::to_string(number) + " of " + std::to_string(all);
    names.push_back(std::move(name));
  }
  return names;
}

// What a compute task does: which kernels are bound by what, alone on the GPU at its reference clock.
std::string work_text(const Work& work) {
  double math = 0, memory = 0, fixed = 0;
  for (const Kernel& k : work.kernels) {
    (k.math_s >= k.memory_s ? math : memory) += std::max(k.math_s, k.memory_s);
    fixed += k.fixed_s;
  }
  return std::to_string(work.kernels.size()) + (work.kernels.size() == 1 ? " kernel: " : " kernels: ") +
         readable(math, "s") + " bound by arithmetic, " + readable(memory, "s") + " by memory, " +
         readable(fixed, "s") + " between them";
}

class TimelineMaker {
 public:
  TimelineMaker(const Assembly& assembly, const StepRecording& recording, const std::vector<RateSteps>& rates,
                const TimelineLimits& limits)
      : assembly_(assembly),
        recording_(recording),
        rates_(rates),
        limits_(limits),
        names_(task_names(recording.graph)) {
    timeline_.window_s = sim_time_to_seconds(recording.to - recording.from);
    for (std::size_t g = 0; g < recording.spec.ranks.size(); ++g) {
      const Rank& rank = recording.spec.ranks[g];
      gpu_of_stream_[rank.compute_stream] = g;
      for (const StreamId stream : rank.stage_streams) gpu_of_stream_[stream] = g;
    }
  }

  Timeline make() {
    add_stream("cluster", "collectives", "communication", recording_.spec.collective_stream, 1);
    add_gpus();
    add_shared_resources();
    add_flows();
    return std::move(timeline_);
  }

 private:
  const Task& task_of(TaskId id) const { return recording_.graph.tasks[static_cast<std::size_t>(id)]; }
  bool in_window(const Span& span) const { return span.end > recording_.from && span.start < recording_.to; }

  void leave_out(const std::string& what) { timeline_.decimation += (timeline_.decimation.empty() ? "" : "; ") + what; }

  int add_track(const std::string& process, const std::string& name, const std::string& kind, double stands_for) {
    timeline_.tracks.push_back({process, name, kind, stands_for});
    return static_cast<int>(timeline_.tracks.size()) - 1;
  }

  // The part of begin..end inside the window; what stands outside is said.
  int add_slice(int track, SimTime begin, SimTime end, const std::string& name, Part part, std::string detail) {
    const auto say = [&](const char* text) { detail += (detail.empty() ? "" : "; ") + std::string(text); };
    if (begin < recording_.from) say("began before this window");
    if (end > recording_.to) say("goes on after this window");
    begin = std::max(begin, recording_.from);
    end = std::min(end, recording_.to);
    timeline_.slices.push_back({track, sim_time_to_seconds(begin - recording_.from), sim_time_to_seconds(end - begin),
                                name, part_name(part), std::move(detail)});
    return static_cast<int>(timeline_.slices.size()) - 1;
  }

  std::string amount_text(const Task& task) const {
    if (task.amount <= 0) return "";
    const bool bytes = task.part == Part::communication || (!task.uses.empty() && is_link(task.uses.front().resource));
    return bytes ? readable(task.amount, "B") : "";
  }
  bool is_link(ResourceId resource) const {
    return resource < static_cast<ResourceId>(assembly_.simulated().bytes_per_s().size());
  }

  // One slice a task of a stream that does one thing at a time.
  void add_stream(const std::string& process, const std::string& name, const std::string& kind, StreamId stream,
                  double stands_for) {
    int track = -1;
    for (const Span& span : recording_.record.spans) {
      const Task& task = task_of(span.task);
      if (task.stream != stream || !in_window(span) || span.end == span.start) continue;
      if (track < 0) track = add_track(process, name, kind, stands_for);
      const int slice = add_slice(track, span.start, span.end, names_[static_cast<std::size_t>(span.task)], task.part,
                                  amount_text(task));
      if (kind == "communication") collective_slice_[span.task] = slice;
    }
  }

  void add_gpus() {
    std::size_t shown = 0, slices = 0;
    const auto& gpus = assembly_.gpus();
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      if (g > 0 && slices + slices / g > limits_.compute_slices) break;
      const std::size_t before = timeline_.slices.size();
      add_gpu(g);
      slices += timeline_.slices.size() - before;
      ++shown;
    }
    for (std::size_t g = 0; g < shown; ++g) shown_nodes_.insert(gpus[g].node);
    if (shown < gpus.size())
      leave_out("the tracks of " + std::to_string(gpus.size() - shown) + " of " + std::to_string(gpus.size()) +
                " simulated GPUs");
  }

  void add_gpu(std::size_t g) {
    const SimulatedGpu& gpu = assembly_.gpus()[g];
    const Rank& rank = recording_.spec.ranks[g];
    const std::string process = process_of_node(assembly_, gpu.node), name = "gpu" + std::to_string(gpu.number);
    add_compute(process, name, rank.compute_stream, gpu.stands_for);
    add_host(process, name, rank.compute_stream, gpu.stands_for);
    for (std::size_t s = 0; s < rank.stages.size(); ++s)
      add_stream(process, name + " " + rank.stages[s].label, "loader", rank.stage_streams[s], gpu.stands_for);
  }

  void add_compute(const std::string& process, const std::string& gpu, StreamId stream, double stands_for) {
    std::vector<StreamInterval> intervals =
        stream_intervals(recording_.graph, recording_.record, stream, recording_.from, recording_.to);
    std::sort(intervals.begin(), intervals.end(),
              [](const StreamInterval& x, const StreamInterval& y) { return x.from < y.from; });
    const int track = add_track(process, gpu + " compute", "compute", stands_for);
    for (const StreamInterval& interval : intervals) {
      if (interval.to == interval.from) continue;
      const int slice = add_slice(track, interval.from, interval.to, interval_name(interval, stream), interval.part,
                                  interval_detail(interval));
      if (!interval.waiting) compute_slice_[interval.task] = slice;
    }
  }

  std::string interval_name(const StreamInterval& interval, StreamId stream) const {
    if (interval.task < 0) return interval.part == Part::straggler ? "waiting for the others" : "waiting for the host";
    const std::string& name = names_[static_cast<std::size_t>(interval.task)];
    if (!interval.waiting) return name;
    const SimulatedGpu *own = gpu_of(stream), *other = gpu_of(task_of(interval.task).stream);
    return "waiting for " + name + (other && other != own ? " on " + other->name : "");
  }

  // Whose stream it is; none for the job's collectives.
  const SimulatedGpu* gpu_of(StreamId stream) const {
    const auto found = gpu_of_stream_.find(stream);
    return found == gpu_of_stream_.end() ? nullptr : &assembly_.gpus()[found->second];
  }

  std::string interval_detail(const StreamInterval& interval) const {
    if (interval.task < 0 || interval.waiting) return "";
    const Task& task = task_of(interval.task);
    return task.kind == TaskKind::compute ? work_text(recording_.graph.works[static_cast<std::size_t>(task.work)]) : "";
  }

  // What the host does while the GPU's stream waits for it.
  void add_host(const std::string& process, const std::string& gpu, StreamId stream, double stands_for) {
    int track = -1;
    for (const Span& span : recording_.record.spans) {
      const Task& task = task_of(span.task);
      const bool on_host = task.kind == TaskKind::delay && task.part != Part::straggler;
      if (task.stream != stream || !on_host || !in_window(span) || span.end == span.start) continue;
      if (track < 0) track = add_track(process, gpu + " host", "host", stands_for);
      add_slice(track, span.start, span.end, names_[static_cast<std::size_t>(span.task)], task.part, "");
    }
  }

  // ---- links, storage arrays and core pools

  struct Passage {
    TaskId task;
    SimTime begin, end;
  };

  std::map<ResourceId, std::vector<Passage>> passages() const {
    std::map<ResourceId, std::vector<Passage>> by_resource;
    for (const Span& span : recording_.record.spans) {
      const Task& task = task_of(span.task);
      if (task.kind != TaskKind::transfer || task.amount <= 0) continue;
      const SimTime begin = std::min(span.end, span.start + sim_time_from_seconds(task.latency_s));
      if (span.end <= recording_.from || begin >= recording_.to || begin == span.end) continue;
      const std::vector<Use>& uses =
          task.messages < 0 ? task.uses : recording_.graph.patterns[static_cast<std::size_t>(task.messages)].uses;
      std::set<ResourceId> once;
      for (const Use& use : uses)
        if (once.insert(use.resource).second) by_resource[use.resource].push_back({span.task, begin, span.end});
    }
    return by_resource;
  }

  void add_shared_resources() {
    const auto by_resource = passages();
    std::vector<std::pair<double, ResourceId>> busiest;  // most in flow first
    for (const auto& [resource, list] : by_resource)
      busiest.emplace_back(-total(rates_[static_cast<std::size_t>(resource)], recording_.to).flowing_s, resource);
    std::sort(busiest.begin(), busiest.end());
    std::set<ResourceId> chosen;
    std::size_t slices = 0;
    for (const auto& [flowing, resource] : busiest) {
      const std::size_t own = by_resource.at(resource).size();
      if (node_of(resource) >= 0 && shown_nodes_.count(node_of(resource)) == 0) continue;
      if (!chosen.empty() && slices + own > limits_.link_slices) continue;
      chosen.insert(resource);
      slices += own;
    }
    if (chosen.size() < by_resource.size())
      leave_out("the transfers of " + std::to_string(by_resource.size() - chosen.size()) + " of " +
                std::to_string(by_resource.size()) + " links and devices, those least in use");
    bool averaged = false;
    for (const ResourceId resource : chosen) {
      add_passages(resource, by_resource.at(resource));
      averaged = add_counter(resource) || averaged;
    }
    if (averaged)
      leave_out("counters are means over " + std::to_string(limits_.points_a_counter) + " equal stretches of time");
  }

  // Simulated node that a link or device belongs to; -1: the network between nodes.
  int node_of(ResourceId resource) const {
    if (is_link(resource)) return assembly_.simulated().node_of(resource);
    const std::string name = assembly_.resource_name(resource);
    for (std::size_t n = 0; n < assembly_.simulated().nodes().size(); ++n)
      if (name.rfind("node" + std::to_string(n) + ".", 0) == 0) return static_cast<int>(n);
    return -1;
  }

  std::string process_of(ResourceId resource) const {
    const int node = node_of(resource);
    return node < 0 ? "network" : process_of_node(assembly_, node);
  }

  // "node0.nic0>switch" -> "nic0>switch" inside its node's process.
  std::string short_name(ResourceId resource) const {
    std::string name = assembly_.resource_name(resource);
    const int node = node_of(resource);
    if (node < 0) return name;
    const std::string prefix = "node" + std::to_string(node) + ".";
    for (std::size_t at = name.find(prefix); at != std::string::npos; at = name.find(prefix))
      name.erase(at, prefix.size());
    return name;
  }

  // "gpu2 copy" inside the GPU's node, "node0.gpu2 read" on the network.
  std::string passage_name(TaskId task, int node) const {
    const std::string& name = names_[static_cast<std::size_t>(task)];
    const SimulatedGpu* gpu = gpu_of(task_of(task).stream);
    if (!gpu) return name;
    return (gpu->node == node ? "gpu" + std::to_string(gpu->number) : gpu->name) + " " + name;
  }

  // Transfers at the same time on tracks of their own, so that the slices of a track do not overlap.
  void add_passages(ResourceId resource, std::vector<Passage> list) {
    std::stable_sort(list.begin(), list.end(), [](const Passage& x, const Passage& y) { return x.begin < y.begin; });
    std::vector<std::vector<Passage>> lanes;
    for (const Passage& passage : list) {
      auto lane = std::find_if(lanes.begin(), lanes.end(),
                               [&](const std::vector<Passage>& l) { return l.back().end <= passage.begin; });
      if (lane == lanes.end()) lane = lanes.insert(lanes.end(), std::vector<Passage>());
      lane->push_back(passage);
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::string suffix = i == 0 ? "" : " (" + std::to_string(i + 1) + ")";
      const int track = add_track(process_of(resource), short_name(resource) + suffix, "link", 1);
      for (const Passage& passage : lanes[i])
        add_slice(track, passage.begin, passage.end, passage_name(passage.task, node_of(resource)),
                  task_of(passage.task).part, amount_text(task_of(passage.task)));
    }
  }

  // True where the counter had to be averaged.
  bool add_counter(ResourceId resource) {
    const RateSteps& steps = rates_[static_cast<std::size_t>(resource)];
    const bool cores = assembly_.resource_name(resource).find(".loader") != std::string::npos;
    TimelineCounter counter{process_of(resource), short_name(resource), cores ? "cores" : "GB/s", {}, {}};
    const double scale = cores ? 1.0 : 1e-9;
    const bool average = steps.time.size() > limits_.points_a_counter;
    if (average) {
      average_into(counter, steps, scale);
    } else {
      for (std::size_t i = 0; i < steps.time.size(); ++i) {
        counter.time_s.push_back(sim_time_to_seconds(steps.time[i] - recording_.from));
        counter.value.push_back(steps.rate[i] * scale);
      }
    }
    timeline_.counters.push_back(std::move(counter));
    return average;
  }

  void average_into(TimelineCounter& counter, const RateSteps& steps, double scale) const {
    const std::size_t bins = limits_.points_a_counter;
    const double bin_s = timeline_.window_s / static_cast<double>(bins);
    counter.value.assign(bins, 0);
    for (std::size_t b = 0; b < bins; ++b) counter.time_s.push_back(static_cast<double>(b) * bin_s);
    for (std::size_t i = 0; i < steps.time.size(); ++i) {
      const double end =
          sim_time_to_seconds((i + 1 < steps.time.size() ? steps.time[i + 1] : recording_.to) - recording_.from);
      double at = sim_time_to_seconds(steps.time[i] - recording_.from);
      while (at < end) {
        const std::size_t b = std::min(bins - 1, static_cast<std::size_t>(at / bin_s));
        const double until = b + 1 == bins ? end : std::min(end, static_cast<double>(b + 1) * bin_s);
        counter.value[b] += scale * steps.rate[i] * (until - at) / bin_s;
        if (until <= at) break;
        at = until;
      }
    }
  }

  void add_flows() {
    for (const auto& [collective, slice] : collective_slice_)
      for (const TaskId before : task_of(collective).after)
        if (const auto from = compute_slice_.find(before); from != compute_slice_.end())
          timeline_.flows.push_back({from->second, slice});
  }

  const Assembly& assembly_;
  const StepRecording& recording_;
  const std::vector<RateSteps>& rates_;
  const TimelineLimits& limits_;
  std::vector<std::string> names_;  // by task
  std::map<StreamId, std::size_t> gpu_of_stream_;
  std::set<int> shown_nodes_;
  std::map<TaskId, int> collective_slice_, compute_slice_;
  Timeline timeline_;
};

}  // namespace

const char* part_name(Part part) {
  switch (part) {
    case Part::forward_backward:
      return "forward_backward";
    case Part::communication:
      return "communication";
    case Part::input:
      return "input";
    case Part::optimizer:
      return "optimizer";
    case Part::host_overhead:
      return "host_overhead";
    case Part::straggler:
      return "straggler";
    case Part::other:
      return "other";
  }
  throw InternalError("this is a bug: a part of a step without a name");
}

std::string process_of_node(const Assembly& assembly, int node) {
  const auto count = static_cast<int>(assembly.simulated().nodes()[static_cast<std::size_t>(node)].stands_for + 0.5);
  const std::string name = "node" + std::to_string(node);
  return count > 1 ? name + " (x" + std::to_string(count) + ")" : name;
}

Timeline step_timeline(const Assembly& assembly, const StepRecording& recording, const std::vector<RateSteps>& rates,
                       double step_s, const TimelineLimits& limits) {
  Timeline timeline = TimelineMaker(assembly, recording, rates, limits).make();
  timeline.step_s = step_s;
  return timeline;
}

}  // namespace clustersim
