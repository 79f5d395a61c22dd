#include "tools/gpubench/check.h"

namespace clustersim::gpubench {
namespace {

std::string sentence(const std::string& what, const std::string& reason, const std::string& hint) {
  return "cannot " + what + ": " + reason + (hint.empty() ? "" : "; " + hint);
}

}  // namespace

std::string advice(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "end other programs that hold this GPU's memory";
    case cudaErrorNoDevice:
      return "this machine shows no NVIDIA GPU; nvidia-smi -L lists what the driver sees";
    case cudaErrorInsufficientDriver:
      return "install an NVIDIA driver that supports this CUDA version (nvidia-smi names the newest it supports)";
    case cudaErrorNoKernelImageForDevice:
      return "this program holds no code for this GPU; build it with -DCMAKE_CUDA_ARCHITECTURES=<its compute "
             "capability>";
    case cudaErrorDevicesUnavailable:
      return "another process holds the GPU exclusively";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
      return "on NVSwitch systems start nvidia-fabricmanager; else reboot after the update";
    case cudaErrorECCUncorrectable:
      return "the GPU's memory has a fault: nvidia-smi -q -d ECC";
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
      return "a fault of this program or of the GPU: run again, and report it if it stays";
    default:
      return "";
  }
}

bool is_final(cudaError_t status) {
  return status == cudaErrorLaunchFailure || status == cudaErrorIllegalAddress || status == cudaErrorECCUncorrectable ||
         status == cudaErrorAssert || status == cudaErrorIllegalInstruction || status == cudaErrorMisalignedAddress ||
         status == cudaErrorLaunchTimeout || status == cudaErrorHardwareStackError;
}

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  throw Fault(sentence(what, cudaGetErrorString(status), advice(status)));
}

void check(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const bool memory = status == CUBLAS_STATUS_ALLOC_FAILED;
  const bool unsupported = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
  throw Fault(sentence(what, cublasLtGetStatusString(status),
                       memory        ? "end other programs that hold this GPU's memory"
                       : unsupported ? "this GPU or this cuBLAS has no such product"
                                     : ""));
}

void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const bool version = status == CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH;
  throw Fault(sentence(what, cudnnGetErrorString(status),
                       version ? "the parts of cuDNN are of different versions: look at LD_LIBRARY_PATH" : ""));
}

}  // namespace clustersim::gpubench
