#include "models/workload/input_feed.h"

#include <utility>

namespace clustersim {

InputFeed::InputFeed(std::vector<Rank> ranks, int prefetch)
    : ranks_(std::move(ranks)), prefetch_(prefetch), ready_(ranks_.size(), -1), taken_(ranks_.size()) {}

void InputFeed::append(TaskGraph& graph, int step) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const Rank& rank = ranks_[r];
    TaskId previous = -1;
    for (std::size_t s = 0; s < rank.stages.size(); ++s) {
      const InputStage& stage = rank.stages[s];
      Task task;
      task.kind = TaskKind::transfer;
      task.part = Part::input;
      task.label = graph.label(stage.label);
      task.stream = rank.stage_streams[s];
      task.amount = stage.amount;
      task.rate_cap = stage.rate_cap;
      task.latency_s = stage.latency_s;
      task.uses = stage.uses;
      task.step = step;
      if (previous >= 0) task.after.push_back(previous);
      if (s == 0 && step >= prefetch_) task.after.push_back(taken_[r][static_cast<std::size_t>(step - prefetch_)]);
      previous = graph.add(std::move(task));
    }
    ready_[r] = previous;
  }
}

TaskId InputFeed::batch(std::size_t rank) { return std::exchange(ready_[rank], -1); }

}  // namespace clustersim
