// What a run looks like inside: one steady step of every simulated GPU, how the GPUs warm up, and how full each link
// is.
//
// Times are seconds from the start of the window that the report's parts of a step are measured in: one steady step,
// or, where the input pipeline beats instead of settling, as many steps as were averaged (window_s / step_s).
// The slices of a compute track (kind "compute") cover the window without gap or overlap, waiting included. Summed by
// `part`, averaged over the GPUs by `stands_for` and divided by the number of steps they are the report's parts:
// forward_backward, communication, input, optimizer, straggler by name; host_overhead and other together.
// Other tracks show the same time from the other side (a collective, a link, a loader stage, the host): adding them to
// the compute tracks would count it twice.
// Equal nodes are simulated once: the name of a process says for how many it stands, "node0 (x4)".
// Checked by: tests/sim/step_timeline_test.cc, tests/sim/run_detail_test.cc
#pragma once

#include <string>
#include <vector>

#include "clustersim/report.h"

namespace clustersim {

struct TimelineTrack {
  std::string process;    // "node0 (x4)", "cluster", "network"
  std::string name;       // "gpu0 compute", "nic0>switch"; unique inside its process
  std::string kind;       // compute, communication, link (storage devices too), loader, host
  double stands_for = 1;  // tracks of the whole job
};

struct TimelineSlice {
  int track = 0;  // index into Timeline::tracks
  double start_s = 0, duration_s = 0;
  std::string name;    // "backward 3 of 10", "waiting for all-reduce 10 of 10"
  std::string part;    // forward_backward, communication, input, optimizer, host_overhead, straggler, other
  std::string detail;  // "31.5 MB"; may be empty
};

// Gradients that are ready (a slice of a compute track) -> the collective that reduces them.
struct TimelineFlow {
  int from_slice = 0, to_slice = 0;  // indices into Timeline::slices
};

// A value that holds from each time to the next.
struct TimelineCounter {
  std::string process, name, unit;
  std::vector<double> time_s, value;
};

struct Timeline {
  double step_s = 0;
  double window_s = 0;
  std::vector<TimelineTrack> tracks;
  std::vector<TimelineSlice> slices;  // by track, then start
  std::vector<TimelineFlow> flows;
  std::vector<TimelineCounter> counters;  // of links: GB/s on it
  std::string decimation;                 // what was left out to stay small, "" if nothing
};

// One GPU from an idle start under the load of the steady step until clock and temperature stand still.
struct HeatHistory {
  std::string process;  // "node0 (x4)"
  std::string gpu;      // "gpu0"
  std::vector<double> time_s, clock_mhz, temperature_c, power_w;
  bool settled = true;  // false: clock or temperature still moved at the end
};

// The cluster as it was simulated, with the load of the steady step.
struct PictureNode {
  std::string name;  // "node0"
  int count = 1;     // nodes it stands for
  int gpus = 0;
};
struct PictureVertex {
  std::string name;  // "node0.gpu3", "switch"
  std::string kind;  // gpu, socket, memory, pcie_switch, nvswitch, nic, leaf_switch, spine_switch, storage_device,
                     // storage_server
  int node = -1;     // index into nodes, -1: outside of nodes
};
struct PictureLink {
  int from = 0, to = 0;  // indices into vertices; one direction
  std::string name;
  std::string kind;  // pcie, nvlink, socket, memory, nic, network, storage
  double capacity_bytes_per_s = 0;
  double utilization = 0;  // mean over the window, 0..1 of the capacity
  double busy_share = 0;   // of the window in which something flows, 0..1
};
struct PictureGpu {
  int vertex = 0;  // index into vertices
  double temperature_c = 0, clock_mhz = 0, power_w = 0;
  double busy_share = 0;  // of the step in which kernels run
  std::string limit;      // what holds the clock down: none, power cap, clock limit, temperature, hardware slowdown
};
struct ClusterPicture {
  std::vector<PictureNode> nodes;
  std::vector<PictureVertex> vertices;
  std::vector<PictureLink> links;
  std::vector<PictureGpu> gpus;
};

struct RunDetail {
  Timeline timeline;
  std::vector<HeatHistory> heat;  // by GPU
  ClusterPicture picture;
};

// sim/write/perfetto: the timeline, the counters and the warming-up as Chrome's Trace Event Format, for
// ui.perfetto.dev. `report` is that of the same run.
std::string trace_json(const RunDetail& detail, const Report& report);

}  // namespace clustersim
