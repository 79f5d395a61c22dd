#include "sim/trace_notes.h"

#include <cmath>
#include <cstdio>
#include <map>

#include "models/workload/operator_kind.h"
#include "models/workload/replay.h"

namespace clustersim {
namespace {

constexpr double worth_saying = 0.01;  // share of the step

std::string percent(double part, double whole) {
  char text[24];
  std::snprintf(text, sizeof text, "%.0f %%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

std::string text_of(const char* form, double value) {
  char text[60];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

std::string collectives_text(const Assembly& assembly, const ReplayStep& step) {
  struct Sum {
    int count = 0;
    double bytes = 0;
  };
  std::map<CollectiveOp, Sum> sums;
  const TraceCollective* largest = nullptr;
  for (const TraceCollective& c : step.collectives) {
    Sum& sum = sums[c.op];
    ++sum.count;
    sum.bytes += c.bytes;
    if (largest == nullptr || c.bytes > largest->bytes) largest = &c;
  }
  std::string text;
  for (const auto& [op, sum] : sums) {
    text += (text.empty() ? "" : ", ") + std::to_string(sum.count) + " " + to_string(op);
    text += std::isnan(sum.bytes) ? " of unknown size" : text_of(" of %.4g MB together", sum.bytes * 1e-6);
  }
  if (assembly.job().recorded_collectives) return text + ": recorded times";
  const CollectivePlan plan = assembly.planner().plan(replayed_request(*largest, assembly.step(false)));
  text += "; the largest by " + plan.algorithm + text_of(", alone in %.3g ms", plan.idle_time_s * 1e3);
  return plan.limit.empty() ? text : text + ", limited by " + plan.limit;
}

}  // namespace

std::vector<Note> trace_notes(const Assembly& assembly) {
  const auto& replay = assembly.step_model(0).replay;
  if (!replay) return {};
  const StepTrace& trace = *assembly.job().trace;
  const double step_s = sim_time_to_seconds(trace.step);
  std::string text = "recorded step of " + text_of("%.5g ms", step_s * 1e3) + ": kernels " +
                     percent(replay->kernel_s, step_s) + ", pauses " + percent(replay->pause_s, step_s);
  if (replay->host_bound_s > worth_saying * step_s)
    text += " (" + percent(replay->host_bound_s, step_s) + " where the host was slower than the GPU)";
  if (replay->beside_s > worth_saying * step_s) text += "; kernels beside others " + percent(replay->beside_s, step_s);
  std::vector<Note> notes = {{"trace", text}};
  if (!replay->collectives.empty()) notes.push_back({"collectives", collectives_text(assembly, *replay)});
  return notes;
}

std::vector<Assumption> trace_assumptions(const Assembly& assembly) {
  const auto& replay = assembly.step_model(0).replay;
  if (!replay) return {};
  const double step_s = sim_time_to_seconds(assembly.job().trace->step);
  std::vector<Assumption> list;
  const auto say = [&](std::string value, const char* why) {
    list.push_back({Assumption::Kind::model, "/job/model/trace", std::move(value), why});
  };
  const bool scaled =
      assembly.job().trace_gpu && assembly.job().trace_gpu->id != assembly.cluster().groups.front().node.gpu.id;
  if (scaled && replay->guessed_kind_s > worth_saying * step_s)
    say(percent(replay->guessed_kind_s, replay->kernel_s) + " of the kernels' time",
        "scaled by what the kernels' names tell: arithmetic or memory");
  if (scaled && replay->unclassified_s > worth_saying * step_s)
    say(percent(replay->unclassified_s, replay->kernel_s) + " of the kernels' time",
        "kernels of unknown kind: taken as bound by memory");
  if (scaled && replay->pause_s > worth_saying * step_s)
    say(percent(replay->pause_s, step_s) + " of the recorded step",
        "the host took this long between kernels: as recorded, whatever the processor here");
  return list;
}

}  // namespace clustersim
