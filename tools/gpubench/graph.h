// A CUDA graph captured from a stream.
#pragma once

#include <functional>

#include "tools/gpubench/check.h"

namespace clustersim::gpubench {

class Graph {
 public:
  // What `enqueue` puts on the stream becomes the graph; it must not wait or allocate.
  Graph(cudaStream_t stream, const std::function<void()>& enqueue);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace clustersim::gpubench
