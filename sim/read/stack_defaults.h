// What a software stack implies for a model; a scenario key overrides each.
//
// Source: the documentation and launch scripts of the stacks as the modelling brief lists them. DDP: 25 MiB buckets
// [published: PyTorch]. Horovod: 64 MiB and 1 ms as published PyTorch runs set them, 128 MiB and 1 ms by default
// [published]; MXNet submissions 0.1 ms [published]. "one bucket" is 0 bytes.
// Checked by: tests/sim/read_scenario_test.cc
#pragma once

#include "clustersim/scenario.h"

namespace clustersim {

struct StackDefaults {
  Fusion fusion = Fusion::eager;
  double bucket_mib = 25;
  double horovod_cycle_ms = 0;  // 0: no Horovod
  bool overlap = true;
  bool fp16_gradients = false;  // under half precision
  bool fused_optimizer = false;
  Reduction reduction = Reduction::all_reduce;
  bool cuda_graph = false;
  Loader loader = Loader::pytorch;
  bool warm_records = false;  // the data is in memory when the clock starts
};

// Decoders and vision transformers: attention in one kernel (PyTorch 2) and a fused Adam; MLPerf's submissions and bare
// kernels join additions with normalisation too.
inline StackDefaults transformer_defaults(Stack stack) {
  switch (stack) {
    case Stack::pytorch_ddp:
      return {.fusion = Fusion::fused, .fused_optimizer = true};
    case Stack::pytorch_horovod:
      return {.fusion = Fusion::fused, .bucket_mib = 64, .horovod_cycle_ms = 1, .fused_optimizer = true};
    case Stack::mlperf:
      return {.fusion = Fusion::jit, .fused_optimizer = true, .warm_records = true};
    case Stack::native:
    case Stack::tensorflow_horovod:
    case Stack::mxnet_horovod:
      break;
  }
  return {.fusion = Fusion::jit, .fused_optimizer = true};
}

inline StackDefaults stack_defaults(Stack stack, ModelKind model) {
  const bool bert = model == ModelKind::bert;
  if (model == ModelKind::decoder || model == ModelKind::vit) return transformer_defaults(stack);
  switch (stack) {
    case Stack::pytorch_ddp:
      if (bert)
        return {
            .fusion = Fusion::jit, .bucket_mib = 0, .overlap = false, .fp16_gradients = true, .fused_optimizer = true};
      return {};
    case Stack::pytorch_horovod:
      if (bert)
        return {.fusion = Fusion::jit,
                .bucket_mib = 64,
                .horovod_cycle_ms = 1,
                .overlap = false,
                .fp16_gradients = true,
                .fused_optimizer = true};
      return {.bucket_mib = 64, .horovod_cycle_ms = 1};
    case Stack::tensorflow_horovod:
      return {.fusion = bert ? Fusion::jit : Fusion::fused,
              .bucket_mib = 128,
              .horovod_cycle_ms = 1,
              .fused_optimizer = true,
              .loader = Loader::tf_data};
    case Stack::mxnet_horovod:
      return {.fusion = Fusion::fused,
              .bucket_mib = 64,
              .horovod_cycle_ms = 0.1,
              .fp16_gradients = true,
              .fused_optimizer = true,
              .loader = Loader::dali_gpu};
    case Stack::mlperf:
      return {.fusion = Fusion::fused,
              .bucket_mib = 0,
              .overlap = false,
              .fp16_gradients = true,
              .fused_optimizer = true,
              .reduction = bert ? Reduction::rs_ar_ag : Reduction::all_reduce,
              .cuda_graph = !bert,
              .loader = bert ? Loader::pytorch : Loader::dali_gpu,
              .warm_records = true};
    case Stack::native:
      return {.fused_optimizer = true};
  }
  return {};
}

}  // namespace clustersim
