// One update of all parameters, tensor by tensor and in one launch:  t against bytes of the rule and count of tensors.
#include <algorithm>
#include <memory>

#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/references.h"
#include "tools/gpubench/sizes.h"

namespace clustersim::gpubench {
namespace {

constexpr std::int64_t chunk_elements = 65536;

struct Rule {
  const char* name;
  double bytes;  // read and written for a parameter: fp32 state and the fp16 copy
};

constexpr Rule rules[] = {{"sgd", 22}, {"adam", 30}, {"lamb", 42}};

// Parameters of a set of tensors, one after the other, each at a multiple of 8 elements.
class State {
 public:
  explicit State(const std::vector<std::int64_t>& tensors) {
    std::vector<Chunk> chunks;
    for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
      first_.push_back(count_);
      first_chunk_.push_back(static_cast<int>(chunks.size()));
      for (std::int64_t at = 0; at < tensors[tensor]; at += chunk_elements) {
        chunks.push_back(
            {count_ + at, static_cast<int>(std::min(chunk_elements, tensors[tensor] - at)), static_cast<int>(tensor)});
      }
      count_ += (tensors[tensor] + 7) / 8 * 8;
    }
    first_chunk_.push_back(static_cast<int>(chunks.size()));
    tensors_ = tensors;
    chunks_ = upload(chunks);
    norms_ = allocate(tensors.size() * 2 * sizeof(float));
    for (SharedBuffer* buffer : {&weight_, &gradient_, &first_moment_, &second_moment_, &update_}) {
      *buffer = allocate(static_cast<std::size_t>(count_) * 4);
    }
    half_ = allocate(static_cast<std::size_t>(count_) * 2);
  }

  std::size_t count() const { return static_cast<std::size_t>(count_); }

  void fill(cudaStream_t stream) const {
    std::uint32_t seed = 1;
    for (const SharedBuffer& buffer : {weight_, gradient_, first_moment_}) {
      fill_normal(buffer->as(), count(), Element::fp32, 0.01f, seed++, stream);
    }
    check(cudaMemsetAsync(second_moment_->as(), 0, second_moment_->bytes(), stream), "clear moments");
  }

  void set(const OptimizerState& host) const {
    const std::pair<const SharedBuffer*, const std::vector<float>*> pairs[] = {{&weight_, &host.weight},
                                                                               {&gradient_, &host.gradient},
                                                                               {&first_moment_, &host.first_moment},
                                                                               {&second_moment_, &host.second_moment}};
    for (const auto& [buffer, values] : pairs) {
      check(cudaMemcpy((*buffer)->as(), values->data(), values->size() * 4, cudaMemcpyHostToDevice), "copy to the GPU");
    }
  }

  std::vector<float> weights() const { return download<float>(*weight_, count()); }

  void update(const std::string& rule, bool per_tensor, cudaStream_t stream) const {
    const Parameters32 p = {weight_->as<float>(),        gradient_->as<float>(), first_moment_->as<float>(),
                            second_moment_->as<float>(), update_->as<float>(),   half_->as<__half>()};
    if (rule == "lamb") return update_lamb(p, per_tensor, stream);
    const auto one = rule == "sgd" ? sgd_update : adam_update;
    if (!per_tensor) return one(p, 0, count(), step_, stream);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      one(p, static_cast<std::size_t>(first_[i]), static_cast<std::size_t>(tensors_[i]), step_, stream);
    }
  }

 private:
  void update_lamb(const Parameters32& p, bool per_tensor, cudaStream_t stream) const {
    const auto* chunks = chunks_->as<Chunk>();
    const int tensors = static_cast<int>(tensors_.size());
    if (!per_tensor) return lamb_update(p, chunks, first_chunk_.back(), norms_->as<float>(), tensors, step_, stream);
    // The norms of all are cleared with each tensor: the others' are not needed any more, or not yet.
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      lamb_update(p, chunks + first_chunk_[i], first_chunk_[i + 1] - first_chunk_[i], norms_->as<float>(), tensors,
                  step_, stream);
    }
  }

  Step step_;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> tensors_, first_;
  std::vector<int> first_chunk_;
  SharedBuffer chunks_, norms_, weight_, gradient_, first_moment_, second_moment_, update_, half_;
};

std::string verify(const Rule& rule, bool per_tensor, cudaStream_t stream) {
  const std::vector<std::int64_t> tensors = {70000, 8, 513 * 8};
  const State state(tensors);
  OptimizerState host;
  host.weight = test_numbers(state.count(), 1);
  host.gradient = test_numbers(state.count(), 2);
  host.first_moment = test_numbers(state.count(), 3);
  host.second_moment = std::vector<float>(state.count(), 0.25f);
  state.set(host);
  state.update(rule.name, per_tensor, stream);
  check(cudaStreamSynchronize(stream), "run an optimizer");
  const Step step;
  std::size_t first = 0;
  for (std::int64_t elements : tensors) {
    const auto count = static_cast<std::size_t>(elements);
    if (std::string(rule.name) == "sgd") {
      sgd_reference(host, first, count, step.rate, step.momentum, step.decay);
    } else {
      adam_reference(host, first, count, {step.rate, step.beta1, step.beta2, step.epsilon, step.decay},
                     std::string(rule.name) == "lamb");
    }
    first += count;
  }
  return differing(state.weights(), host.weight, 1e-5);
}

void measure(Session& session, const TensorSet& set, const Rule& rule, bool per_tensor) {
  const Parameters parameters = {{"rule", std::string(rule.name)},
                                 {"method", std::string(per_tensor ? "per_tensor" : "multi_tensor")},
                                 {"model", set.name},
                                 {"tensors", static_cast<std::int64_t>(set.elements.size())},
                                 {"elements", total(set)}};
  session.measure("optimizer", parameters, [&] {
    const auto state = std::make_shared<State>(set.elements);
    state->fill(session.stream());
    Work work;
    work.enqueue = [=, &rule, stream = session.stream()] { state->update(rule.name, per_tensor, stream); };
    work.verify = [&, stream = session.stream()] { return verify(rule, per_tensor, stream); };
    work.facts = {{"bytes_per_element", rule.bytes}};
    work.amounts = {{"bytes_per_s", rule.bytes * static_cast<double>(total(set))}};
    return work;
  });
}

}  // namespace

void run_optimizer(Session& session) {
  for (const TensorSet& set : {resnet50_tensors(), bert_large_tensors()}) {
    if (session.quick() && set.elements.size() > 200) continue;
    for (const Rule& rule : rules) {
      for (bool per_tensor : {true, false}) measure(session, set, rule, per_tensor);
    }
  }
}

}  // namespace clustersim::gpubench
