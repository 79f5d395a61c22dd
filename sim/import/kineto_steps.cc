#include "sim/import/kineto_steps.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "models/workload/operator_kind.h"

namespace clustersim {
namespace {

constexpr double least_share = 0.9;                 // of the usual number of events, for a whole step
constexpr std::int64_t pause_ns = 10'000;           // above it the GPU is taken to have waited
constexpr std::int64_t sync_tolerance_ns = 30'000;  // between a kernel's end and the return of the call that waited
constexpr SimTime ps_per_ns = 1000;

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

class StepFinder {
 public:
  explicit StepFinder(const KinetoFile& file) : file_(file) {}

  KinetoSteps find() {
    for (const KinetoEvent& e : file_.events) found_.on_gpu = found_.on_gpu || e.kind == KinetoKind::kernel;
    mark_steps();
    if (found_.on_gpu) find_main_stream();
    assign();
    if (by_updates_ && !alike()) {
      take_all_as_one();
      assign();
    }
    judge();
    return std::move(found_);
  }

 private:
  void mark_steps() {
    std::map<int, std::size_t> seen;
    std::size_t again = 0;
    for (const KinetoEvent& e : file_.events) {
      if (e.kind != KinetoKind::step) continue;
      const std::string& name = file_.names[static_cast<std::size_t>(e.name)];
      const int number = static_cast<int>(std::strtol(name.c_str() + name.find('#') + 1, nullptr, 10));
      if (!seen.try_emplace(number, found_.steps.size()).second) {
        ++again;
        continue;
      }
      KinetoStep step;
      step.number = number;
      step.start_ns = e.start_ns;
      step.end_ns = e.end_ns();
      found_.steps.push_back(step);
    }
    found_.marked = !found_.steps.empty();
    if (again > 0)
      found_.warnings.push_back(std::to_string(again) + " steps are marked twice: the first mark of each is used");
    if (!found_.marked && !mark_by_updates()) take_all_as_one();
  }

  void take_all_as_one() {
    KinetoStep all;
    all.start_ns = file_.events.front().start_ns;
    for (const KinetoEvent& e : file_.events) all.end_ns = std::max(all.end_ns, e.end_ns());
    found_.steps = {all};
    found_.marked = by_updates_ = false;
    found_.orphans = found_.outside = 0;
    found_.warnings = {"no ProfilerStep: the whole recording is taken as one step, and batch is all that it trains on"};
  }

  // Without marks each step ends where the host has launched the optimizer's work.
  bool mark_by_updates() {
    constexpr std::size_t fewest = 3;
    std::int64_t from = file_.events.front().start_ns;
    for (const KinetoEvent& e : file_.events) {
      if (e.kind != KinetoKind::optimizer || e.start_ns < from) continue;
      KinetoStep step;
      step.number = static_cast<int>(found_.steps.size());
      step.start_ns = from;
      from = step.end_ns = e.end_ns();
      found_.steps.push_back(step);
    }
    by_updates_ = found_.marked = found_.steps.size() >= fewest;
    if (!by_updates_) {
      found_.steps.clear();
      return false;
    }
    found_.warnings.push_back("no ProfilerStep: " + std::to_string(found_.steps.size()) +
                              " steps are told apart by the ends of Optimizer.step");
    return true;
  }

  // Steps of one job are as long as each other, by their events; the first and last may be cut.
  bool alike() const {
    std::vector<std::size_t> counts;
    for (const KinetoStep& s : found_.steps) counts.push_back(s.events.size());
    const auto [least, most] = std::minmax_element(counts.begin() + 1, counts.end() - 1);
    return *least > 0 && static_cast<double>(*least) >= least_share * static_cast<double>(*most);
  }

  void assign() {
    if (found_.on_gpu)
      assign_kernels();
    else
      assign_operators();
  }

  // The step whose range on the host holds this time, -1 for none.
  int step_at(std::int64_t time_ns) const {
    const auto after = std::upper_bound(found_.steps.begin(), found_.steps.end(), time_ns,
                                        [](std::int64_t t, const KinetoStep& s) { return t < s.start_ns; });
    if (after == found_.steps.begin()) return -1;
    const auto at = after - 1;
    const bool inside = time_ns < at->end_ns || (!found_.marked && time_ns <= at->end_ns);
    return inside ? static_cast<int>(at - found_.steps.begin()) : -1;
  }

