// A matrix product by cuBLASLt: D (m x n) = A^T (m x k) B (k x n), column-major, the first plan of its heuristic.
//
// Precision: fp16 and bf16 with fp32 accumulation, tf32, fp32 on CUDA cores, fp8 (e4m3) into bf16.
// Epilogue: none, bias, bias_gelu. `batch` products in one call, one after the other in memory.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <string>

#include "tools/gpubench/memory.h"

namespace clustersim::gpubench {

struct GemmRequest {
  int m, n, k;
  std::string precision = "fp16", epilogue = "none";
  int batch = 1;
  bool split_k = true;         // whether partial sums over k may be added up by a second kernel
  bool zero_operands = false;  // else normally distributed
};

class Gemm {
 public:
  // Throws Fault where the library has no such product on this GPU.
  Gemm(const GemmRequest& request, cudaStream_t stream);
  ~Gemm();
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;

  void enqueue(cudaStream_t stream) const;
  double flop() const;

  // Compares some elements of the last result with sums on the CPU; empty, or what is wrong. Without epilogue.
  std::string verify() const;

 private:
  struct Plan;
  GemmRequest request_;
  std::unique_ptr<Plan> plan_;
};

// Why this GPU has no such precision, or empty.
std::string precision_missing(const std::string& precision, int major, int minor);

}  // namespace clustersim::gpubench
