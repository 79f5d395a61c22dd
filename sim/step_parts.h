// Where the time of one steady step goes, measured from the spans of the run.
//
// On every simulated GPU the window of the step is covered twice over by nothing and never left out: running tasks
// count as their own part; a gap before a task counts as what the task waited for, found by walking back along the
// predecessors that released one another (communication, input, or another rank's work: straggler time).
// The result is the mean over the job's GPUs, each simulated one weighted by the GPUs it stands for, so that the
// parts add up to the step.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clustersim/run_record.h"

namespace clustersim {

struct StepParts {
  double forward_backward_s = 0, communication_s = 0, input_s = 0, optimizer_s = 0, host_s = 0, straggler_s = 0;
  double busy_s = 0;                       // some kernel ran
  std::map<std::string, double> waited_s;  // waiting, by label of the task waited for
  double sum() const { return forward_backward_s + communication_s + input_s + optimizer_s + host_s + straggler_s; }
};

struct ObservedStream {
  StreamId stream = -1;
  double weight = 1;  // GPUs it stands for
};

// A stretch of a stream's time: a task of its own, or the wait for one of another stream.
struct StreamInterval {
  SimTime from = 0, to = 0;
  Part part = Part::other;
  TaskId task = -1;  // that ran, or that was waited for; -1: nothing known, or others at the end of the window
  bool waiting = false;
};

// The whole window of one stream, without gap or overlap. Not in order of time.
std::vector<StreamInterval> stream_intervals(const TaskGraph& graph, const RunRecord& record, StreamId stream,
                                             SimTime from, SimTime to);

// Of each stream.
std::vector<StepParts> parts_of_each(const TaskGraph& graph, const RunRecord& record,
                                     const std::vector<ObservedStream>& streams, SimTime from, SimTime to);
StepParts mean_of(const std::vector<StepParts>& parts, const std::vector<ObservedStream>& streams);
// The mean of the parts of each.
StepParts take_apart(const TaskGraph& graph, const RunRecord& record, const std::vector<ObservedStream>& streams,
                     SimTime from, SimTime to);

// End of the last task of each step, by step.
std::vector<SimTime> step_ends(const TaskGraph& graph, const RunRecord& record);

}  // namespace clustersim
