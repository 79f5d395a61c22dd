// Memory, streams and events that free themselves. Constructors throw Fault.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "tools/gpubench/check.h"

namespace clustersim::gpubench {

// On the GPU; not initialised.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t bytes() const { return bytes_; }
  template <class T = void>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

using SharedBuffer = std::shared_ptr<Buffer>;

SharedBuffer allocate(std::size_t bytes);

// Page-locked, on the host.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  template <class T = void>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

// Whether work on a stream waits for the default stream's, where plain copies and clearing run, and the other way
// round.
enum class Order { with_default, apart };

class Stream {
 public:
  explicit Stream(Order order);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const;
  void wait() const;
  // Seconds from `start` to this event; both must have happened.
  double since_s(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

template <class T>
SharedBuffer upload(const std::vector<T>& values) {
  SharedBuffer buffer = allocate(values.size() * sizeof(T));
  check(cudaMemcpy(buffer->as(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to the GPU");
  return buffer;
}

template <class T>
std::vector<T> download(const Buffer& buffer, std::size_t count) {
  std::vector<T> values(count);
  check(cudaMemcpy(values.data(), buffer.as(), count * sizeof(T), cudaMemcpyDeviceToHost), "copy from the GPU");
  return values;
}

}  // namespace clustersim::gpubench
