// Between host and GPU, over PCIe or what joins them:  t = alpha + bytes / beta.
#include <cstring>
#include <memory>

#include "tools/gpubench/groups.h"
#include "tools/measurement/statistics.h"

namespace clustersim::gpubench {
namespace {

// Host memory of either kind, touched.
class HostMemory {
 public:
  HostMemory(bool pinned, std::size_t bytes) {
    if (pinned) {
      pinned_ = std::make_unique<PinnedBuffer>(bytes);
    } else {
      pageable_.resize(bytes);
    }
    std::memset(data(), 1, bytes);
  }
  char* data() { return pinned_ ? pinned_->as<char>() : pageable_.data(); }

 private:
  std::unique_ptr<PinnedBuffer> pinned_;
  std::vector<char> pageable_;
};

void measure(Session& session, const std::string& direction, bool pinned, std::int64_t bytes) {
  const Parameters parameters = {
      {"direction", direction}, {"memory", std::string(pinned ? "pinned" : "pageable")}, {"bytes", bytes}};
  session.attempt("copy", parameters, [&] {
    const auto size = static_cast<std::size_t>(bytes);
    HostMemory up(pinned, size), down(pinned, size);
    const SharedBuffer to = allocate(size), from = allocate(size);
    const Stream other(Order::apart);
    const bool both = direction == "both";
    const auto enqueue = [&] {
      if (direction != "device_to_host") {
        check(cudaMemcpyAsync(to->as(), up.data(), size, cudaMemcpyHostToDevice, session.stream()), "copy to the GPU");
      }
      if (direction != "host_to_device") {
        check(cudaMemcpyAsync(down.data(), from->as(), size, cudaMemcpyDeviceToHost,
                              both ? other.get() : session.stream()),
              "copy from the GPU");
      }
    };
    // By the host's clock: pageable copies are driven by the host, and both directions lie on two streams.
    const int repetitions = bytes >= (64 << 20) ? 1 : bytes >= (1 << 20) ? 8 : 64;
    std::vector<double> samples;
    for (int sample = 0; sample <= (session.quick() ? 3 : 7); ++sample) {
      const double begin_s = now_s();
      for (int i = 0; i < repetitions; ++i) enqueue();
      check(cudaStreamSynchronize(session.stream()), "wait for a copy");
      other.wait();
      if (sample > 0) samples.push_back((now_s() - begin_s) / repetitions);
    }
    Record record = measurement::measured("copy", parameters, samples);
    record.derived = {{"bytes_per_s", static_cast<double>(bytes) * (both ? 2 : 1) / record.median}};
    return record;
  });
}

// What a message takes on its way through the host: GPU to host, host to host, host to GPU.
void measure_bounce(Session& session, std::int64_t bytes) {
  const Parameters parameters = {{"bytes", bytes}};
  session.attempt("copy_bounce", parameters, [&] {
    const auto size = static_cast<std::size_t>(bytes);
    const PinnedBuffer first(size), second(size);
    const SharedBuffer device = allocate(size);
    std::vector<double> samples;
    for (int sample = 0; sample <= (session.quick() ? 3 : 7); ++sample) {
      const double begin_s = now_s();
      check(cudaMemcpyAsync(first.as(), device->as(), size, cudaMemcpyDeviceToHost, session.stream()),
            "copy from the GPU");
      check(cudaStreamSynchronize(session.stream()), "wait for a copy");
      std::memcpy(second.as(), first.as(), size);
      check(cudaMemcpyAsync(device->as(), second.as(), size, cudaMemcpyHostToDevice, session.stream()),
            "copy to the GPU");
      check(cudaStreamSynchronize(session.stream()), "wait for a copy");
      if (sample > 0) samples.push_back(now_s() - begin_s);
    }
    Record record = measurement::measured("copy_bounce", parameters, samples);
    record.derived = {{"bytes_per_s", static_cast<double>(bytes) / record.median}};
    return record;
  });
}

}  // namespace

void run_copies(Session& session) {
  constexpr std::int64_t largest = std::int64_t{512} << 20;
  for (const char* direction : {"host_to_device", "device_to_host", "both"}) {
    for (bool pinned : {true, false}) {
      if (!pinned && std::string(direction) == "both") continue;  // the host drives them one after the other
      const std::int64_t top = session.quick() || !pinned ? largest / 8 : largest;
      for (std::int64_t bytes = 4096; bytes < top; bytes *= session.quick() ? 64 : 4) {
        measure(session, direction, pinned, bytes);
      }
      measure(session, direction, pinned, top);
    }
  }
  for (std::int64_t bytes : {std::int64_t{1} << 20, std::int64_t{16} << 20, std::int64_t{64} << 20}) {
    measure_bounce(session, bytes);
  }
}

}  // namespace clustersim::gpubench
