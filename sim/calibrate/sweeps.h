// Rows of collective tests -> sweeps: one for each operation, number of nodes and of ranks, a time for each size.
// Checked by: tests/sim/calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "sim/collective_correction.h"
#include "sim/import/measurement.h"

namespace clustersim {

struct SourcedSweep {
  MeasuredSweep sweep;  // sizes ascending, each once: the median of its times
  int rows = 0;
  std::vector<const MeasuredFile*> files;
  std::string name;  // "all_reduce of 16 ranks on 2 nodes"
};

// Warns of sizes that a file has more than once, and of those among them whose times differ: the median of two ways
// that a collective goes is neither of them.
void warn_of_repeats(MeasuredFile& file);

// What a sweep of few sizes lacks, "" where nothing: one up to 1 MiB, which shows the latency, and one from 64 MiB on,
// which shows the rate. Between them NCCL changes its protocol, and a size says little of either.
std::string advice_on_sizes(const SourcedSweep& sweep);

// In the order of operation, nodes, ranks. At most 400 sizes a sweep, evenly taken.
std::vector<SourcedSweep> sweeps_of(const std::vector<MeasuredFile>& files);

}  // namespace clustersim
