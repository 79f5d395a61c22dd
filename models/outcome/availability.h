// How often to save a long run, and what failures and saving leave of its time.
//
//   M = 1 / sum lambda;   Young: tau = sqrt(2 delta M)
//   Daly: tau = sqrt(2 delta M) * (1 + sqrt(delta/(2M))/3 + delta/(18M)) - delta   for delta < 2M, else M
//   goodput = 1 - delta/tau - (tau/2 + t_recover)/M
//     lambda  failure rate of one part [1/s];  M  mean time between failures of the job [s]
//     delta  time a checkpoint blocks the run [s];  tau  time between checkpoints [s]
//     t_recover  detection and restart [s]
//   delta = bytes / snapshot rate (asynchronous: copied to host memory) or bytes / write rate (synchronous)
//
// Assumes independent failures at constant rates and first order in tau/M. Does not cover hangs, silent slow nodes
// and failures of many nodes together. Rates are uncertain by a factor of 1.5; efficiency then by about 3 %.
// Source: Young 1974, Daly 2006. Checked by: tests/models/availability_test.cc (Llama 3 405B, arXiv 2407.21783)
#pragma once

#include "clustersim/units.h"

namespace clustersim {

// Of a job on `nodes` equal nodes.
Time mean_time_between_failures(Frequency failures_per_node, int nodes);

Time young_interval(Time blocking, Time mtbf);
Time daly_interval(Time blocking, Time mtbf);

// Share of the time that is useful work, 0..1.
double goodput(Time blocking, Time interval, Time recovery, Time mtbf);

// What one node saves: all of it, and the part of one GPU; equal where one GPU saves for all.
struct CheckpointSize {
  Bytes node, gpu;
};

// Time one checkpoint holds up the run. The slower of device-to-host copy and host memory bounds the snapshot of an
// asynchronous one; a synchronous one waits for the storage as well.
Time checkpoint_blocking(const CheckpointSize& size, bool asynchronous, Bandwidth device_to_host, Bandwidth host_memory,
                         Bandwidth storage_write);

}  // namespace clustersim
