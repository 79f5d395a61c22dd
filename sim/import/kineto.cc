#include "sim/import/kineto.h"

#include <algorithm>
#include <cstdio>

#include "clustersim/error.h"
#include "sim/import/kineto_steps.h"
#include "sim/import/step_trace_file.h"

namespace clustersim {
namespace {

constexpr int most_listed = 8;  // steps in a message

std::string ms(double ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g ms", ns * 1e-6);
  return text;
}

// Of all steps that are complete, the one of median period; steps with a next one first, whose period is sure.
std::size_t typical_step(const KinetoFile& file, const KinetoSteps& steps) {
  std::vector<std::pair<std::int64_t, std::size_t>> periods;
  for (const bool with_next : {true, false}) {
    for (std::size_t i = 0; i < steps.steps.size(); ++i)
      if (steps.steps[i].complete && (i + 1 < steps.steps.size()) == with_next)
        periods.emplace_back(period_ns(file, steps, i), i);
    if (!periods.empty()) break;
  }
  if (periods.empty()) return steps.steps.size();
  std::sort(periods.begin(), periods.end());
  return periods[(periods.size() - 1) / 2].second;
}

// The shortest time of each collective over the ranks; they run in the same order on all.
void take_wire_times(StepTrace& trace, const StepTrace& other, const std::string& path,
                     std::vector<std::string>& warnings) {
  bool same = trace.collectives.size() == other.collectives.size();
  for (std::size_t i = 0; same && i < trace.collectives.size(); ++i)
    same = trace.collectives[i].op == other.collectives[i].op;
  if (!same) {
    warnings.push_back(path + ": other collectives than the first file's; not compared");
    return;
  }
  for (std::size_t i = 0; i < trace.collectives.size(); ++i)
    trace.collectives[i].wire = std::min(trace.collectives[i].wire, other.collectives[i].wire);
}

// What could not be used of the file, with how many and why.
std::vector<std::string> faulty_of(const KinetoFile& file) {
  std::vector<std::string> lines;
  for (const auto& [what, count] : file.faulty)
    lines.push_back(std::to_string(count) + " " + what + ": left out" +
                    (what.starts_with("kernels with a duration") && !file.first_faulty.empty()
                         ? ", with their time; the first is " + file.first_faulty
                         : ""));
  return lines;
}

std::string hint_of(const KinetoFile& file, const std::string& otherwise) {
  std::string hint = file.trouble;
  for (const std::string& text : faulty_of(file)) hint += (hint.empty() ? "" : "; ") + text;
  return hint.empty() ? otherwise : hint;
}

void describe(const KinetoFile& file, const KinetoSteps& steps, TraceImport& found) {
  std::string text;
  std::int64_t busy_ns = 0, covered_ns = INT64_MIN;
  std::int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  int complete = 0;
  for (const KinetoStep& step : steps.steps) {
    for (const std::size_t i : step.events) {
      const KinetoEvent& e = file.events[i];
      busy_ns += std::max<std::int64_t>(0, e.end_ns() - std::max(e.start_ns, covered_ns));
      covered_ns = std::max(covered_ns, e.end_ns());
      first_ns = std::min(first_ns, e.start_ns);
      last_ns = std::max(last_ns, e.end_ns());
    }
    if (!step.complete) continue;
    if (++complete <= most_listed)
      text += (text.empty() ? "" : ", ") + ms(static_cast<double>(step.end_ns - step.start_ns));
  }
  if (complete > most_listed) text += " and " + std::to_string(complete - most_listed) + " more";
  if (steps.marked) found.known.push_back(std::to_string(complete) + " complete steps of " + text);
  if (last_ns > first_ns)
    found.known.push_back(std::string(steps.on_gpu ? "GPU" : "host") + " busy " + ms(static_cast<double>(busy_ns)) +
                          " of " + ms(static_cast<double>(last_ns - first_ns)) + " of all steps");
  for (const auto& [why, count] : file.left_out)
    found.known.push_back(std::to_string(count) + " events left out: " + why);
  if (steps.outside > 0) found.known.push_back(std::to_string(steps.outside) + " kernels of no step: left out");
  for (const std::string& line : faulty_of(file)) found.warnings.push_back(line);
  if (file.devices > 1)
    found.warnings.push_back("kernels of " + std::to_string(file.devices) +
                             " GPUs in one profile: taken for queues of one GPU; give a file of each process instead");
  if (file.overlaps > 0)
    found.warnings.push_back(std::to_string(file.overlaps) +
                             " kernels are said to run on while the next of their stream runs: cut where that starts");
  if (steps.orphans > 0)
    found.warnings.push_back(std::to_string(steps.orphans) +
                             " kernels without their launch (before the recording began): placed by their own time");
  if (!file.trouble.empty())
    found.warnings.push_back("the file breaks off: " + file.trouble + "; what came before is used");
  found.warnings.insert(found.warnings.end(), steps.warnings.begin(), steps.warnings.end());
}

void say_unknown(TraceImport& found) {
  const StepTrace& t = found.trace;
  if (t.batch <= 0) found.unknown.push_back("batch: samples of a step; give it as batch_per_gpu of the job");
  if (!t.batch_guess.empty())
    found.unknown.push_back("batch: guessed to be " + std::to_string(static_cast<long>(t.batch)) + ", " +
                            t.batch_guess);
  if (t.gpu.empty() && !t.on_cpu) found.unknown.push_back("gpu: give it as recorded_on of the job's model");
  if (t.collectives.empty()) found.unknown.push_back("parameters of the model: needed to run on several GPUs");
  const auto unsized = std::count_if(t.collectives.begin(), t.collectives.end(),
                                     [](const TraceCollective& c) { return !(c.bytes >= 0); });
  if (unsized > 0)
    found.unknown.push_back("bytes of " + std::to_string(unsized) +
                            " collectives: without them only as many GPUs as recorded can be simulated");
}

// The largest group of all collectives is the job, if nothing else says how large it is.
int ranks_of(const KinetoFile& file, const StepTrace& trace, std::size_t files) {
  if (file.world > 0) return file.world;
  int largest = 0;
  for (const TraceCollective& c : trace.collectives) largest = std::max(largest, c.group);
  if (largest > 0) return largest;
  return trace.collectives.empty() ? 1 : files > 1 ? static_cast<int>(files) : 0;
}

// Picoseconds do not hold longer steps; such a one comes of events whose clocks differ.
void refuse_endless(const KinetoFile& file, const KinetoSteps& steps, const std::string& path) {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    if (steps.steps[i].complete && period_ns(file, steps, i) > day_ns)
      throw InputError(
          {{path, "", "steps of at most a day", "one of " + ms(static_cast<double>(period_ns(file, steps, i))),
            hint_of(file, "an event with a time of its own, such as 0, makes it so long: take it out")}});
}

}  // namespace

TraceImport read_kineto(const std::vector<std::string>& paths) {
  TraceImport found;
  found.format = "PyTorch profiler (Kineto)";
  int number = 0;  // of the step that is kept
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const KinetoFile file = read_kineto_events(paths[p]);
    const KinetoSteps steps = find_steps(file);
    std::size_t step = typical_step(file, steps);
    if (p > 0)
      for (std::size_t i = 0; i < steps.steps.size(); ++i)
        if (steps.steps[i].number == number && steps.steps[i].complete) step = i;
    if (step == steps.steps.size())
      throw InputError({{paths[p], "", "at least one complete step (ProfilerStep)", "none",
                         hint_of(file, "record a few more steps")}});
    refuse_endless(file, steps, paths[p]);
    StepTrace trace = trace_of_step(file, steps, step);
    if (p > 0) {
      take_wire_times(found.trace, trace, paths[p], found.warnings);
      continue;
    }
    number = steps.steps[step].number;
    trace.source = found.format;
    trace.ranks = ranks_of(file, trace, paths.size());
    if (file.first_dimension > 0) {
      trace.batch = file.first_dimension;
      trace.batch_guess = "first dimension of the first input of " + file.first_operator;
    }
    for (std::size_t i = 0; i < steps.steps.size(); ++i)
      if (steps.steps[i].complete) trace.steps.push_back(1000 * period_ns(file, steps, i));
    if (paths.size() == 1)  // waiting for the others cannot be told from sending
      for (TraceCollective& c : trace.collectives) c.wire = -1;
    found.trace = std::move(trace);
    if (found.trace.operators.empty())
      throw InputError({{paths[p], "", "kernels or operators in the step", "none", hint_of(file, "")}});
    describe(file, steps, found);
  }
  sort_operators(found.trace);
  say_unknown(found);
  return found;
}

Imported import_kineto(const std::vector<std::string>& paths) { return imported_trace(read_kineto(paths)); }

}  // namespace clustersim
