#include "tools/gpubench/convolution.h"

#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

enum Id : std::int64_t { input_id = 1, weight_id = 2, output_id = 3 };

struct Dimensions {
  std::int64_t n, c, h, w;
  std::int64_t count() const { return n * c * h * w; }
};

SharedDescriptor image(Id id, cudnnDataType_t type, const Dimensions& d, const std::string& layout) {
  const std::vector<std::int64_t> strides = layout == "nhwc"
                                                ? std::vector{d.c * d.h * d.w, std::int64_t{1}, d.w * d.c, d.c}
                                                : std::vector{d.c * d.h * d.w, d.h * d.w, d.w, std::int64_t{1}};
  return tensor(id, type, {d.n, d.c, d.h, d.w}, strides);
}

// How each direction names its operation and the operation's attributes.
struct Names {
  const char* direction;
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t input, weight, output, convolution, alpha, beta;
};

constexpr Names directions[] = {
    {"forward", CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {"data_gradient", CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {"weight_gradient", CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};

const Names& names_of(const std::string& direction) {
  for (const Names& names : directions) {
    if (direction == names.direction) return names;
  }
  throw Fault("no direction is called " + direction);
}

SharedBuffer filled(const Dimensions& dimensions, Element element, float scale, std::uint32_t seed,
                    cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(dimensions.count());
  const SharedBuffer buffer = allocate(count * bytes_of(element));
  fill_normal(buffer->as(), count, element, scale, seed, stream);
  return buffer;
}

Parameters parameters_of(const ConvRequest& request) {
  return {{"direction", request.direction},
          {"batch", std::int64_t{request.batch}},
          {"in_channels", std::int64_t{request.shape.channels_in}},
          {"out_channels", std::int64_t{request.shape.channels_out}},
          {"height", std::int64_t{request.shape.size}},
          {"width", std::int64_t{request.shape.size}},
          {"kernel", std::int64_t{request.shape.kernel}},
          {"stride", std::int64_t{request.shape.stride}},
          {"precision", request.precision},
          {"layout", request.layout}};
}

void measure(Session& session, const Cudnn& library, const ConvRequest& request) {
  const Parameters parameters = parameters_of(request);
  if (request.precision == "tf32" && session.properties().major < 8) {
    session.skip("convolution", parameters, "tf32 needs compute capability 8.0");
    return;
  }
  session.measure("convolution", parameters, [&] {
    const auto convolution = std::make_shared<Convolution>(request, library, session.stream());
    Work work;
    work.enqueue = [convolution] { convolution->enqueue(); };
    work.amounts = {{"flop_per_s", convolution_flop(request.shape, request.batch)}};
    work.facts = {{"tensor_core", convolution->notes().tensor_core ? 1 : 0},
                  {"winograd", convolution->notes().winograd ? 1 : 0}};
    return work;
  });
}

}  // namespace

Convolution::Convolution(const ConvRequest& request, const Cudnn& library, cudaStream_t stream) {
  const ConvShape& s = request.shape;
  const bool half = request.precision == "fp16";
  const Element element = half ? Element::fp16 : Element::fp32;
  const cudnnDataType_t type = half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
  const Dimensions input = {request.batch, s.channels_in, s.size, s.size};
  const Dimensions weight = {s.channels_out, s.channels_in, s.kernel, s.kernel};
  const Dimensions output = {request.batch, s.channels_out, output_size(s), output_size(s)};
  input_ = filled(input, element, 1, 1, stream);
  weight_ = filled(weight, element, 0.05f, 2, stream);
  output_ = filled(output, element, 1, 3, stream);

  Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  const std::int64_t padding = (s.kernel - 1) / 2;
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  convolution.set_counts(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
  convolution.set_counts(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {padding, padding});
  convolution.set_counts(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {padding, padding});
  convolution.set_counts(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  convolution.set_counts(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {s.stride, s.stride});
  convolution.finalize("describe a convolution");

  const SharedDescriptor x = image(input_id, type, input, request.layout),
                         w = image(weight_id, type, weight, request.layout),
                         y = image(output_id, type, output, request.layout);
  const Names& names = names_of(request.direction);
  Descriptor operation(names.operation);
  operation.set(names.input, *x).set(names.weight, *w).set(names.output, *y).set(names.convolution, convolution);
  operation.set_real(names.alpha, 1.0).set_real(names.beta, 0.0).finalize("describe a convolution");
  plan_ = std::make_unique<CudnnPlan>(library, operation, request.precision != "fp32");
  plan_->bind({input_id, weight_id, output_id}, {input_->as(), weight_->as(), output_->as()});
}

void run_convolution(Session& session) {
  const Cudnn library(session.stream());
  const auto all = [&](int batch, const std::string& precision, const std::string& layout, bool some) {
    std::size_t index = 0;
    for (const ConvShape& shape : resnet_convolutions()) {
      if (some && index++ % 6 != 2) continue;
      for (const Names& names : directions) {
        measure(session, library, {shape, batch, names.direction, precision, layout});
      }
    }
  };
  const bool quick = session.quick();
  all(256, "fp16", "nhwc", quick);
  all(256, "tf32", "nhwc", quick);
  all(256, "fp16", "nchw", quick);
  all(256, "fp32", "nchw", quick);
  if (quick) return;
  all(51, "fp16", "nhwc", false);
  all(16, "fp16", "nhwc", false);
}

}  // namespace clustersim::gpubench
