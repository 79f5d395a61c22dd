// A convolution and its two gradients, by cuDNN.
#pragma once

#include <memory>
#include <string>

#include "tools/gpubench/cudnn_graph.h"
#include "tools/gpubench/sizes.h"

namespace clustersim::gpubench {

struct ConvRequest {
  ConvShape shape;
  int batch;
  std::string direction = "forward";  // forward, data_gradient, weight_gradient
  std::string precision = "fp16";     // fp16, tf32, fp32
  std::string layout = "nhwc";        // nhwc, nchw
};

class Convolution {
 public:
  // Operands are normally distributed. Throws Fault where cuDNN has no engine.
  Convolution(const ConvRequest& request, const Cudnn& library, cudaStream_t stream);
  void enqueue() const { plan_->enqueue(); }
  EngineNotes notes() const { return plan_->notes(); }

 private:
  SharedBuffer input_, weight_, output_;
  std::unique_ptr<CudnnPlan> plan_;
};

}  // namespace clustersim::gpubench
