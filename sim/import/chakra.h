// A recorded step out of Chakra execution traces, one file a rank, and back.
//
// Nodes that ran on a GPU, and collectives that were more than a launch (is_cpu_op false), are kept; where nothing ran
// on a GPU, those of the host. With start times the trace is read as a profile: what follows what is found from times,
// since converters drop the order between streams. Without, nodes are laid out by their dependencies: each as soon as
// all it depends on is done, one at a time on the GPU, on the host, and in each process group, the lowest id first.
// Collectives then take no time: they are planned by whoever replays the trace.
// Writing: our step as one file; times in picoseconds, kinds and launches stand in attributes of our own beside the
// schema's whole microseconds, so that reading it again gives the same trace.
// Source: the Chakra schema (et_def.proto, 0.0.4) and its feeder's rules.
// Checked by: tests/sim/import_chakra_test.cc
#pragma once

#include <string>
#include <vector>

#include "sim/import/load_trace.h"

namespace clustersim {

TraceImport read_chakra(const std::vector<std::string>& paths);

// Chakra files to a step of ours; one file of ours to Chakra's protobuf.
Imported import_chakra(const std::vector<std::string>& paths);

}  // namespace clustersim
