// Published runs of decoders and vision transformers (throughput.csv) as scenarios, for the suite `throughput`.
//
// What a row leaves open follows from the published code of its source, by source and never by row:
//   mosaicml/llm-foundry   shapes of its yamls; flash attention, LayerNorm in half precision, fused loss; FULL_SHARD
//   with
//                          gradients in half precision; activation checkpointing as the row says
//   pytorch/torchtitan     FSDP, gradients in FP32; jit where compiled; checkpointing, selective or full, as full
//   Oneflow-Inc/DLPerf     V100: scores in memory; layers computed again; the rate by its own formula of FLOPs,
//                          96 S l h^2 (1 + S / 6h + V / 16 l h) a sequence
//   Narayanan et al. 2021  the same on A100, divided as the row says; micro-batches and interleaving by its scripts
//   mlcommons              jit, cuDNN's attention, gradients and weights in half precision, ZeRO-1, divided as the row
//   says pytorch-image-models   one kernel an operator
// Checked by: tests/suites/suites_test.cc
#pragma once

#include <optional>

#include "sim/validation/training_suite.h"

namespace clustersim {

struct TransformerRun {
  TrainingRow row;
  std::string not_modelled;  // why there is no scenario; else ""
  std::string remark;        // what of the run the model does not know
};

// Nothing where the row is of another kind of network.
std::optional<TransformerRun> transformer_run(const MeasurementRow& row);

}  // namespace clustersim
