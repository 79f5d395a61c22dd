#include "tools/gpubench/memory.h"

#include <string>

namespace clustersim::gpubench {

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  // Asked first: where the driver may put it into the host's memory (WSL), it would, and all of it would crawl.
  constexpr std::size_t small = std::size_t{64} << 20;
  std::size_t free = 0, total = 0;
  if (bytes > small) check(cudaMemGetInfo(&free, &total), "ask for the GPU's free memory");
  if (bytes > small && bytes > free) {
    throw Unavailable("not in the GPU's memory: " + std::to_string(bytes >> 20) + " MiB more are needed, " +
                      std::to_string(free >> 20) + " of " + std::to_string(total >> 20) + " MiB are free");
  }
  check(cudaMalloc(&data_, bytes), "allocate " + std::to_string(bytes) + " bytes on the GPU");
}

Buffer::~Buffer() { cudaFree(data_); }

SharedBuffer allocate(std::size_t bytes) { return std::make_shared<Buffer>(bytes); }

PinnedBuffer::PinnedBuffer(std::size_t bytes) {
  if (const cudaError_t status = cudaMallocHost(&data_, bytes); status != cudaSuccess) {
    throw Unavailable("cannot lock " + std::to_string(bytes >> 10) + " KiB of host memory: " +
                      cudaGetErrorString(status) + "; ulimit -l and the memory of the container limit it");
  }
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
