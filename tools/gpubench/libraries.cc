#include "tools/gpubench/libraries.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "tools/gpubench/check.h"

namespace clustersim::gpubench {

LateLibrary::LateLibrary(const char* file) : file_(file), handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* reason = dlerror();
  missing_ = std::string(reason != nullptr ? reason : file) + " (LD_LIBRARY_PATH names more folders to look in)";
}

void* LateLibrary::find(const char* function) const {
  if (handle_ == nullptr) throw Unavailable(missing_);
  void* found = dlsym(handle_, function);
  if (found == nullptr) throw Unavailable(file_ + " here has no " + function + ": it is of another version");
  return found;
}

const LateLibrary& cublas_lt() {
  static const LateLibrary library(("libcublasLt.so." + std::to_string(CUDART_VERSION / 1000)).c_str());
  return library;
}

const LateLibrary& cudnn() {
  static const LateLibrary library(("libcudnn.so." + std::to_string(CUDNN_MAJOR)).c_str());
  return library;
}

const LateLibrary& nccl() {
  static const LateLibrary library("libnccl.so.2");
  return library;
}

}  // namespace clustersim::gpubench
