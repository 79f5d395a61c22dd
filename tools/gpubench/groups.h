// The groups of benchmarks. Each appends its records to the session (docs/MEASUREMENTS.md lists them).
#pragma once

#include "tools/gpubench/session.h"

namespace clustersim::gpubench {

void run_memory(Session& session);
void run_launch(Session& session);
void run_gemm(Session& session);
void run_sustained(Session& session);
void run_attention(Session& session);
void run_convolution(Session& session);
void run_normalisation(Session& session);
void run_optimizer(Session& session);
void run_overlap(Session& session);
void run_copies(Session& session);
void run_jpeg(Session& session);
void run_amp(Session& session);
void run_step(Session& session);
void run_power(Session& session);
void run_collectives(Session& session);

// Of NCCL, or empty where the program is built without it.
std::string nccl_version();

}  // namespace clustersim::gpubench
