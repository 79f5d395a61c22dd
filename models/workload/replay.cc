#include "models/workload/replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "clustersim/error.h"
#include "models/compute/roofline.h"
#include "models/workload/operator_kind.h"

namespace clustersim {
namespace {

// The share of a piece in which kernels run.
double activity(const ReplayPiece& piece) {
  const double seconds = work_seconds({piece.kernels, 1.0}, {});
  return seconds > 0 ? std::clamp(1 - piece.idle_s / seconds, 0.0, 1.0) : 1.0;
}

}  // namespace

CollectiveRequest replayed_request(const TraceCollective& collective, const DataParallelSpec& spec) {
  CollectiveRequest request{collective.op, collective.bytes, spec.job.algorithm, Scope::world, 0};
  const int group = collective.group, recorded = spec.job.trace->ranks;
  if (group <= 0 || recorded <= 0 || group >= recorded) return request;
  const bool neighbours = collective.stride <= 1;
  if (neighbours && group == spec.gpus_per_node) {
    request.scope = Scope::node;
  } else if (!neighbours && collective.stride >= spec.gpus_per_node && spec.world > spec.gpus_per_node) {
    request.scope = Scope::across;
  } else {
    request.ranks = std::min(group, spec.world);
  }
  return request;
}

Replay::Replay(DataParallelSpec spec, const CollectivePlanner* planner, const MessagePlanner* messages)
    : spec_(std::move(spec)), planner_(planner), messages_(messages), feed_(spec_.ranks, spec_.prefetch) {
  require(!spec_.ranks.empty() && !spec_.models.empty(), "a replay has ranks and a step");
  for (const StepModel& model : spec_.models) require(model.replay != nullptr, "a replay has a recorded step");
  done_.resize(spec_.ranks.size());
  step_end_.assign(spec_.ranks.size(), -1);
}

const ReplayStep& Replay::replay(std::size_t rank) const {
  return *spec_.models[static_cast<std::size_t>(spec_.ranks[rank].model)].replay;
}

void Replay::make_works(TaskGraph& graph) {
  for (const StepModel& model : spec_.models) {
    std::vector<WorkId>& works = works_.emplace_back();
    for (const ReplayPiece& piece : model.replay->pieces)
      works.push_back(piece.kind == PieceKind::compute ? graph.add_work({piece.kernels, activity(piece)}) : -1);
  }
  for (const Rank& rank : spec_.ranks) decode_.push_back(graph.add_work({{{rank.gpu_decode_s, 0, 0}}, 1.0}));
  if (spec_.job.recorded_collectives) return;
  const ReplayStep& step = replay(0);
  for (const TraceCollective& collective : step.collectives) {
    const CollectiveRequest request = replayed_request(collective, spec_);
    CollectivePlan plan = planner_->plan(request);
    std::optional<MessagePlan> messages = messages_ ? messages_->plan(request, plan) : std::nullopt;
    Task task;
    task.kind = TaskKind::transfer;
    // The host launches ahead of the GPU.
    task.latency_s = (messages ? messages->latency_s : plan.latency_s) - plan.launch_s;
    if (messages) {
      task.messages = graph.add_pattern(std::move(messages->pattern));
    } else {
      task.amount = plan.amount_bytes;
      task.uses = std::move(plan.uses);
    }
    // Kernels recorded beside collectives have lost already what these take.
    if (step.gradients_added) task.holds = std::move(plan.holds);
    collectives_.push_back(std::move(task));
  }
}

void Replay::add_after(Task& task, std::size_t rank, std::size_t piece, const std::vector<int>& after) const {
  const bool first = piece == 0;
  for (const int before : after)
    if (const TaskId id = before < 0 ? step_end_[rank] : done_[rank][static_cast<std::size_t>(before)]; id >= 0)
      task.after.push_back(id);
  if (first && step_end_[rank] >= 0) task.after.push_back(step_end_[rank]);
}

TaskId Replay::append_collective(TaskGraph& graph, std::size_t piece, int step) {
  const ReplayPiece& p = replay(0).pieces[piece];
  const auto c = static_cast<std::size_t>(p.collective);
  Task task;
  if (spec_.job.recorded_collectives) {
    task.kind = TaskKind::delay;
    task.latency_s = p.seconds;
  } else {
    task = collectives_[c];
  }
  task.part = Part::communication;
  task.label = graph.label(to_string(replay(0).collectives[c].op));
  task.step = step;
  if (replay(0).one_queue) task.stream = spec_.collective_stream;
  for (std::size_t r = 0; r < spec_.ranks.size(); ++r) add_after(task, r, piece, p.after);
  std::sort(task.after.begin(), task.after.end());
  task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  return graph.add(std::move(task));
}

TaskId Replay::append_piece(TaskGraph& graph, std::size_t rank, std::size_t piece, int step) {
  const ReplayPiece& p = replay(rank).pieces[piece];
  const Rank& own = spec_.ranks[rank];
  Task task;
  task.part = p.part;
  task.step = step;
  task.stream = p.kind == PieceKind::host ? -1 : own.compute_stream;
  if (p.kind == PieceKind::compute) {
    task.kind = TaskKind::compute;
    task.work = works_[static_cast<std::size_t>(own.model)][piece];
    task.label = graph.label("recorded kernels");
  } else {
    task.kind = TaskKind::delay;
    task.latency_s = p.seconds;
    task.label = graph.label("recorded pause");
  }
  add_after(task, rank, piece, p.after);
  if (const TaskId batch = feed_.batch(rank); batch >= 0) task.after.push_back(batch);
  const TaskId id = graph.add(std::move(task));
  if (!feed_.is_taken(rank, step)) feed_.take(rank, id);
  return id;
}

void Replay::append_decoding(TaskGraph& graph, std::size_t rank, int step) {
  Task task;
  task.kind = TaskKind::compute;
  task.part = Part::input;
  task.label = graph.label("gpu decode");
  task.stream = spec_.ranks[rank].compute_stream;
  task.work = decode_[rank];
  task.step = step;
  if (const TaskId batch = feed_.batch(rank); batch >= 0) task.after.push_back(batch);
  graph.add(std::move(task));
}

void Replay::append_step(TaskGraph& graph, int step) {
  if (works_.empty()) make_works(graph);
  feed_.append(graph, step);
  const std::size_t ranks = spec_.ranks.size(), pieces = replay(0).pieces.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    require(replay(r).pieces.size() == pieces, "every GPU replays the same pieces");
    done_[r].assign(pieces, -1);
    if (spec_.ranks[r].gpu_decode_s > 0) append_decoding(graph, r, step);
  }
  for (std::size_t p = 0; p < pieces; ++p) {
    if (replay(0).pieces[p].kind == PieceKind::collective) {
      const TaskId id = append_collective(graph, p, step);
      for (std::size_t r = 0; r < ranks; ++r) done_[r][p] = id;
    } else {
      for (std::size_t r = 0; r < ranks; ++r) done_[r][p] = append_piece(graph, r, p, step);
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) step_end_[r] = done_[r].back();
}

}  // namespace clustersim
