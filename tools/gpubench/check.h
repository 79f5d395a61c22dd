// Every call of CUDA and its libraries goes through check(): a failure becomes a sentence that says what to do.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include <stdexcept>
#include <string>

namespace clustersim::gpubench {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Nothing is wrong, but it cannot be done here: not on this GPU, not in its memory, not with what is installed. The
// record is skipped, not failed.
struct Unavailable : Fault {
  using Fault::Fault;
};

// `what` is what was tried, e.g. "allocate 4096 bytes on the GPU". Throw Fault unless the status is success,
// Unavailable where it says that memory or support is missing.
void check(cudaError_t status, const std::string& what);
void check(cublasStatus_t status, const std::string& what);
void check(cudnnStatus_t status, const std::string& what);

// What to do about an error of the runtime, or empty.
std::string advice(cudaError_t status);

// Whether the process can no longer use the GPU: every later call would fail alike.
bool is_final(cudaError_t status);

}  // namespace clustersim::gpubench
