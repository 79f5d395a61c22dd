// A chain of kernels like the forward pass of a network, launched one by one and as a graph, beside the sum of the
// times that its kernels take alone: a model that adds up kernels must find these equal before it adds a network.
#include <functional>
#include <memory>

#include "tools/gpubench/convolution.h"
#include "tools/gpubench/gemm.h"
#include "tools/gpubench/graph.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/measurement/statistics.h"

namespace clustersim::gpubench {
namespace {

struct Part {
  int times;
  std::function<void()> enqueue;
};

struct Chain {
  std::vector<Part> parts;  // in the order of a layer; each is enqueued `times`

  int kernels() const {
    int count = 0;
    for (const Part& part : parts) count += part.times;
    return count;
  }
  void enqueue() const {
    for (const Part& part : parts) {
      for (int i = 0; i < part.times; ++i) part.enqueue();
    }
  }
};

Chain bert_like(Session& session, int batch) {
  constexpr int layers = 24, width = 1024, heads = 16, sequence = 128;
  const int tokens = batch * sequence;
  const cudaStream_t stream = session.stream();
  Chain chain;
  const auto product = [&](int m, int n, int k, int products, const char* epilogue) {
    GemmRequest request = {m, n, k};
    request.batch = products;
    request.epilogue = epilogue;
    const auto gemm = std::make_shared<Gemm>(request, stream);
    chain.parts.push_back({layers, [gemm, stream] { gemm->enqueue(stream); }});
  };
  const auto rows = [&](int count, int columns, auto run) {
    const auto elements = static_cast<std::size_t>(count) * static_cast<std::size_t>(columns);
    const SharedBuffer in = allocate(elements * 2), out = allocate(elements * 2);
    fill_normal(in->as(), elements, Element::fp16, 1, 1, stream);
    chain.parts.push_back(
        {layers, [=] { run(in->template as<__half>(), out->template as<__half>(), count, columns, stream); }});
  };
  const auto add = [](const __half* in, __half* out, int count, int columns, cudaStream_t s) {
    residual_add(in, in, out, static_cast<std::size_t>(count) * static_cast<std::size_t>(columns), s);
  };
  product(3 * width, tokens, width, 1, "bias");
  product(sequence, sequence, width / heads, batch * heads, "none");
  rows(batch * heads * sequence, sequence, softmax_rows);
  product(width / heads, sequence, sequence, batch * heads, "none");
  product(width, tokens, width, 1, "bias");
  rows(tokens, width, add);
  rows(tokens, width, layer_norm_rows);
  product(4 * width, tokens, width, 1, "bias_gelu");
  product(width, tokens, 4 * width, 1, "bias");
  rows(tokens, width, add);
  rows(tokens, width, layer_norm_rows);
  return chain;
}

// Convolutions of ResNet-50, each followed by a pass over its output.
Chain resnet_like(Session& session, const Cudnn& library, int batch) {
  const cudaStream_t stream = session.stream();
  Chain chain;
  for (const ConvShape& shape : resnet_convolutions()) {
    const ConvRequest request = {shape, batch};
    const auto convolution = std::make_shared<Convolution>(request, library, stream);
    chain.parts.push_back({shape.times, [convolution] { convolution->enqueue(); }});
    const int side = output_size(shape);
    const auto count = static_cast<std::size_t>(batch) * side * side * shape.channels_out;
    const SharedBuffer in = allocate(count * 2), out = allocate(count * 2);
    fill_normal(in->as(), count, Element::fp16, 1, 1, stream);
    chain.parts.push_back(
        {shape.times, [=] { residual_add(in->as<__half>(), in->as<__half>(), out->as<__half>(), count, stream); }});
  }
  return chain;
}

double sum_of_kernels_s(Session& session, const Chain& chain) {
  double sum_s = 0;
  for (const Part& part : chain.parts) sum_s += part.times * measurement::quantile(session.time(part.enqueue), 0.5);
  return sum_s;
}

void measure(Session& session, const char* network, int batch, const std::function<Chain()>& build) {
  const auto parameters_of = [&](const char* mode) {
    return Parameters{{"network", std::string(network)}, {"batch", std::int64_t{batch}}, {"mode", std::string(mode)}};
  };
  std::shared_ptr<Chain> chain;
  double sum_s = 0;
  const auto record = [&](const char* mode, const std::function<void()>& enqueue) {
    std::vector<double> samples;
    const Event start, stop;
    // 40 samples after three to warm up, fewer where they would take longer than two seconds.
    const double begin_s = now_s();
    constexpr double most_s = 2;
    for (int sample = 0; sample < (session.quick() ? 10 : 43); ++sample) {
      if (sample >= 6 && now_s() > begin_s + most_s) break;
      check_interrupt();
      start.record(session.stream());
      enqueue();
      stop.record(session.stream());
      stop.wait();
      if (sample >= 3) samples.push_back(stop.since_s(start));
    }
    Record made = measurement::measured("step_chain", parameters_of(mode), samples);
    made.derived = {{"sum_of_kernels_s", sum_s},
                    {"p90_s", measurement::quantile(samples, 0.9)},
                    {"kernels", static_cast<double>(chain->kernels())}};
    return made;
  };
  session.attempt("step_chain", parameters_of("eager"), [&] {
    chain = std::make_shared<Chain>(build());
    sum_s = sum_of_kernels_s(session, *chain);
    return record("eager", [&] { chain->enqueue(); });
  });
  session.attempt("step_chain", parameters_of("graph"), [&] {
    if (!chain) throw Unavailable("the chain could not be built: see mode eager");
    const Graph graph(session.stream(), [&] { chain->enqueue(); });
    return record("graph", [&] { graph.launch(session.stream()); });
  });
}

}  // namespace

void run_step(Session& session) {
  const Cudnn library(session.stream());
  for (int batch : {16, 51, 256}) {
    if (session.quick() && batch != 16) continue;
    measure(session, "bert_like", batch, [&] { return bert_like(session, batch); });
    measure(session, "resnet_like", batch, [&] { return resnet_like(session, library, batch); });
  }
}

}  // namespace clustersim::gpubench
