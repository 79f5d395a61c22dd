// A product beside what communication takes: SMs, memory bandwidth, the copy engine. And the step of a ring.
#include <algorithm>
#include <memory>

#include "tools/gpubench/gemm.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/gpubench/references.h"

namespace clustersim::gpubench {
namespace {

constexpr int side = 4096;

Parameters product_parameters(const char* name, std::int64_t value) {
  return {{name, value},
          {"m", std::int64_t{side}},
          {"n", std::int64_t{side}},
          {"k", std::int64_t{side}},
          {"precision", std::string("fp16")}};
}

// Keeps SMs busy until told to stop; the kernel gives up by itself after ten seconds.
class Holder {
 public:
  Holder(int sms, int shared_bytes) : release_(sizeof(int)) {
    *release_.as<volatile int>() = 0;
    if (sms > 0) hold_sms(sms, release_.as<int>(), 10'000, shared_bytes, stream_.get());
    check(cudaGetLastError(), "hold SMs");
  }
  ~Holder() {
    *release_.as<volatile int>() = 1;
    cudaStreamSynchronize(stream_.get());
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  PinnedBuffer release_;
  Stream stream_{Order::apart};
};

Record beside_held(Session& session, const Gemm& gemm, int sms, const Parameters& parameters) {
  const Holder holder(sms, static_cast<int>(session.properties().sharedMemPerBlockOptin));
  Record record =
      measurement::measured("gemm_beside_held_sms", parameters, session.time([&] { gemm.enqueue(session.stream()); }));
  record.derived = {{"flop_per_s", gemm.flop() / record.median},
                    {"sm_count", static_cast<double>(session.properties().multiProcessorCount)}};
  return record;
}

struct Traffic {
  const char* kind;  // none, device, host_to_device
  std::size_t bytes;
};

// Copies are enqueued ahead, so that they last as long as the products.
Record beside_copy(Session& session, const Gemm& gemm, const Traffic& traffic, const Parameters& parameters) {
  const bool host = std::string(traffic.kind) == "host_to_device", any = traffic.bytes > 0;
  const Stream copies(Order::apart);
  const SharedBuffer to = allocate(std::max<std::size_t>(traffic.bytes, 256)),
                     from = allocate(host ? 256 : std::max<std::size_t>(traffic.bytes, 256));
  const PinnedBuffer pinned(host ? traffic.bytes : 256);
  const Event start, stop, copy_start, copy_stop;
  const int products = session.quick() ? 20 : 50;
  const auto copy = [&] {
    check(cudaMemcpyAsync(to->as(), host ? pinned.as() : from->as(), traffic.bytes,
                          host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice, copies.get()),
          "copy beside a product");
  };
  gemm.enqueue(session.stream());
  double copy_s = 1;
  if (any) {
    copy();  // the first is slower
    copies.wait();
    copy_start.record(copies.get());
    copy();
    copy_stop.record(copies.get());
    copy_stop.wait();
    copy_s = std::max(copy_stop.since_s(copy_start), 1e-6);
  }
  check(cudaStreamSynchronize(session.stream()), "run a product");
  start.record(session.stream());
  gemm.enqueue(session.stream());
  stop.record(session.stream());
  stop.wait();
  // Twice as many as would fit beside undisturbed products; what is left over runs after them.
  const int count = any ? static_cast<int>(std::clamp(2 * products * stop.since_s(start) / copy_s, 1.0, 2000.0)) : 0;
  std::vector<double> samples;
  double rate = 0;
  for (int sample = 0; sample < (session.quick() ? 3 : 5); ++sample) {
    copy_start.record(copies.get());
    for (int i = 0; i < count; ++i) copy();
    copy_stop.record(copies.get());
    start.record(session.stream());
    for (int i = 0; i < products; ++i) gemm.enqueue(session.stream());
    stop.record(session.stream());
    stop.wait();
    copies.wait();
    samples.push_back(stop.since_s(start) / products);
    if (any) rate = static_cast<double>(traffic.bytes) * count / copy_stop.since_s(copy_start);
  }
  Record record = measurement::measured("gemm_beside_copy", parameters, samples);
  record.derived = {{"flop_per_s", gemm.flop() / record.median}, {"copy_bytes_per_s", rate}};
  return record;
}

std::string verify_ring(int blocks, cudaStream_t stream) {
  constexpr std::size_t count = 4 * 12345;
  const std::vector<float> a = test_numbers(count, 1), b = test_numbers(count, 2);
  const SharedBuffer a_data = upload(a), b_data = upload(b), out = allocate(count * 4);
  ring_step(a_data->as<float>(), b_data->as<float>(), out->as<float>(), count, blocks, stream);
  check(cudaStreamSynchronize(stream), "run the step of a ring");
  std::vector<float> expected;
  for (std::size_t i = 0; i < count; ++i) expected.push_back(a[i] + b[i]);
  return differing(download<float>(*out, count), expected, 1e-6);
}

void measure_ring(Session& session, int blocks) {
  constexpr std::size_t bytes = 64 << 20;
  session.measure("ring_step", {{"blocks", std::int64_t{blocks}}, {"bytes", static_cast<std::int64_t>(bytes)}}, [&] {
    const SharedBuffer a = allocate(bytes), b = allocate(bytes), out = allocate(bytes);
    fill_normal(a->as(), bytes / 4, Element::fp32, 1, 1, session.stream());
    fill_normal(b->as(), bytes / 4, Element::fp32, 1, 2, session.stream());
    Work work;
    work.enqueue = [=, stream = session.stream()] {
      ring_step(a->as<float>(), b->as<float>(), out->as<float>(), bytes / 4, blocks, stream);
    };
    work.verify = [=, stream = session.stream()] { return verify_ring(blocks, stream); };
    work.amounts = {{"bytes_per_s", static_cast<double>(bytes)},
                    {"moved_bytes_per_s", 3.0 * static_cast<double>(bytes)}};
    return work;
  });
}

}  // namespace

void run_overlap(Session& session) {
  const int sm_count = session.properties().multiProcessorCount;
  GemmRequest request = {side, side, side};
  const Gemm gemm(request, session.stream());
  for (int sms : {0, 1, 2, 4, 8, 16, 24, 32}) {
    if (sms >= sm_count / 2 || (session.quick() && sms != 0 && sms != 16)) continue;
    const Parameters parameters = product_parameters("held_sms", sms);
    session.attempt("gemm_beside_held_sms", parameters, [&] { return beside_held(session, gemm, sms, parameters); });
  }
  for (const Traffic& traffic : {Traffic{"none", 0}, {"device", 64 << 20}, {"host_to_device", 64 << 20}}) {
    Parameters parameters = product_parameters("copy_bytes", static_cast<std::int64_t>(traffic.bytes));
    parameters.emplace_back("copy", std::string(traffic.kind));
    session.attempt("gemm_beside_copy", parameters, [&] { return beside_copy(session, gemm, traffic, parameters); });
  }
  for (int blocks : {1, 2, 4, 8, 16, 24, 32}) {
    if (!session.quick() || blocks == 1 || blocks == 16) measure_ring(session, blocks);
  }
}

}  // namespace clustersim::gpubench
