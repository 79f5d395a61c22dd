#include "tools/gpubench/check.h"

#include "tools/gpubench/libraries.h"

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
    case cudaErrorUnsupportedPtxVersion:
      return "this program holds no code for this GPU; build it with -DCMAKE_CUDA_ARCHITECTURES=<its compute "
             "capability> (CUDA 13 knows 7.5 and later; Pascal and Volta need CUDA 12)";
    case cudaErrorLaunchTimeout:
      return "a watchdog ended the kernel, as on a GPU that drives a display; take one that does not";
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
         status == cudaErrorLaunchTimeout || status == cudaErrorHardwareStackError ||
         status == cudaErrorInvalidAddressSpace || status == cudaErrorInvalidPc ||
         status == cudaErrorNvlinkUncorrectable || status == cudaErrorContextIsDestroyed || status == cudaErrorUnknown;
}

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  const std::string text = sentence(what, cudaGetErrorString(status), advice(status));
  if (status == cudaErrorMemoryAllocation || status == cudaErrorNotSupported) throw Unavailable(text);
  throw Fault(text);
}

void check(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const bool memory = status == CUBLAS_STATUS_ALLOC_FAILED;
  const bool unsupported = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
  const std::string text = sentence(what, FROM(cublas_lt, cublasLtGetStatusString)(status),
                                    memory        ? "end other programs that hold this GPU's memory"
                                    : unsupported ? "this GPU or this cuBLAS has no such product"
                                                  : "");
  if (memory || unsupported) throw Unavailable(text);
  throw Fault(text);
}

void check(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const bool version = status == CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH;
  const std::string text =
      sentence(what, FROM(cudnn, cudnnGetErrorString)(status),
               version ? "the parts of cuDNN are of different versions: look at LD_LIBRARY_PATH" : "");
  if (status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_INTERNAL_ERROR) throw Unavailable(text);
  throw Fault(text);
}

}  // namespace clustersim::gpubench
