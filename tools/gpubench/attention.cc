// Attention as frameworks without a fused kernel run it (two batched products and a softmax), and cuDNN's fused one.
#include <cmath>
#include <memory>

#include "tools/gpubench/cudnn_graph.h"
#include "tools/gpubench/gemm.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

struct Shape {
  int batch, heads, sequence, head_size;
  int matrices() const { return batch * heads; }
  // Q K^T and P V: 2 s s d each.
  double forward_flop() const { return 4.0 * matrices() * sequence * static_cast<double>(sequence) * head_size; }
  std::int64_t count() const { return static_cast<std::int64_t>(matrices()) * sequence * head_size; }
};

Parameters parameters_of(const Shape& shape) {
  return {{"batch", std::int64_t{shape.batch}},
          {"heads", std::int64_t{shape.heads}},
          {"sequence", std::int64_t{shape.sequence}},
          {"head_size", std::int64_t{shape.head_size}},
          {"precision", std::string("fp16")}};
}

void measure_products(Session& session, const Shape& shape) {
  session.measure("attention_products", parameters_of(shape), [&] {
    GemmRequest scores = {shape.sequence, shape.sequence, shape.head_size};
    scores.batch = shape.matrices();
    GemmRequest values = {shape.head_size, shape.sequence, shape.sequence};
    values.batch = shape.matrices();
    const auto first = std::make_shared<Gemm>(scores, session.stream());
    const auto second = std::make_shared<Gemm>(values, session.stream());
    Work work;
    work.enqueue = [=, stream = session.stream()] {
      first->enqueue(stream);
      second->enqueue(stream);
    };
    work.verify = [=, stream = session.stream()] {
      first->enqueue(stream);
      second->enqueue(stream);
      const std::string fault = first->verify();
      return fault.empty() ? second->verify() : fault;
    };
    work.amounts = {{"flop_per_s", shape.forward_flop()}};
    return work;
  });
}

void measure_softmax(Session& session, const Shape& shape) {
  session.measure("attention_softmax", parameters_of(shape), [&] {
    const int rows = shape.matrices() * shape.sequence;
    const std::size_t count = static_cast<std::size_t>(rows) * shape.sequence;
    const SharedBuffer in = allocate(count * 2), out = allocate(count * 2);
    fill_normal(in->as(), count, Element::fp16, 1, 1, session.stream());
    Work work;
    work.enqueue = [=, stream = session.stream(), columns = shape.sequence] {
      softmax_rows(in->as<__half>(), out->as<__half>(), rows, columns, stream);
    };
    work.amounts = {{"bytes_per_s", 4.0 * static_cast<double>(count)}};
    return work;
  });
}

#if CUDNN_VERSION >= 91700

enum Id : std::int64_t { q_id = 1, k_id, v_id, o_id, statistics_id, scale_id, do_id, dq_id, dk_id, dv_id };

// Both directions, with the tensors between them.
class FusedAttention {
 public:
  FusedAttention(const Shape& shape, const Cudnn& library, cudaStream_t stream, bool backward) {
    const auto elements = static_cast<std::size_t>(shape.count());
    for (int i = 0; i < 8; ++i) {
      halves_.push_back(allocate(elements * 2));
      fill_normal(halves_.back()->as(), elements, Element::fp16, 1, 1 + static_cast<std::uint32_t>(i), stream);
    }
    statistics_ = allocate(static_cast<std::size_t>(shape.matrices()) * shape.sequence * 4);
    scale_ = upload(std::vector<float>{1 / std::sqrt(static_cast<float>(shape.head_size))});
    forward_ = plan_forward(shape, library);
    if (backward) {
      forward_->enqueue();  // leaves the statistics
      backward_ = plan_backward(shape, library);
    }
  }

  void enqueue() const { (backward_ ? backward_ : forward_)->enqueue(); }

