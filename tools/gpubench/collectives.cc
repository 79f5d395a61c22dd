// NCCL between all GPUs of this machine, one process:  busbw = bytes / t x 2 (n-1)/n for all_reduce, (n-1)/n else.
#include <memory>
#include <vector>

#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"

#if CLUSTERSIM_NCCL
#include <nccl.h>

#include "tools/gpubench/libraries.h"
#endif

namespace clustersim::gpubench {

#if CLUSTERSIM_NCCL

namespace {

void check_nccl(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  throw Fault(std::string("NCCL cannot ") + what + ": " + FROM(nccl, ncclGetErrorString)(status) +
              "; NCCL_DEBUG=INFO tells more");
}

// The device chosen for the session is chosen again at the end.
class DeviceScope {
 public:
  explicit DeviceScope(int home) : home_(home) {}
  ~DeviceScope() { cudaSetDevice(home_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int home_;
};

struct Rank {
  std::unique_ptr<Stream> stream;
  SharedBuffer send, receive;
};

class Group {
 public:
  Group(int ranks, std::size_t bytes) : communicators_(static_cast<std::size_t>(ranks)) {
    check_nccl(FROM(nccl, ncclCommInitAll)(communicators_.data(), ranks, nullptr), "join the GPUs");
    for (int i = 0; i < ranks; ++i) {
      check(cudaSetDevice(i), "use a GPU");
      ranks_.push_back({std::make_unique<Stream>(Order::with_default), allocate(bytes), allocate(bytes)});
      fill_normal(ranks_.back().send->as(), bytes / 4, Element::fp32, 1, 1, ranks_.back().stream->get());
    }
  }
  ~Group() {
    for (ncclComm_t communicator : communicators_) {
      if (communicator == nullptr) continue;
      if (lost_) {
        FROM(nccl, ncclCommAbort)(communicator);
      } else {
        FROM(nccl, ncclCommDestroy)(communicator);
      }
    }
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void enqueue(const std::string& operation, std::size_t bytes) {
    const std::size_t count = bytes / 4, share = count / ranks_.size();
    check_nccl(FROM(nccl, ncclGroupStart)(), "start a group");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank& rank = ranks_[i];
      const cudaStream_t stream = rank.stream->get();
      ncclResult_t status = ncclSuccess;
      if (operation == "all_reduce") {
        status = FROM(nccl, ncclAllReduce)(rank.send->as(), rank.receive->as(), count, ncclFloat, ncclSum,
                                           communicators_[i], stream);
      } else if (operation == "all_gather") {
        status =
            FROM(nccl, ncclAllGather)(rank.send->as(), rank.receive->as(), share, ncclFloat, communicators_[i], stream);
      } else {
        status = FROM(nccl, ncclReduceScatter)(rank.send->as(), rank.receive->as(), share, ncclFloat, ncclSum,
                                               communicators_[i], stream);
      }
      check_nccl(status, "enqueue a collective");
    }
    check_nccl(FROM(nccl, ncclGroupEnd)(), "run a collective");
  }

  // Gives up after a while: where GPUs cannot reach each other (ACS, IOMMU), collectives never end.
  void wait() {
    constexpr double patience_s = 20;
    const double begin_s = now_s();
    for (const Rank& rank : ranks_) {
      cudaError_t status = cudaErrorNotReady;
      while ((status = cudaStreamQuery(rank.stream->get())) == cudaErrorNotReady) {
        lost_ = true;
        check_interrupt();
        if (now_s() < begin_s + patience_s) continue;
        throw Fault("a collective did not end within 20 s; NCCL_P2P_DISABLE=1 shows whether P2P is at fault");
      }
      lost_ = status != cudaSuccess;
      check(status, "run a collective");
    }
  }
  bool lost() const { return lost_; }

 private:
  bool lost_ = false;  // what runs will not end: aborted, not waited for
  std::vector<ncclComm_t> communicators_;
  std::vector<Rank> ranks_;
};

Record collective(Session& session, Group& group, const std::string& operation, std::size_t bytes, int ranks,
                  const Parameters& parameters) {
  const int repetitions = bytes < (std::size_t{1} << 20) ? 50 : bytes < (std::size_t{64} << 20) ? 10 : 3;
  std::vector<double> samples;
  for (int sample = 0; sample <= (session.quick() ? 3 : 7); ++sample) {
    const double begin_s = now_s();
    for (int i = 0; i < repetitions; ++i) group.enqueue(operation, bytes);
    group.wait();
    if (sample > 0) samples.push_back((now_s() - begin_s) / repetitions);
  }
  Record record = measurement::measured("nccl", parameters, samples);
  const double size = static_cast<double>(bytes), share = (ranks - 1.0) / ranks;
  record.derived = {{"algbw_bytes_per_s", size / record.median},
                    {"busbw_bytes_per_s", size / record.median * share * (operation == "all_reduce" ? 2 : 1)}};
  return record;
}

}  // namespace

void run_collectives(Session& session) {
  int ranks = 0;
  check(cudaGetDeviceCount(&ranks), "count the GPUs");
  if (ranks < 2) return session.skip("nccl", {}, "one GPU: nothing to join");
  if (!nccl().missing().empty()) return session.skip("nccl", {}, nccl().missing());
  const DeviceScope home(session.device());
  const std::size_t largest = session.quick() ? std::size_t{64} << 20 : std::size_t{1} << 30;
  std::unique_ptr<Group> group;
  for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter"}) {
    for (std::size_t bytes = 32 << 10; bytes <= largest; bytes *= session.quick() ? 8 : 4) {
      const Parameters parameters = {{"operation", std::string(operation)},
                                     {"bytes", static_cast<std::int64_t>(bytes)},
                                     {"ranks", std::int64_t{ranks}}};
      session.attempt("nccl", parameters, [&] {
        if (group && group->lost()) throw Unavailable("a collective before did not end");
        if (!group) group = std::make_unique<Group>(ranks, largest);
        return collective(session, *group, operation, bytes, ranks, parameters);
      });
    }
  }
}

std::string nccl_version() {
  int version = 0;  // 22809 is 2.28.9
  if (!nccl().missing().empty() || FROM(nccl, ncclGetVersion)(&version) != ncclSuccess) return "";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

#else

std::string nccl_version() { return ""; }

void run_collectives(Session& session) { session.skip("nccl", {}, "built without NCCL"); }

#endif

}  // namespace clustersim::gpubench
