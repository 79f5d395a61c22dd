// Batch normalisation by cuDNN, and kernels of our own over rows:  passes = t BW / (bytes of the tensor).
#include <memory>

#include "tools/gpubench/cudnn_graph.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/libraries.h"
#include "tools/gpubench/references.h"

namespace clustersim::gpubench {
namespace {

class TensorDescriptor {
 public:
  TensorDescriptor() { check(FROM(cudnn, cudnnCreateTensorDescriptor)(&descriptor_), "describe a tensor"); }
  ~TensorDescriptor() { FROM(cudnn, cudnnDestroyTensorDescriptor)(descriptor_); }
  TensorDescriptor(const TensorDescriptor&) = delete;
  TensorDescriptor& operator=(const TensorDescriptor&) = delete;
  cudnnTensorDescriptor_t get() const { return descriptor_; }

 private:
  cudnnTensorDescriptor_t descriptor_ = nullptr;
};

struct NormRequest {
  int batch, channels, size;
  bool backward;
  std::string fused;  // none, relu, add_relu
};

// NHWC halves, statistics in fp32, as mixed-precision training has them.
class BatchNorm {
 public:
  BatchNorm(const NormRequest& request, const Cudnn& library, cudaStream_t stream)
      : request_(request), library_(library.get()) {
    check(FROM(cudnn, cudnnSetTensor4dDescriptor)(tensor_.get(), CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, request.batch,
                                                  request.channels, request.size, request.size),
          "describe a tensor");
    check(FROM(cudnn, cudnnDeriveBNTensorDescriptor)(statistics_.get(), tensor_.get(), mode), "describe statistics");
    check(FROM(cudnn, cudnnCreateActivationDescriptor)(&activation_), "describe a rectifier");
    check(FROM(cudnn, cudnnSetActivationDescriptor)(activation_, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0),
          "describe a rectifier");
    ops_ = request.fused == "none"   ? CUDNN_BATCHNORM_OPS_BN
           : request.fused == "relu" ? CUDNN_BATCHNORM_OPS_BN_ACTIVATION
                                     : CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
    count_ = static_cast<std::size_t>(request.batch) * request.channels * request.size * request.size;
    for (std::uint32_t i = 0; i < 6; ++i) {
      tensors_.push_back(allocate(count_ * 2));
      fill_normal(tensors_.back()->as(), count_, Element::fp16, 1, i + 1, stream);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      vectors_.push_back(allocate(static_cast<std::size_t>(request.channels) * 4));
      fill_normal(vectors_.back()->as(), static_cast<std::size_t>(request.channels), Element::fp32, 1, i + 1, stream);
    }
    allocate_workspaces();
    forward();  // leaves statistics and the reserve for the backward pass
  }
  ~BatchNorm() { FROM(cudnn, cudnnDestroyActivationDescriptor)(activation_); }
  BatchNorm(const BatchNorm&) = delete;
  BatchNorm& operator=(const BatchNorm&) = delete;

  double tensor_bytes() const { return 2.0 * static_cast<double>(count_); }

  void enqueue() const { request_.backward ? backward() : forward(); }

 private:
  static constexpr cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
  static constexpr double epsilon = 1e-5;

  bool active() const { return ops_ != CUDNN_BATCHNORM_OPS_BN; }
  bool adds() const { return ops_ == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION; }

  void allocate_workspaces() {
    const cudnnTensorDescriptor_t t = tensor_.get(), extra = adds() ? t : nullptr;
    const cudnnActivationDescriptor_t rectifier = active() ? activation_ : nullptr;
    std::size_t forward_bytes = 0, backward_bytes = 0, reserve_bytes = 0;
    check(FROM(cudnn, cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize)(
              library_, mode, ops_, t, extra, t, statistics_.get(), rectifier, &forward_bytes),
          "ask for the workspace of a normalisation");
    check(FROM(cudnn, cudnnGetBatchNormalizationBackwardExWorkspaceSize)(library_, mode, ops_, t,
                                                                         active() ? t : nullptr, t, extra, t,
                                                                         statistics_.get(), rectifier, &backward_bytes),
          "ask for the workspace of a normalisation");
    check(FROM(cudnn, cudnnGetBatchNormalizationTrainingExReserveSpaceSize)(library_, mode, ops_, rectifier, t,
                                                                            &reserve_bytes),
          "ask for the reserve of a normalisation");
    workspace_ = allocate(std::max({forward_bytes, backward_bytes, std::size_t{256}}));
    reserve_ = allocate(std::max(reserve_bytes, std::size_t{256}));
    reserve_bytes_ = reserve_bytes;
  }

