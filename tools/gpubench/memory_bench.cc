// Streams through DRAM and L2:  t = t_k + bytes / (e_mem BW).
#include <algorithm>

#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/references.h"
#include "tools/gpubench/sizes.h"

namespace clustersim::gpubench {
namespace {

constexpr float scale = 3;

struct Kind {
  const char* name;
  int inputs, outputs;
};

constexpr Kind kinds[] = {
    {"stream_copy", 1, 1}, {"stream_read", 1, 0}, {"stream_triad", 2, 1}, {"stream_three_in_one_out", 3, 1}};

template <class T>
void enqueue(const Kind& kind, const T* a, const T* b, const T* c, T* out, float* sum, std::size_t count,
             cudaStream_t stream) {
  if (kind.inputs == 3) {
    stream_three(a, b, c, out, count, stream);
  } else if (kind.inputs == 2) {
    stream_triad(a, b, out, scale, count, stream);
  } else if (kind.outputs == 1) {
    stream_copy(a, out, count, stream);
  } else {
    stream_read(a, sum, count, stream);
  }
}

template <class T>
std::vector<float> as_floats(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// On a small array that is no multiple of a block's share.
template <class T>
std::string verify(const Kind& kind, cudaStream_t stream) {
  constexpr std::size_t count = 8 * 5003;
  std::vector<std::vector<T>> inputs;
  std::vector<SharedBuffer> buffers;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::vector<float> numbers = test_numbers(count, i + 1);
    inputs.emplace_back(numbers.begin(), numbers.end());
    buffers.push_back(upload(inputs.back()));
  }
  const SharedBuffer out = allocate(count * sizeof(T)), sum = upload(std::vector<float>{0});
  enqueue<T>(kind, buffers[0]->as<T>(), buffers[1]->as<T>(), buffers[2]->as<T>(), out->as<T>(), sum->as<float>(), count,
             stream);
  check(cudaStreamSynchronize(stream), "run " + std::string(kind.name));
  std::vector<float> expected;
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float a = inputs[0][i], b = inputs[1][i], c = inputs[2][i];
    total += a;
    expected.push_back(kind.inputs == 3 ? a + b + c : kind.inputs == 2 ? a + scale * b : a);
  }
  // A sum of n numbers below 1 in fp32 is off by n 2^-24 at most; halves by 2^-10 of each.
  if (kind.outputs == 0) {
    return differing(download<float>(*sum, 1), {static_cast<float>(total)}, 1e-3);
  }
  return differing(as_floats(download<T>(*out, count)), expected, sizeof(T) == 2 ? 3e-3 : 1e-6);
}

template <class T>
void measure(Session& session, const Kind& kind, std::int64_t array_bytes) {
  const int arrays = kind.inputs + kind.outputs;
  const double bytes = static_cast<double>(array_bytes) * arrays;
  const Parameters parameters = {{"bytes", static_cast<std::int64_t>(bytes)},
                                 {"working_set_bytes", static_cast<std::int64_t>(bytes)},
                                 {"element_bytes", static_cast<std::int64_t>(sizeof(T))}};
  session.measure(kind.name, parameters, [&] {
    std::vector<SharedBuffer> buffers;
    const std::size_t count = static_cast<std::size_t>(array_bytes) / sizeof(T);
    for (int i = 0; i < arrays; ++i) {
      buffers.push_back(allocate(static_cast<std::size_t>(array_bytes)));
      fill_normal(buffers.back()->as(), count, sizeof(T) == 2 ? Element::fp16 : Element::fp32, 1, 7 + i,
                  session.stream());
    }
    const SharedBuffer sum = upload(std::vector<float>{0});
    Work work;
    work.enqueue = [=, &kind, stream = session.stream()] {
      const auto at = [&](std::size_t i) { return buffers[std::min(i, buffers.size() - 1)]->template as<T>(); };
      enqueue<T>(kind, at(0), at(1), at(2), buffers.back()->template as<T>(), sum->as<float>(), count, stream);
    };
    work.verify = [&, stream = session.stream()] { return verify<T>(kind, stream); };
    work.amounts = {{"bytes_per_s", bytes}};
    return work;
  });
}

}  // namespace

void run_memory(Session& session) {
  const std::int64_t largest =
      std::min<std::int64_t>(std::int64_t{1} << 31, static_cast<std::int64_t>(session.free_bytes() / 8));
  for (const Kind& kind : kinds) {
    for (std::int64_t bytes : stream_sizes(largest, session.quick())) measure<float>(session, kind, bytes);
    for (std::int64_t bytes : stream_sizes(largest, true)) measure<__half>(session, kind, bytes);
  }
}

}  // namespace clustersim::gpubench