  void find_main_stream() {
    std::map<std::int16_t, std::int64_t> busy_ns;
    for (const KinetoEvent& e : file_.events)
      if (e.kind == KinetoKind::kernel &&
          operator_kind(file_.names[static_cast<std::size_t>(e.name)]) != OperatorKind::collective)
        busy_ns[e.stream] += e.duration_ns;
    std::int64_t most = -1;
    for (const auto& [stream, ns] : busy_ns)
      if (ns > most) most = ns, found_.main_stream = stream;
  }

  void assign_kernels() {
    std::unordered_map<std::int64_t, std::int64_t> launches;  // looked up, never walked through
    for (const KinetoEvent& e : file_.events)
      if (e.kind == KinetoKind::runtime && e.correlation >= 0) launches.try_emplace(e.correlation, e.start_ns);
    for (std::size_t i = 0; i < file_.events.size(); ++i) {
      const KinetoEvent& e = file_.events[i];
      if (e.kind != KinetoKind::kernel) continue;
      const auto launch = launches.find(e.correlation);
      if (launch == launches.end()) ++found_.orphans;
      const int step = step_at(launch == launches.end() ? e.start_ns : launch->second);
      if (step >= 0)
        found_.steps[static_cast<std::size_t>(step)].events.push_back(i);
      else
        ++found_.outside;
    }
  }

  void assign_operators() {
    std::map<std::int32_t, std::int64_t> covered;  // by thread
    for (std::size_t i = 0; i < file_.events.size(); ++i) {
      const KinetoEvent& e = file_.events[i];
      if (e.kind != KinetoKind::cpu_op) continue;
      std::int64_t& until = covered.try_emplace(e.thread, INT64_MIN).first->second;
      if (e.end_ns() <= until) continue;  // inside another
      const int step = step_at(e.start_ns);
      if (step < 0) continue;
      until = e.end_ns();
      found_.steps[static_cast<std::size_t>(step)].events.push_back(i);
    }
  }

  void judge() {
    if (!found_.marked) return;
    std::vector<std::size_t> counts;
    for (const KinetoStep& s : found_.steps) counts.push_back(s.events.size());
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), counts.end());
    const auto usual = static_cast<double>(counts[counts.size() / 2]);
    for (KinetoStep* s : {&found_.steps.front(), &found_.steps.back()})
      s->complete = static_cast<double>(s->events.size()) >= least_share * usual;
    for (KinetoStep& s : found_.steps) s.complete = s.complete && !s.events.empty() && s.end_ns > s.start_ns;
    if (!file_.trouble.empty()) found_.steps.back().complete = false;
    for (const KinetoStep& s : found_.steps)
      if (!s.complete)
        found_.warnings.push_back("step " + std::to_string(s.number) + " is not complete (" +
                                  std::to_string(s.events.size()) + " events): left out");
  }

  const KinetoFile& file_;
  KinetoSteps found_;
  bool by_updates_ = false;  // the steps are marked by the optimizer alone
};

// When the step's first kernel on the main stream starts, else its first at all.
std::int64_t first_kernel_ns(const KinetoFile& file, const KinetoSteps& steps, std::size_t step) {
  const std::vector<std::size_t>& events = steps.steps[step].events;
  for (const std::size_t i : events)
    if (file.events[i].stream == steps.main_stream) return file.events[i].start_ns;
  return file.events[events.front()].start_ns;
}

bool has_next(const KinetoSteps& steps, std::size_t step) {
  return steps.on_gpu && step + 1 < steps.steps.size() && !steps.steps[step].events.empty() &&
         !steps.steps[step + 1].events.empty();
}

class TraceMaker {
 public:
  TraceMaker(const KinetoFile& file, const KinetoSteps& steps, std::size_t step)
      : file_(file), step_(steps.steps[step]), on_gpu_(steps.on_gpu), main_stream_(steps.main_stream) {
    origin_ns_ = on_gpu_ && !step_.events.empty() ? first_kernel_ns(file, steps, step) : step_.start_ns;
    if (has_next(steps, step)) repeats_ns_ = period_ns(file, steps, step);
    index_host();
  }

