// One operation of cuDNN's graph interface, planned by its heuristics: what frameworks run.
//
// The plan is the first of the heuristic's list that the library can build; where CUDA cores are asked for, engines on
// tensor cores are passed over.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/gpubench/memory.h"

namespace clustersim::gpubench {

// The library, on the session's stream; started when it is first needed.
class Cudnn {
 public:
  explicit Cudnn(cudaStream_t stream) : stream_(stream) {}
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;
  cudnnHandle_t get() const;  // throws Fault where it cannot be started, Unavailable where it is not installed

 private:
  cudaStream_t stream_;
  mutable cudnnHandle_t handle_ = nullptr;
};

// A backend descriptor that frees itself; attributes are set by type.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                  const void* values);
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other);
  Descriptor& set_counts(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& counts);
  Descriptor& set_real(cudnnBackendAttributeName_t name, double number);
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnDataType_t type);
  Descriptor& finalize(const char* what);

  // False where the library refuses; nothing is thrown.
  bool try_finalize();
  cudnnBackendDescriptor_t get() const { return descriptor_; }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

using SharedDescriptor = std::shared_ptr<Descriptor>;

enum class Place { gpu, host };  // a number on the host is passed by value

// Strides in elements; a 4-d tensor is N, C, H, W whatever its layout in memory.
SharedDescriptor tensor(std::int64_t id, cudnnDataType_t type, const std::vector<std::int64_t>& dimensions,
                        const std::vector<std::int64_t>& strides, Place place = Place::gpu);

struct EngineNotes {
  bool tensor_core = false, winograd = false;
};

class CudnnPlan {
 public:
  // `tensor_cores`: whether engines on them are allowed. Throws Unavailable where no engine can be built.
  CudnnPlan(const Cudnn& library, const Descriptor& operation, bool tensor_cores);

  EngineNotes notes() const { return notes_; }
  std::size_t workspace_bytes() const { return workspace_ ? workspace_->bytes() : 0; }

  // Where the tensors lie, by their ids.
  void bind(const std::vector<std::int64_t>& ids, const std::vector<void*>& data);
  void enqueue() const;  // on the library's stream

 private:
  cudnnHandle_t handle_;
  SharedDescriptor configuration_, plan_, variant_;
  SharedBuffer workspace_;
  EngineNotes notes_;
};

}  // namespace clustersim::gpubench
