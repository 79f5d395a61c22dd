// What a GPU kernel or a framework operator does, guessed from its name.
//
// The names are those of cuBLAS, cuDNN, CUTLASS, PyTorch's native kernels, FlashAttention, Apex and NCCL; the first
// rule that matches wins. A guess: a report that leans on one says so.
// Source: public source code of these libraries; traces of PyTorch's profiler.
// Checked by: tests/models/operator_kind_test.cc
#pragma once

#include <optional>
#include <string>

#include "clustersim/step_trace.h"
#include "models/compute/device_model.h"

namespace clustersim {

OperatorKind operator_kind(const std::string& name);

// "matmul", ...; and back, nothing for another word.
const char* to_string(OperatorKind kind);
std::optional<OperatorKind> operator_kind_of_word(const std::string& word);

// The number format that the name of a matrix kernel tells.
std::optional<MathFormat> math_format_of_name(const std::string& name);

// "all_reduce", ...; and back, from the words of NCCL kernels, c10d, gloo and MPI too ("AllReduce", "allreduce_").
const char* to_string(CollectiveOp op);
std::optional<CollectiveOp> collective_op_of_name(const std::string& name);

// Arithmetic decides how long such an operator takes, not memory.
inline bool bound_by_arithmetic(OperatorKind kind) {
  return kind == OperatorKind::matmul || kind == OperatorKind::convolution || kind == OperatorKind::attention;
}
// The time does not follow from the GPU.
inline bool bound_by_host(OperatorKind kind) { return kind == OperatorKind::cpu || kind == OperatorKind::host_copy; }

}  // namespace clustersim
