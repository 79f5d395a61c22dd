#include "tools/gpubench/graph.h"

namespace clustersim::gpubench {

Graph::Graph(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture a graph");
  try {
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capture a graph");
  const cudaError_t status = cudaGraphInstantiate(&instance_, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "instantiate a graph");
}

Graph::~Graph() { cudaGraphExecDestroy(instance_); }

void Graph::launch(cudaStream_t stream) const { check(cudaGraphLaunch(instance_, stream), "launch a graph"); }

}  // namespace clustersim::gpubench
