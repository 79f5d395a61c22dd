// What mixed precision adds to a step: casts, unscaling with the test for infinities, and the wait for its result.
#include <cmath>
#include <limits>
#include <memory>

#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/references.h"
#include "tools/gpubench/sizes.h"

namespace clustersim::gpubench {
namespace {

constexpr float unscaling = 1.0f / 1024;

struct Amp {
  std::size_t count;
  SharedBuffer weight, half, gradient, found;

  explicit Amp(std::size_t elements)
      : count(elements),
        weight(allocate(elements * 4)),
        half(allocate(elements * 2)),
        gradient(allocate(elements * 4)),
        found(allocate(sizeof(int))) {
    check(cudaMemset(found->as(), 0, sizeof(int)), "clear a flag");
  }
  void fill(cudaStream_t stream) const {
    fill_normal(weight->as(), count, Element::fp32, 1, 1, stream);
    fill_normal(gradient->as(), count, Element::fp32, 1, 2, stream);
  }
  void cast(cudaStream_t stream) const { cast_to_half(weight->as<float>(), half->as<__half>(), count, stream); }
  // The scale is one, so that repetitions do not run into zero.
  void test(float scale, cudaStream_t stream) const {
    unscale(gradient->as<float>(), count, scale, found->as<int>(), stream);
  }
};

std::string verify_cast(cudaStream_t stream) {
  const Amp amp(4 * 4321);
  const std::vector<float> numbers = test_numbers(amp.count, 1);
  check(cudaMemcpy(amp.weight->as(), numbers.data(), amp.count * 4, cudaMemcpyHostToDevice), "copy to the GPU");
  amp.cast(stream);
  check(cudaStreamSynchronize(stream), "cast");
  const std::vector<__half> got = download<__half>(*amp.half, amp.count);
  return differing({got.begin(), got.end()}, numbers, 1e-3);
}

std::string verify_unscale(cudaStream_t stream) {
  const Amp amp(4 * 4321);
  std::vector<float> numbers = test_numbers(amp.count, 1);
  for (bool infinite : {false, true}) {
    if (infinite) numbers[777] = std::numeric_limits<float>::infinity();
    check(cudaMemcpy(amp.gradient->as(), numbers.data(), amp.count * 4, cudaMemcpyHostToDevice), "copy to the GPU");
    amp.test(unscaling, stream);
    check(cudaStreamSynchronize(stream), "unscale");
    if ((download<int>(*amp.found, 1)[0] != 0) != infinite) return "the test for infinities";
  }
  std::vector<float> got = download<float>(*amp.gradient, amp.count), expected = numbers;
  for (float& number : expected) number *= unscaling;
  got[777] = expected[777] = 0;
  return differing(got, expected, 1e-6);
}

Record composed_step(Session& session, std::size_t elements, const Parameters& parameters) {
  const Amp amp(elements);
  amp.fill(session.stream());
  const PinnedBuffer flag(sizeof(int));
  std::vector<double> samples;
  for (int sample = 0; sample <= (session.quick() ? 5 : 15); ++sample) {
    check(cudaStreamSynchronize(session.stream()), "wait for the GPU");
    const double begin_s = now_s();
    amp.cast(session.stream());
    amp.test(1, session.stream());
    check(cudaMemcpyAsync(flag.as(), amp.found->as(), sizeof(int), cudaMemcpyDeviceToHost, session.stream()),
          "copy a flag");
    check(cudaStreamSynchronize(session.stream()), "wait for a flag");
    if (sample > 0) samples.push_back(now_s() - begin_s);
  }
  return measurement::measured("amp_step", parameters, samples);
}

}  // namespace

void run_amp(Session& session) {
  for (const TensorSet& set : {resnet50_tensors(), bert_large_tensors()}) {
    const auto elements = static_cast<std::size_t>(total(set) / 4 * 4);
    const Parameters parameters = {{"elements", static_cast<std::int64_t>(elements)}};
    const auto with_state = [&](auto enqueue, double bytes, std::string (*verify)(cudaStream_t)) {
      const auto amp = std::make_shared<Amp>(elements);
      amp->fill(session.stream());
      Work work;
      work.enqueue = [=, stream = session.stream()] { enqueue(*amp, stream); };
      work.verify = [=, stream = session.stream()] { return verify(stream); };
      work.amounts = {{"bytes_per_s", bytes * static_cast<double>(elements)}};
      return work;
    };
    session.measure("amp_cast", parameters, [&] {
      return with_state([](const Amp& amp, cudaStream_t stream) { amp.cast(stream); }, 6, verify_cast);
    });
    session.measure("amp_unscale", parameters, [&] {
      return with_state([](const Amp& amp, cudaStream_t stream) { amp.test(1, stream); }, 8, verify_unscale);
    });
    session.attempt("amp_step", parameters, [&] { return composed_step(session, elements, parameters); });
  }
}

}  // namespace clustersim::gpubench
