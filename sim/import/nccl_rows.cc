#include "sim/import/nccl_rows.h"

#include <cmath>

#include "sim/import/measurement_text.h"

namespace clustersim {
namespace {

struct Program {
  const char* name;
  CollectiveOp op;
};
// Longer names first where one contains another.
constexpr Program programs[] = {
    {"all_reduce_perf", CollectiveOp::all_reduce},
    {"all_gather_perf", CollectiveOp::all_gather},
    {"reduce_scatter_perf", CollectiveOp::reduce_scatter},
    {"alltoall_perf", CollectiveOp::all_to_all},
    {"broadcast_perf", CollectiveOp::broadcast},
    {"sendrecv_perf", CollectiveOp::send_recv},
    {"reduce_perf", CollectiveOp::reduce},
};

constexpr double tolerance = 0.02, last_digit = 0.0051;

}  // namespace

double bus_factor(CollectiveOp op, int ranks) {
  const double n = ranks;
  switch (op) {
    case CollectiveOp::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
      return (n - 1) / n;
    default:
      return 1.0;
  }
}

std::optional<CollectiveOp> operation_in(const std::string& text) {
  std::size_t first = std::string::npos;
  std::optional<CollectiveOp> found;
  for (const Program& program : programs) {
    const std::size_t at = text.find(program.name);
    if (at == std::string::npos || (first != std::string::npos && at >= first)) continue;
    first = at;
    found = program.op;
  }
  return found;
}

bool agrees(double printed, double recomputed) {
  return std::fabs(printed - recomputed) <= tolerance * std::fabs(recomputed) + last_digit;
}

std::optional<CollectiveOp> operation_of(const PrintedRow& row, int ranks) {
  if (ranks < 2) return std::nullopt;
  const bool reduces = !row.operator_word.empty() && row.operator_word != "none";
  const bool rooted = row.root && *row.root >= 0;
  if (!(row.algbw >= 0.5)) {  // too few digits of rates: a reduce_scatter counts the elements of one rank
    if (!reduces || rooted || row.count_bytes <= 0) return std::nullopt;
    if (row.count_bytes == row.bytes) return CollectiveOp::all_reduce;
    return row.count_bytes * ranks == row.bytes ? std::optional(CollectiveOp::reduce_scatter) : std::nullopt;
  }
  const auto fits = [&](CollectiveOp op) { return agrees(row.busbw, row.algbw * bus_factor(op, ranks)); };
  if (reduces && rooted && fits(CollectiveOp::reduce)) return CollectiveOp::reduce;
  if (reduces && fits(CollectiveOp::all_reduce)) return CollectiveOp::all_reduce;
  if (reduces && fits(CollectiveOp::reduce_scatter)) return CollectiveOp::reduce_scatter;
  if (!reduces && rooted && fits(CollectiveOp::broadcast)) return CollectiveOp::broadcast;
  return std::nullopt;  // all-gather and all-to-all print alike
}

int ranks_of(double algbw, double busbw) {
  if (!(algbw > 1)) return 0;
  const double ratio = busbw / algbw;  // 2 (n-1)/n
  if (!(ratio >= 0.99 && ratio < 1.99)) return 0;
  const double n = 2 / (2 - ratio);
  const double whole = std::round(n);
  return whole >= 2 && std::fabs(n - whole) < 0.02 * whole ? static_cast<int>(whole) : 0;
}

}  // namespace clustersim
