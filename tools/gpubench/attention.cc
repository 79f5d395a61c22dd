// Attention as frameworks without a fused kernel run it (two batched products and a softmax), and cuDNN's fused one.
#include <cmath>
#include <memory>

#include "tools/gpubench/cudnn_graph.h"
#include "tools/gpubench/gemm.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/libraries.h"
#include "tools/gpubench/references.h"

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

std::string verify_softmax(int columns, cudaStream_t stream) {
  constexpr int rows = 37;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const std::vector<float> numbers = test_numbers(count, 1);
  const std::vector<__half> halves(numbers.begin(), numbers.end());
  const SharedBuffer in = upload(halves), out = allocate(count * 2);
  softmax_rows(in->as<__half>(), out->as<__half>(), rows, columns, stream);
  check(cudaStreamSynchronize(stream), "run a softmax");
  const std::vector<__half> got = download<__half>(*out, count);
  return differing({got.begin(), got.end()}, softmax_reference({halves.begin(), halves.end()}, rows, columns), 2e-3);
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
    work.verify = [stream = session.stream(), columns = shape.sequence] { return verify_softmax(columns, stream); };
    work.amounts = {{"bytes_per_s", 4.0 * static_cast<double>(count)}};
    return work;
  });
}

#if CUDNN_VERSION >= 91301

enum Id : std::int64_t { q_id = 1, k_id, v_id, o_id, statistics_id, scale_id };

// The forward pass, with the statistics that a backward pass needs. That one has no single operation in cuDNN up
// to 9.19.
class FusedAttention {
 public:
  FusedAttention(const Shape& shape, const Cudnn& library, cudaStream_t stream)
      : scale_(1 / std::sqrt(static_cast<float>(shape.head_size))) {
    constexpr std::size_t oldest = 91301;
    if (FROM(cudnn, cudnnGetVersion)() < oldest) throw Unavailable("the cuDNN installed is older than 9.13.1");
    const auto elements = static_cast<std::size_t>(shape.count());
    for (int i = 0; i < 4; ++i) {
      halves_.push_back(allocate(elements * 2));
      fill_normal(halves_.back()->as(), elements, Element::fp16, 1, 1 + static_cast<std::uint32_t>(i), stream);
    }
    statistics_ = allocate(static_cast<std::size_t>(shape.matrices()) * shape.sequence * 4);
    plan_ = plan(shape, library);
  }

  void enqueue() const { plan_->enqueue(); }

 private:
  static SharedDescriptor half(Id id, const Shape& s) {
    const std::int64_t row = s.head_size, head = row * s.sequence;
    return tensor(id, CUDNN_DATA_HALF, {s.batch, s.heads, s.sequence, s.head_size}, {head * s.heads, head, row, 1});
  }
  static SharedDescriptor statistics_of(const Shape& s) {
    return tensor(statistics_id, CUDNN_DATA_FLOAT, {s.batch, s.heads, s.sequence, 1},
                  {std::int64_t{s.heads} * s.sequence, s.sequence, 1, 1});
  }
  static SharedDescriptor scale_of() {
    return tensor(scale_id, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, Place::host);
  }

  std::unique_ptr<CudnnPlan> plan(const Shape& s, const Cudnn& library) {
    Descriptor operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    const SharedDescriptor q = half(q_id, s), k = half(k_id, s), v = half(v_id, s), o = half(o_id, s),
                           statistics = statistics_of(s), scale = scale_of();
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, *q).set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, *k);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, *v).set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, *o);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, *statistics);
    operation.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, *scale).finalize("describe fused attention");
    auto made = std::make_unique<CudnnPlan>(library, operation, true);
    made->bind({q_id, k_id, v_id, o_id, statistics_id, scale_id},
               {halves_[0]->as(), halves_[1]->as(), halves_[2]->as(), halves_[3]->as(), statistics_->as(), &scale_});
    return made;
  }

  std::vector<SharedBuffer> halves_;
  SharedBuffer statistics_;
  float scale_;
  std::unique_ptr<CudnnPlan> plan_;
};

void measure_fused(Session& session, const Cudnn& library, const Shape& shape) {
  Parameters parameters = parameters_of(shape);
  parameters.emplace_back("direction", std::string("forward"));
  session.measure("attention_fused", parameters, [&] {
    const auto attention = std::make_shared<FusedAttention>(shape, library, session.stream());
    Work work;
    work.enqueue = [attention] { attention->enqueue(); };
    work.amounts = {{"flop_per_s", shape.forward_flop()}};
    return work;
  });
}

#else

void measure_fused(Session& session, const Cudnn&, const Shape& shape) {
  Parameters parameters = parameters_of(shape);
  parameters.emplace_back("direction", std::string("forward"));
  session.skip("attention_fused", parameters, "built with a cuDNN older than 9.13.1");
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
      measure_fused(session, library, shape);
    }
  }
}

}  // namespace clustersim::gpubench
