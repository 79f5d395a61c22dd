#include "models/workload/operator_kind.h"

#include <algorithm>
#include <cctype>

namespace clustersim {
namespace {

std::string lower(const std::string& text) {
  std::string out = text;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct KindRule {
  const char* part;
  OperatorKind kind;
};
// Narrow words before wide ones: "cudnn...batch_norm" is a normalisation, "..._gemm_..._conv" a product's kernel.
constexpr KindRule kind_rules[] = {
    {"nccl", OperatorKind::collective},
    {"rccl", OperatorKind::collective},
    {"gloo:", OperatorKind::collective},
    {"memcpy htod", OperatorKind::host_copy},
    {"memcpy dtoh", OperatorKind::host_copy},
    {"copyhosttodevice", OperatorKind::host_copy},
    {"copydevicetohost", OperatorKind::host_copy},
    {"memcpy", OperatorKind::copy},
    {"memset", OperatorKind::copy},
    {"adam", OperatorKind::optimizer},
    {"multi_tensor", OperatorKind::optimizer},
    {"multi_tensor_apply", OperatorKind::optimizer},
    {"multitensor", OperatorKind::optimizer},
    {"sgdkernel", OperatorKind::optimizer},
    {"sgd_", OperatorKind::optimizer},
    {"lambstage", OperatorKind::optimizer},  // not "lamb": PyTorch's kernels are named after their lambdas
    {"flash", OperatorKind::attention},
    {"fmha", OperatorKind::attention},
    {"attention", OperatorKind::attention},
    {"batch_norm", OperatorKind::normalization},
    {"batchnorm", OperatorKind::normalization},
    {"bn_fw", OperatorKind::normalization},
    {"bn_bw", OperatorKind::normalization},
    {"layer_norm", OperatorKind::normalization},
    {"layernorm", OperatorKind::normalization},
    {"rmsnorm", OperatorKind::normalization},
    {"rms_norm", OperatorKind::normalization},
    {"groupnorm", OperatorKind::normalization},
    {"softmax", OperatorKind::normalization},
    {"pool", OperatorKind::elementwise},
    {"winograd", OperatorKind::convolution},
    {"implicit", OperatorKind::convolution},
    {"fprop", OperatorKind::convolution},
    {"dgrad", OperatorKind::convolution},
    {"wgrad", OperatorKind::convolution},
    {"scudnn", OperatorKind::convolution},
    {"convert", OperatorKind::elementwise},
    {"conv", OperatorKind::convolution},
    {"splitkreduce", OperatorKind::elementwise},
    {"gemm", OperatorKind::matmul},
    {"gemv", OperatorKind::matmul},
    {"cutlass", OperatorKind::matmul},
    {"xmma", OperatorKind::matmul},
    {"nvjet", OperatorKind::matmul},
    {"cijk_", OperatorKind::matmul},       // rocBLAS and hipBLASLt
    {"triton_tem", OperatorKind::matmul},  // templates of Inductor: products; its other kernels are fused elementwise
    {"matmul", OperatorKind::matmul},
    {"elementwise", OperatorKind::elementwise},
    {"vectorized", OperatorKind::elementwise},
    {"reduce", OperatorKind::elementwise},
    {"dropout", OperatorKind::elementwise},
    {"relu", OperatorKind::elementwise},
    {"gelu", OperatorKind::elementwise},
    {"copy", OperatorKind::elementwise},
    {"fill", OperatorKind::elementwise},
    {"cat", OperatorKind::elementwise},
    {"index", OperatorKind::elementwise},
    {"scatter", OperatorKind::elementwise},
    {"gather", OperatorKind::elementwise},
    {"embedding", OperatorKind::elementwise},
    {"transpose", OperatorKind::elementwise},
    {"nhwctonchw", OperatorKind::elementwise},
    {"nchwtonhwc", OperatorKind::elementwise},
    {"loss", OperatorKind::elementwise},
    {"triton", OperatorKind::elementwise},
};

struct KindWord {
  OperatorKind kind;
  const char* word;
};
constexpr KindWord kind_words[] = {
    {OperatorKind::matmul, "matmul"},
    {OperatorKind::convolution, "convolution"},
    {OperatorKind::attention, "attention"},
    {OperatorKind::normalization, "normalization"},
    {OperatorKind::elementwise, "elementwise"},
    {OperatorKind::optimizer, "optimizer"},
    {OperatorKind::copy, "copy"},
    {OperatorKind::host_copy, "host_copy"},
    {OperatorKind::cpu, "cpu"},
    {OperatorKind::unknown, "unknown"},
    {OperatorKind::collective, "collective"},
};

struct CollectiveWord {
  const char* word;  // as it stands in names without "_", "-" and capitals
  CollectiveOp op;
};
// reducescatter and allreduce before reduce.
constexpr CollectiveWord collective_words[] = {
    {"allreduce", CollectiveOp::all_reduce}, {"reducescatter", CollectiveOp::reduce_scatter},
    {"allgather", CollectiveOp::all_gather}, {"alltoall", CollectiveOp::all_to_all},
    {"broadcast", CollectiveOp::broadcast},  {"bcast", CollectiveOp::broadcast},
    {"reduce", CollectiveOp::reduce},        {"sendrecv", CollectiveOp::send_recv},
    {"gather", CollectiveOp::all_gather},    {"send", CollectiveOp::send_recv},
    {"recv", CollectiveOp::send_recv},
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

OperatorKind operator_kind(const std::string& name) {
  const std::string text = lower(name);
  for (const KindRule& rule : kind_rules)
    if (has(text, rule.part)) return rule.kind;
  return OperatorKind::unknown;
}

const char* to_string(OperatorKind kind) {
  for (const KindWord& w : kind_words)
    if (w.kind == kind) return w.word;
  return "unknown";
}

std::optional<OperatorKind> operator_kind_of_word(const std::string& word) {
  for (const KindWord& w : kind_words)
    if (word == w.word) return w.kind;
  return std::nullopt;
}

std::optional<MathFormat> math_format_of_name(const std::string& name) {
  const std::string text = lower(name);
  for (const char* part : {"e4m3", "e5m2", "fp8", "qgmma"})
    if (has(text, part)) return MathFormat::fp8;
  for (const char* part : {"tf32", "s1688", "tensor1688f32"})
    if (has(text, part)) return MathFormat::tf32;
  for (const char* part : {"f16", "fp16", "half", "s16816", "h1688", "h884", "s884", "hgemm", "hmma", "hss"})
    if (has(text, part)) return MathFormat::half;
  for (const char* part : {"sgemm", "ffma", "simt", "scudnn", "f32f32"})
    if (has(text, part)) return MathFormat::simt;
  return std::nullopt;
}

const char* to_string(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return "all_reduce";
    case CollectiveOp::all_gather:
      return "all_gather";
    case CollectiveOp::reduce_scatter:
      return "reduce_scatter";
    case CollectiveOp::reduce:
      return "reduce";
    case CollectiveOp::all_to_all:
      return "all_to_all";
    case CollectiveOp::broadcast:
      return "broadcast";
    case CollectiveOp::send_recv:
      return "send_recv";
  }
  return "all_reduce";
}

std::optional<CollectiveOp> collective_op_of_name(const std::string& name) {
  std::string text = lower(name);
  std::erase_if(text, [](char c) { return c == '_' || c == '-'; });
  for (const CollectiveWord& w : collective_words)
    if (has(text, w.word)) return w.op;
  return std::nullopt;
}

}  // namespace clustersim