  void forward() const {
    const float one = 1, zero = 0;
    const cudnnTensorDescriptor_t t = tensor_.get();
    check(
        FROM(cudnn, cudnnBatchNormalizationForwardTrainingEx)(
            library_, mode, ops_, &one, &zero, t, tensors_[0]->as(), adds() ? t : nullptr,
            adds() ? tensors_[1]->as() : nullptr, t, tensors_[2]->as(), statistics_.get(), vectors_[0]->as(),
            vectors_[1]->as(), 0.1, vectors_[2]->as(), vectors_[3]->as(), epsilon, vectors_[4]->as(), vectors_[5]->as(),
            active() ? activation_ : nullptr, workspace_->as(), workspace_->bytes(), reserve_->as(), reserve_bytes_),
        "run a normalisation");
  }

  void backward() const {
    const float one = 1, zero = 0;
    const cudnnTensorDescriptor_t t = tensor_.get();
    check(FROM(cudnn, cudnnBatchNormalizationBackwardEx)(
              library_, mode, ops_, &one, &zero, &one, &zero, t, tensors_[0]->as(), active() ? t : nullptr,
              active() ? tensors_[2]->as() : nullptr, t, tensors_[3]->as(), adds() ? t : nullptr,
              adds() ? tensors_[4]->as() : nullptr, t, tensors_[5]->as(), statistics_.get(), vectors_[0]->as(),
              vectors_[1]->as(), vectors_[6]->as(), vectors_[7]->as(), epsilon, vectors_[4]->as(), vectors_[5]->as(),
              active() ? activation_ : nullptr, workspace_->as(), workspace_->bytes(), reserve_->as(), reserve_bytes_),
          "run the gradient of a normalisation");
  }