 private:
  static SharedDescriptor half(Id id, const Shape& s) {
    const std::int64_t row = s.head_size, head = row * s.sequence;
    return tensor(id, CUDNN_DATA_HALF, {s.batch, s.heads, s.sequence, s.head_size}, {head * s.heads, head, row, 1});
  }
  static SharedDescriptor statistics_of(const Shape& s) {
    return tensor(statistics_id, CUDNN_DATA_FLOAT, {s.batch, s.heads, s.sequence, 1},
                  {std::int64_t{s.heads} * s.sequence, s.sequence, 1, 1});
  }
  static SharedDescriptor scale_of() { return tensor(scale_id, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}); }

  std::unique_ptr<CudnnPlan> plan_forward(const Shape& s, const Cudnn& library) const {
    Descriptor operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    const SharedDescriptor q = half(q_id, s), k = half(k_id, s), v = half(v_id, s), o = half(o_id, s),
                           statistics = statistics_of(s), scale = scale_of();
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, *q).set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, *k);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, *v).set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, *o);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, *statistics);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, *scale).finalize("describe fused attention");
    auto plan = std::make_unique<CudnnPlan>(library, operation, true);
    plan->bind({q_id, k_id, v_id, o_id, statistics_id, scale_id},
               {at(0), at(1), at(2), at(3), statistics_->as(), scale_->as()});
    return plan;
  }

  std::unique_ptr<CudnnPlan> plan_backward(const Shape& s, const Cudnn& library) const {
    Descriptor operation(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR);
    const SharedDescriptor q = half(q_id, s), k = half(k_id, s), v = half(v_id, s), o = half(o_id, s),
                           d_o = half(do_id, s), dq = half(dq_id, s), dk = half(dk_id, s), dv = half(dv_id, s),
                           statistics = statistics_of(s), scale = scale_of();
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, *q).set(CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, *k);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, *v).set(CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, *o);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, *d_o).set(CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, *dq);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, *dk).set(CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, *dv);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, *statistics);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, *scale).finalize("describe the gradient of fused attention");
    auto plan = std::make_unique<CudnnPlan>(library, operation, true);
    plan->bind({q_id, k_id, v_id, o_id, statistics_id, scale_id, do_id, dq_id, dk_id, dv_id},
               {at(0), at(1), at(2), at(3), statistics_->as(), scale_->as(), at(4), at(5), at(6), at(7)});
    return plan;
  }

  void* at(std::size_t i) const { return halves_[i]->as(); }

  std::vector<SharedBuffer> halves_;
  SharedBuffer statistics_, scale_;
  std::unique_ptr<CudnnPlan> forward_, backward_;
};

void measure_fused(Session& session, const Cudnn& library, const Shape& shape, bool backward) {
  Parameters parameters = parameters_of(shape);
  parameters.emplace_back("direction", std::string(backward ? "backward" : "forward"));
  session.measure("attention_fused", parameters, [&] {
    const auto attention = std::make_shared<FusedAttention>(shape, library, session.stream(), backward);
    Work work;
    work.enqueue = [attention] { attention->enqueue(); };
    work.amounts = {{"flop_per_s", shape.forward_flop() * (backward ? 2.5 : 1)}};
    return work;
  });
}

#else

void measure_fused(Session& session, const Cudnn&, const Shape& shape, bool backward) {
  Parameters parameters = parameters_of(shape);
  parameters.emplace_back("direction", std::string(backward ? "backward" : "forward"));
  session.skip("attention_fused", parameters, "built with a cuDNN older than 9.17");
}

#endif

}  // namespace

void run_attention(Session& session) {
  const Cudnn library(session.stream());
  for (int head_size : {64, 128}) {
    for (int sequence : {128, 512, 1024, 2048, 4096}) {
      if (session.quick() && (sequence != 512 || head_size != 64)) continue;
      // 8192 tokens of width 1024.
      const Shape shape = {8192 / sequence, 1024 / head_size, sequence, head_size};
      measure_products(session, shape);
      measure_softmax(session, shape);
      for (bool backward : {false, true}) measure_fused(session, library, shape, backward);
    }
  }
}

}  // namespace clustersim::gpubench
