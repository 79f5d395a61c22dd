#include "tools/gpubench/gemm.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>

#include "tools/gpubench/kernels.h"
#include "tools/gpubench/libraries.h"

namespace clustersim::gpubench {
namespace {

constexpr std::size_t workspace_bytes = 64u << 20;

struct Types {
  cudaDataType_t in, out;
  cublasComputeType_t compute;
  Element element;
};

Types types_of(const std::string& precision) {
  if (precision == "fp16") return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, Element::fp16};
  if (precision == "bf16") return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, Element::bf16};
  if (precision == "tf32") return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, Element::fp32};
  if (precision == "fp32") return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, Element::fp32};
  if (precision == "fp8") return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, Element::fp8};
  throw Fault("no precision is called " + precision);
}

std::size_t out_bytes(cudaDataType_t type) { return type == CUDA_R_32F ? 4 : 2; }

// A column-major matrix, `batch` of them in a row.
class Layout {
 public:
  Layout(cudaDataType_t type, int rows, int columns, int batch) {
    check(FROM(cublas_lt, cublasLtMatrixLayoutCreate)(&layout_, type, rows, columns, rows), "describe a matrix");
    if (batch == 1) return;
    const std::int64_t stride = static_cast<std::int64_t>(rows) * columns;
    check(FROM(cublas_lt, cublasLtMatrixLayoutSetAttribute)(layout_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                                            sizeof batch),
          "describe a batch");
    check(FROM(cublas_lt, cublasLtMatrixLayoutSetAttribute)(layout_, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                            &stride, sizeof stride),
          "describe a batch");
  }
  ~Layout() { FROM(cublas_lt, cublasLtMatrixLayoutDestroy)(layout_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

template <class T>
std::vector<float> converted(const char* data, std::size_t count) {
  std::vector<T> values(count);
  check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from the GPU");
  std::vector<float> floats;
  for (const T& value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

std::vector<float> floats_at(const Buffer& buffer, cudaDataType_t type, std::size_t byte, std::size_t count) {
  const char* data = buffer.as<char>() + byte;
  switch (type) {
    case CUDA_R_16F:
      return converted<__half>(data, count);
    case CUDA_R_16BF:
      return converted<__nv_bfloat16>(data, count);
    case CUDA_R_8F_E4M3:
      return converted<__nv_fp8_e4m3>(data, count);
    default:
      return converted<float>(data, count);
  }
}

// The library's state is one a process and is kept until its end.
cublasLtHandle_t library() {
  static const cublasLtHandle_t handle = [] {
    cublasLtHandle_t created = nullptr;
    check(FROM(cublas_lt, cublasLtCreate)(&created), "start cuBLASLt");
    return created;
  }();
  return handle;
}

}  // namespace

struct Gemm::Plan {
  Types types;
  Layout a, b, d;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatmulHeuristicResult_t chosen = {};
  SharedBuffer a_data, b_data, d_data, bias, scale, workspace;

  Plan(const GemmRequest& r, const Types& t)
      : types(t), a(t.in, r.k, r.m, r.batch), b(t.in, r.k, r.n, r.batch), d(t.out, r.m, r.n, r.batch) {}
  ~Plan() {
    if (operation != nullptr) FROM(cublas_lt, cublasLtMatmulDescDestroy)(operation);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(FROM(cublas_lt, cublasLtMatmulDescSetAttribute)(operation, attribute, &value, sizeof value),
          "describe a product");
  }

  void describe(const GemmRequest& r) {
    check(FROM(cublas_lt, cublasLtMatmulDescCreate)(&operation, types.compute, CUDA_R_32F), "describe a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (types.in == CUDA_R_8F_E4M3) {
      scale = upload(std::vector<float>{1.0f});
      const void* pointer = scale->as();
      set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, pointer);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, pointer);
    }
    if (r.epilogue == "none") return;
    bias = allocate(static_cast<std::size_t>(r.m) * out_bytes(types.out));
    check(cudaMemset(bias->as(), 0, bias->bytes()), "clear a bias");
    const cublasLtEpilogue_t epilogue = r.epilogue == "bias" ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_GELU_BIAS;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    const void* pointer = bias->as();
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointer);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, types.out);
  }

