#include "tools/gpubench/memory.h"

#include <string>

namespace clustersim::gpubench {

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  check(cudaMalloc(&data_, bytes), "allocate " + std::to_string(bytes) + " bytes on the GPU");
}

Buffer::~Buffer() { cudaFree(data_); }

SharedBuffer allocate(std::size_t bytes) { return std::make_shared<Buffer>(bytes); }

PinnedBuffer::PinnedBuffer(std::size_t bytes) {
  check(cudaMallocHost(&data_, bytes), "lock " + std::to_string(bytes) + " bytes of host memory (ulimit -l)");
}

PinnedBuffer::~PinnedBuffer() { cudaFreeHost(data_); }

Stream::Stream(Order order) {
  check(cudaStreamCreateWithFlags(&stream_, order == Order::apart ? cudaStreamNonBlocking : cudaStreamDefault),
        "create a stream");
}

Stream::~Stream() { cudaStreamDestroy(stream_); }

void Stream::wait() const { check(cudaStreamSynchronize(stream_), "wait for the GPU"); }

Event::Event() { check(cudaEventCreate(&event_), "create an event"); }

Event::~Event() { cudaEventDestroy(event_); }

void Event::record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "record an event"); }

void Event::wait() const { check(cudaEventSynchronize(event_), "wait for the GPU"); }

double Event::since_s(const Event& start) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "read the time between two events");
  return milliseconds * 1e-3;
}

}  // namespace clustersim::gpubench