  StepTrace make(std::int64_t period) {
    std::int64_t covered_ns = step_.events.empty() ? origin_ns_ : file_.events[step_.events.front()].start_ns;
    covered_ns = std::min(covered_ns, origin_ns_);
    for (const std::size_t i : step_.events) {
      const KinetoEvent& e = file_.events[i];
      TraceOperator op = operator_of(e);
      if (op.kind != OperatorKind::collective) {
        if (on_gpu_) op.launch = launch_of(e, covered_ns);
        covered_ns = std::max(covered_ns, e.end_ns());
      }
      trace_.operators.push_back(op);
    }
    find_early_launches();
    trace_.step = period * ps_per_ns;
    if (repeats_ns_ <= 0)  // else what ends later runs beside the next step
      for (const TraceOperator& op : trace_.operators) trace_.step = std::max(trace_.step, op.start + op.duration);
    trace_.on_cpu = !on_gpu_;
    trace_.gpu = file_.gpu;
    return std::move(trace_);
  }

 private:
  struct Range {
    std::int64_t start_ns, end_ns;
  };

  std::int64_t in_period(std::int64_t ns) const {
    if (repeats_ns_ <= 0) return ns;
    const std::int64_t rest = ns % repeats_ns_;
    return rest < 0 ? rest + repeats_ns_ : rest;
  }

  void index_host() {
    for (std::size_t i = 0; i < file_.events.size(); ++i) {
      const KinetoEvent& e = file_.events[i];
      const std::string& name = file_.names[static_cast<std::size_t>(e.name)];
      if (e.kind == KinetoKind::optimizer) updates_.push_back({e.start_ns, e.end_ns()});
      if (e.payload >= 0 && e.external >= 0) payload_of_external_.try_emplace(e.external, e.payload);
      if (e.kind != KinetoKind::runtime) continue;
      if (e.correlation >= 0) launch_of_.try_emplace(e.correlation, e.start_ns);
      if (contains(name, "Synchronize") || name == "cudaMemcpy") waits_.push_back({e.start_ns, e.end_ns()});
    }
  }

  TraceOperator operator_of(const KinetoEvent& e) {
    TraceOperator op;
    const std::string& name = file_.names[static_cast<std::size_t>(e.name)];
    op.start = std::max<SimTime>(0, in_period(e.start_ns - origin_ns_) * ps_per_ns);
    op.duration = e.duration_ns * ps_per_ns;
    op.name = name_id(e.name);
    op.stream = on_gpu_ ? e.stream : static_cast<std::int16_t>(std::min(e.thread, 30000));
    op.kind = operator_kind(name);
    const KinetoPayload* payload = payload_of(e);
    const auto what = collective_op_of_name(payload && !payload->op.empty() ? payload->op : name);
    if (op.kind == OperatorKind::collective && !what) op.kind = OperatorKind::unknown;  // a barrier, a wait
    if (op.kind == OperatorKind::collective) {
      op.collective = static_cast<std::int32_t>(trace_.collectives.size());
      trace_.collectives.push_back(collective_of(*what, payload, op.duration));
    } else if (!on_gpu_) {
      op.kind = in_update(e.start_ns) ? OperatorKind::optimizer : OperatorKind::cpu;
    } else if (const auto launch = launch_of_.find(e.correlation);
               launch != launch_of_.end() && in_update(launch->second) && !bound_by_host(op.kind)) {
      op.kind = OperatorKind::optimizer;
    }
    return op;
  }

  static TraceCollective collective_of(CollectiveOp op, const KinetoPayload* payload, SimTime duration) {
    TraceCollective c;
    c.op = op;
    c.wire = duration;
    if (payload == nullptr) return c;
    c.group = payload->group;
    c.stride = payload->stride;
    const bool gathers = op == CollectiveOp::all_gather;
    const double elements = gathers && payload->out_elements > 0 ? payload->out_elements : payload->in_elements;
    if (elements >= 0 && payload->element_bytes > 0) c.bytes = elements * payload->element_bytes;
    return c;
  }

  const KinetoPayload* payload_of(const KinetoEvent& e) const {
    if (e.payload >= 0) return &file_.payloads[static_cast<std::size_t>(e.payload)];
    const auto found = payload_of_external_.find(e.external);
    if (e.external < 0 || found == payload_of_external_.end()) return nullptr;
    return &file_.payloads[static_cast<std::size_t>(found->second)];
  }