  void choose(const GemmRequest& r) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(FROM(cublas_lt, cublasLtMatmulPreferenceCreate)(&preference), "choose a plan");
    const std::size_t limit = workspace_bytes;
    const std::uint32_t schemes = r.split_k ? CUBLASLT_REDUCTION_SCHEME_MASK : CUBLASLT_REDUCTION_SCHEME_NONE;
    cublasStatus_t status = FROM(cublas_lt, cublasLtMatmulPreferenceSetAttribute)(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit, sizeof limit);
    if (status == CUBLAS_STATUS_SUCCESS) {
      status = FROM(cublas_lt, cublasLtMatmulPreferenceSetAttribute)(
          preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    }
    int found = 0;
    if (status == CUBLAS_STATUS_SUCCESS) {
      status = FROM(cublas_lt, cublasLtMatmulAlgoGetHeuristic)(library(), operation, a.get(), b.get(), d.get(), d.get(),
                                                               preference, 1, &chosen, &found);
    }
    FROM(cublas_lt, cublasLtMatmulPreferenceDestroy)(preference);
    check(status, "choose a plan for a " + r.precision + " product");
    if (found == 0) throw Unavailable("cuBLASLt has no " + r.precision + " product of this shape on this GPU");
  }
};

Gemm::Gemm(const GemmRequest& request, cudaStream_t stream)
    : request_(request), plan_(std::make_unique<Plan>(request, types_of(request.precision))) {
  Plan& plan = *plan_;
  plan.describe(request);
  const auto matrix = [&](int rows, int columns, std::size_t element_bytes) {
    return allocate(static_cast<std::size_t>(rows) * columns * request.batch * element_bytes);
  };
  plan.a_data = matrix(request.k, request.m, bytes_of(plan.types.element));
  plan.b_data = matrix(request.k, request.n, bytes_of(plan.types.element));
  plan.d_data = matrix(request.m, request.n, out_bytes(plan.types.out));
  plan.workspace = allocate(workspace_bytes);
  std::uint32_t seed = 1;
  for (const SharedBuffer& operand : {plan.a_data, plan.b_data}) {
    if (request.zero_operands) {
      check(cudaMemsetAsync(operand->as(), 0, operand->bytes(), stream), "clear a matrix");
    } else {
      const std::size_t count = operand->bytes() / bytes_of(plan.types.element);
      fill_normal(operand->as(), count, plan.types.element, 0.5f, seed++, stream);
    }
  }
  plan.choose(request);
}

Gemm::~Gemm() = default;

double Gemm::flop() const { return 2.0 * request_.m * request_.n * request_.k * request_.batch; }

void Gemm::enqueue(cudaStream_t stream) const {
  const Plan& plan = *plan_;
  const float one = 1, zero = 0;
  check(FROM(cublas_lt, cublasLtMatmul)(library(), plan.operation, &one, plan.a_data->as(), plan.a.get(),
                                        plan.b_data->as(), plan.b.get(), &zero, plan.d_data->as(), plan.d.get(),
                                        plan.d_data->as(), plan.d.get(), &plan.chosen.algo, plan.workspace->as(),
                                        workspace_bytes, stream),
        "run a " + request_.precision + " product");
}

std::string Gemm::verify() const {
  const Plan& plan = *plan_;
  check(cudaDeviceSynchronize(), "run a product");
  const std::size_t in_bytes = bytes_of(plan.types.element), element_bytes = out_bytes(plan.types.out);
  for (int place = 0; place < 8; ++place) {
    // Corners and places between; of the first and the last product of the batch.
    const auto row = static_cast<std::size_t>(static_cast<long long>(request_.m - 1) * (place % 4) / 3);
    const auto column = static_cast<std::size_t>(static_cast<long long>(request_.n - 1) * (place / 2) / 3);
    const auto product = static_cast<std::size_t>(place % 2 == 0 ? 0 : request_.batch - 1);
    const auto k = static_cast<std::size_t>(request_.k), m = static_cast<std::size_t>(request_.m),
               n = static_cast<std::size_t>(request_.n);
    const auto a = floats_at(*plan.a_data, plan.types.in, (product * m + row) * k * in_bytes, k);
    const auto b = floats_at(*plan.b_data, plan.types.in, (product * n + column) * k * in_bytes, k);
    const float got =
        floats_at(*plan.d_data, plan.types.out, (product * m * n + column * m + row) * element_bytes, 1)[0];
    double expected = 0, size = 0;
    for (std::size_t i = 0; i < k; ++i) {
      expected += static_cast<double>(a[i]) * b[i];
      size += static_cast<double>(a[i]) * a[i] * b[i] * b[i];
    }
    // The result is rounded to 8 bits at least (bf16), the operands to 11 (tf32).
    if (std::fabs(got - expected) > 0.01 * (std::fabs(expected) + std::sqrt(size))) {
      return "row " + std::to_string(row) + ", column " + std::to_string(column) + " is " + std::to_string(got) +
             " where the CPU has " + std::to_string(expected);
    }
  }
  return "";
}

std::string precision_missing(const std::string& precision, int major, int minor) {
  const int capability = 10 * major + minor;
  if (precision == "fp8" && capability < 89) return "fp8 needs compute capability 8.9";
  if ((precision == "bf16" || precision == "tf32") && capability < 80)
    return precision + " needs compute capability 8.0";
  return "";
}

}  // namespace clustersim::gpubench
