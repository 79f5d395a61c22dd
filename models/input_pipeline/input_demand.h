// What one sample asks of a node's storage, cores, bus and GPU before it can be trained on, and what the node offers.
//
//   rate = min( reading, usable_cores / decode_core_s, gpus * hardware_decode_rate, gpus / collate_s, bus )
//   reading = 1 / ( S * (h_cache / cache_rate + h_miss / miss_rate) ),  h_miss = 1 - h_page - h_cache
// S: stored bytes of a sample; h_page, h_cache: shares served from the page cache and the node's cache tier (models of
// storage_tier.h); miss_rate: local_rate, or the smaller of shared_rate_per_node and the node's part of shared_rate.
// Cores, in units of a core of a fully busy processor (the catalog's loader rate is measured so):
//   w <= C:  w * b(w),  b(w) = 1 + (boost/all-core clock - 1) * (1 - w/C_chip)
//   w >  C:  C + 0.27 * min(w - C, C * (threads/cores - 1))
// w: loader workers of the node; C: cores the job may use; C_chip: cores of the node's processors.
// A PyTorch worker reads, then decodes: while it waits for a file it keeps no core busy, so at most
// w * decode / (decode + wait) cores' worth is used.
//
// Loaders (Pillow-class cost = 1): PyTorch 1; DALI on the CPU 1/1.65; tf.data 1/1.9; DALI on the GPU 0.25 with the
// hybrid decoder, 0.06 with a JPEG engine. GPU time of a decoded image = DRAM bytes / DRAM bandwidth.
//
// A given DataSpec::worker_time t stands for the decode of any loader: w workers on w <= C cores do w / t samples/s.
//
// Assumes ImageNet-like images (500 x 375) where the data set is images; a node sticks to its part of the records but
// draws anew from all files. Does not cover video, augmentation beyond crop, flip and resize, or NUMA placement.
// Source: MODELS of the project, input pipeline; numbers beside the constants.
// Checked by: tests/models/input_demand_test.cc. Against measurements only weakly: the PyTorch and tf.data rows there
// are the ones their rates come from (consistency, not prediction), training rows with DALI only bound its costs from
// above, and the cold first epoch follows from the disk's rate. DALI's costs and JPEG engine rates are not validated.
#pragma once

#include <string>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/units.h"

namespace clustersim {

struct InputDemand {
  double stored_bytes = 0;          // per sample; 0: nothing is read
  double page_cache_share = 0;      // of samples, served from DRAM
  double cache_share = 0;           // of samples, served from the node's cache tier
  Bandwidth local_rate;             // node array under this access pattern; 0: data does not come from there
  Bandwidth shared_rate;            // all servers together; 0: data does not come from there
  Bandwidth shared_rate_per_node;   // the most one node can draw from them
  Bandwidth cache_rate;             // node cache tier
  double decode_core_s = 0;         // core-seconds per sample on the node's processor
  double usable_cores = 0;          // all-core equivalents that the loader keeps busy
  double gpu_decode_s = 0;          // GPU time per sample
  double hardware_decode_rate = 0;  // images/s of one GPU's JPEG engine; 0: none used
  double copy_bytes = 0;            // host to device per sample
  double collate_s = 0;             // serial seconds per sample in each training process
  int prefetch_batches = 0;
  std::vector<std::string> notes;  // what was assumed for this job, for the reader of the report
};

// For one node. `first_epoch`: nothing is cached yet, unless the job starts warm.
InputDemand input_demand(const Cluster& cluster, const NodeSpec& node, const Job& job, bool first_epoch);

}  // namespace clustersim
