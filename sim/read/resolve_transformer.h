// Decoders and vision transformers of the catalog, and what a job divides among its GPUs.
#pragma once

#include "clustersim/scenario.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

// Kind, shape and sequence length, if the catalog has a shape for the model; false and nothing told if it has none.
bool resolve_transformer(ReadContext& context, const JobKeys& keys, Job& job);

// Sharding and activation checkpointing, with a fault where the model or the stack has none.
void resolve_sharding(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job);

// A step whose weights are sharded is simulated pass by pass: a fault where there are too many. After accumulation.
void check_sharded_passes(ReadContext& context, const Job& job);

// Ranks that what is sharded is divided among: all, or those of the smallest node; 1 without sharding.
int shards_of(const Job& job, const Cluster& cluster);

}  // namespace clustersim
