// What the readers of nccl-tests' text and JSON share: operations, the factor of busbw, the check of a row.
#pragma once

#include <optional>
#include <string>

#include "sim/import/measurement.h"

namespace clustersim {

// busbw / algbw for n ranks [published: nccl-tests doc/PERFORMANCE.md].
double bus_factor(CollectiveOp op, int ranks);
// The operation of the first "..._perf" in the text.
std::optional<CollectiveOp> operation_in(const std::string& text);

// One side of a row as printed.
struct PrintedRow {
  double bytes = 0;
  double count_bytes = 0;     // of the elements that the count column names; 0: not told
  std::string operator_word;  // "sum", "none", "" where the column is blank
  std::optional<int> root;
  double algbw = 0, busbw = 0;  // GB/s
};
// From what the row says, where the log does not name the program: needs the number of ranks.
std::optional<CollectiveOp> operation_of(const PrintedRow& row, int ranks);
// Ranks for which busbw / algbw of an all-reduce is right, 0 where no whole number fits.
int ranks_of(double algbw, double busbw);

// Printed with two decimals or three digits: within 2 % or half of the last digit.
bool agrees(double printed, double recomputed);

}  // namespace clustersim