  // A collective that stood in its queue behind others starts later than it could. It waits for no kernel that the host
  // launched behind it: the last one of the main stream that was launched before is what it can depend on.
  void find_early_launches() {
    struct Kernel {
      std::int64_t launch_ns, end_ns;
      std::int32_t place;
    };
    std::vector<Kernel> kernels;  // of the main stream, which runs them as they were launched
    for (std::size_t i = 0; i < step_.events.size(); ++i) {
      const KinetoEvent& e = file_.events[step_.events[i]];
      const auto launch = launch_of_.find(e.correlation);
      if (launch == launch_of_.end()) continue;
      if (trace_.operators[i].kind != OperatorKind::collective) {
        if (e.stream == main_stream_) kernels.push_back({launch->second, e.end_ns(), static_cast<std::int32_t>(i)});
        continue;
      }
      const auto ended =
          std::partition_point(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.end_ns <= e.start_ns; });
      const auto launched =
          std::partition_point(kernels.begin(), ended, [&](const Kernel& k) { return k.launch_ns < launch->second; });
      if (launched == ended || launched == kernels.begin()) continue;
      TraceOperator& op = trace_.operators[i];
      op.first_after = static_cast<std::int32_t>(trace_.after.size());
      op.after_count = 1;
      trace_.after.push_back((launched - 1)->place);
    }
  }

  // Why the GPU was idle before this kernel, if it was.
  Launch launch_of(const KinetoEvent& e, std::int64_t covered_ns) const {
    const auto launch = launch_of_.find(e.correlation);
    if (launch == launch_of_.end()) return Launch::unknown;
    // The last call that waited, begun before the GPU ran dry: did it return when the GPU had, before this launch?
    const auto after = std::upper_bound(waits_.begin(), waits_.end(), covered_ns,
                                        [](std::int64_t t, const Range& r) { return t < r.start_ns; });
    if (after != waits_.begin()) {
      const Range& wait = *(after - 1);
      if (wait.end_ns + sync_tolerance_ns >= covered_ns && wait.end_ns <= launch->second) return Launch::synchronized;
    }
    const bool dry = e.start_ns - covered_ns > pause_ns && launch->second + pause_ns >= covered_ns;
    return dry ? Launch::host : Launch::unknown;
  }

  bool in_update(std::int64_t time_ns) const {
    const auto after = std::upper_bound(updates_.begin(), updates_.end(), time_ns,
                                        [](std::int64_t t, const Range& r) { return t < r.start_ns; });
    return after != updates_.begin() && time_ns < (after - 1)->end_ns;
  }

  std::int32_t name_id(std::int32_t name) {
    const auto [at, is_new] = names_.try_emplace(name, static_cast<std::int32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back(file_.names[static_cast<std::size_t>(name)]);
    return at->second;
  }

  const KinetoFile& file_;
  const KinetoStep& step_;
  bool on_gpu_;
  std::int16_t main_stream_;
  std::int64_t origin_ns_ = 0, repeats_ns_ = 0;  // 0: not known to repeat
  StepTrace trace_;
  std::vector<Range> updates_, waits_;                        // in the order of their starts
  std::unordered_map<std::int64_t, std::int64_t> launch_of_;  // by correlation; looked up, never walked through
  std::unordered_map<std::int64_t, std::int32_t> payload_of_external_;
  std::map<std::int32_t, std::int32_t> names_;
};

}  // namespace

KinetoSteps find_steps(const KinetoFile& file) { return StepFinder(file).find(); }

std::int64_t period_ns(const KinetoFile& file, const KinetoSteps& steps, std::size_t step) {
  const KinetoStep& own = steps.steps[step];
  if (has_next(steps, step)) return first_kernel_ns(file, steps, step + 1) - first_kernel_ns(file, steps, step);
  return step + 1 < steps.steps.size() ? steps.steps[step + 1].start_ns - own.start_ns : own.end_ns - own.start_ns;
}

StepTrace trace_of_step(const KinetoFile& file, const KinetoSteps& steps, std::size_t step) {
  return TraceMaker(file, steps, step).make(period_ns(file, steps, step));
}

}  // namespace clustersim
