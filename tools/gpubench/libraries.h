// cuBLASLt, cuDNN and NCCL, opened at run time: where one is missing, the program starts, skips what needs it and says
// so. Their headers are needed to build, they themselves are not.
#pragma once

#include <string>

namespace clustersim::gpubench {

class LateLibrary {
 public:
  // `file` is the name with the version that the headers are of, such as "libcudnn.so.9".
  explicit LateLibrary(const char* file);
  LateLibrary(const LateLibrary&) = delete;
  LateLibrary& operator=(const LateLibrary&) = delete;

  const std::string& missing() const { return missing_; }  // why it cannot be used, or empty

  // Throws Unavailable where the library or the function is missing.
  void* find(const char* function) const;

 private:
  std::string file_, missing_;
  void* handle_ = nullptr;
};

// Opened at the first call, and kept until the end of the program.
const LateLibrary& cublas_lt();
const LateLibrary& cudnn();
const LateLibrary& nccl();

}  // namespace clustersim::gpubench

// The function of that name: FROM(cudnn, cudnnCreate)(&handle).
#define FROM(library, function)                                                                     \
  ([] {                                                                                             \
    static const auto late_function =                                                               \
        reinterpret_cast<decltype(&::function)>(::clustersim::gpubench::library().find(#function)); \
    return late_function;                                                                           \
  }())