  NormRequest request_;
  cudnnHandle_t library_;
  TensorDescriptor tensor_, statistics_;
  cudnnActivationDescriptor_t activation_ = nullptr;
  cudnnBatchNormOps_t ops_ = CUDNN_BATCHNORM_OPS_BN;
  std::size_t count_ = 0, reserve_bytes_ = 0;
  std::vector<SharedBuffer> tensors_, vectors_;
  SharedBuffer workspace_, reserve_;
};

void measure_batch_norm(Session& session, const Cudnn& library, const NormRequest& request) {
  const Parameters parameters = {{"direction", std::string(request.backward ? "backward" : "forward")},
                                 {"fused", request.fused},
                                 {"batch", std::int64_t{request.batch}},
                                 {"channels", std::int64_t{request.channels}},
                                 {"height", std::int64_t{request.size}},
                                 {"width", std::int64_t{request.size}},
                                 {"precision", std::string("fp16")},
                                 {"layout", std::string("nhwc")}};
  session.measure("batch_norm", parameters, [&] {
    const auto norm = std::make_shared<BatchNorm>(request, library, session.stream());
    Work work;
    work.enqueue = [norm] { norm->enqueue(); };
    work.facts = {{"tensor_bytes", norm->tensor_bytes()}};
    work.amounts = {{"tensor_bytes_per_s", norm->tensor_bytes()}};
    return work;
  });
}

// ---- Kernels of our own

struct RowKernel {
  const char* name;
  int reads;
  void (*run)(const __half* a, const __half* b, __half* out, int rows, int columns, cudaStream_t stream);
  std::vector<float> (*reference)(const std::vector<float>& a, const std::vector<float>& b, int rows, int columns);
};

constexpr std::uint32_t dropout_seed = 11;
constexpr float dropout_keep = 0.9f;

template <class F>
std::vector<float> each(const std::vector<float>& a, F f) {
  std::vector<float> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(f(i));
  return out;
}

const RowKernel row_kernels[] = {
    {"softmax", 1,
     [](const __half* a, const __half*, __half* out, int rows, int columns, cudaStream_t stream) {
       softmax_rows(a, out, rows, columns, stream);
     },
     [](const std::vector<float>& a, const std::vector<float>&, int rows, int columns) {
       return softmax_reference(a, rows, columns);
     }},
    {"layer_norm", 1,
     [](const __half* a, const __half*, __half* out, int rows, int columns, cudaStream_t stream) {
       layer_norm_rows(a, out, rows, columns, stream);
     },
     [](const std::vector<float>& a, const std::vector<float>&, int rows, int columns) {
       return layer_norm_reference(a, rows, columns);
     }},
    {"gelu", 1,
     [](const __half* a, const __half*, __half* out, int rows, int columns, cudaStream_t stream) {
       gelu(a, out, static_cast<std::size_t>(rows) * columns, stream);
     },
     [](const std::vector<float>& a, const std::vector<float>&, int, int) {
       return each(a, [&](std::size_t i) { return gelu_reference(a[i]); });
     }},
    {"dropout", 1,
     [](const __half* a, const __half*, __half* out, int rows, int columns, cudaStream_t stream) {
       dropout(a, out, static_cast<std::size_t>(rows) * columns, dropout_keep, dropout_seed, stream);
     },
     [](const std::vector<float>& a, const std::vector<float>&, int, int) {
       return each(a, [&](std::size_t i) {
         const bool kept = keeps_reference(static_cast<std::uint32_t>(i), dropout_seed, dropout_keep);
         return kept ? a[i] / dropout_keep : 0.0f;
       });
     }},
    {"residual_add", 2,
     [](const __half* a, const __half* b, __half* out, int rows, int columns, cudaStream_t stream) {
       residual_add(a, b, out, static_cast<std::size_t>(rows) * columns, stream);
     },
     [](const std::vector<float>& a, const std::vector<float>& b, int, int) {
       return each(a, [&](std::size_t i) { return a[i] + b[i]; });
     }},
};

std::string verify(const RowKernel& kernel, int columns, cudaStream_t stream) {
  constexpr int rows = 37;
  const std::size_t count = static_cast<std::size_t>(rows) * columns;
  std::vector<float> a, b;
  const std::vector<float> a_numbers = test_numbers(count, 1), b_numbers = test_numbers(count, 2);
  const std::vector<__half> a_half(a_numbers.begin(), a_numbers.end()), b_half(b_numbers.begin(), b_numbers.end());
  a.assign(a_half.begin(), a_half.end());
  b.assign(b_half.begin(), b_half.end());
  const SharedBuffer a_data = upload(a_half), b_data = upload(b_half), out = allocate(count * 2);
  kernel.run(a_data->as<__half>(), b_data->as<__half>(), out->as<__half>(), rows, columns, stream);
  check(cudaStreamSynchronize(stream), "run " + std::string(kernel.name));
  const std::vector<__half> got = download<__half>(*out, count);
  // Results are rounded to 11 bits.
  return differing({got.begin(), got.end()}, kernel.reference(a, b, rows, columns), 2e-3);
}

void measure_rows(Session& session, const RowKernel& kernel, int rows, int columns) {
  const Parameters parameters = {
      {"rows", std::int64_t{rows}}, {"columns", std::int64_t{columns}}, {"element_bytes", std::int64_t{2}}};
  session.measure(kernel.name, parameters, [&] {
    const std::size_t count = static_cast<std::size_t>(rows) * columns;
    const SharedBuffer a = allocate(count * 2), b = allocate(count * 2), out = allocate(count * 2);
    fill_normal(a->as(), count, Element::fp16, 1, 1, session.stream());
    fill_normal(b->as(), count, Element::fp16, 1, 2, session.stream());
    Work work;
    work.enqueue = [=, &kernel, stream = session.stream()] {
      kernel.run(a->as<__half>(), b->as<__half>(), out->as<__half>(), rows, columns, stream);
    };
    work.verify = [&kernel, columns, stream = session.stream()] { return verify(kernel, columns, stream); };
    work.facts = {{"tensor_bytes", 2.0 * static_cast<double>(count)}};
    work.amounts = {{"bytes_per_s", 2.0 * static_cast<double>(count) * (kernel.reads + 1)}};
    return work;
  });
}

}  // namespace

void run_normalisation(Session& session) {
  for (const RowKernel& kernel : row_kernels) {
    for (int columns : {512, 1024, 4096}) {
      if (session.quick() && columns != 1024) continue;
      measure_rows(session, kernel, 65536, columns);
    }
  }
  const Cudnn library(session.stream());
  for (const auto& [channels, size] : {std::pair{64, 112}, {256, 56}, {512, 28}, {1024, 14}, {2048, 7}}) {
    for (const char* fused : {"none", "relu", "add_relu"}) {
      for (bool backward : {false, true}) {
        if (session.quick() && channels != 256) continue;
        measure_batch_norm(session, library, {256, channels, size, backward, fused});
      }
    }
  }
}

}  // namespace clustersim::gpubench
