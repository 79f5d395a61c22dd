#include "sim/sweep/run_points.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace clustersim {

namespace {

constexpr std::size_t batch_rows = 256;
constexpr std::chrono::milliseconds batch_time{250};

// Threads take the next point from one counter; the caller collects what they leave.
class Threads {
 public:
  Threads(int jobs, const std::vector<std::size_t>& points, const std::function<SweepRow(std::size_t)>& run)
      : points_(points), run_(run) {
    for (int i = 0; i < jobs; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Threads() {
    stopped_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // A batch that is full, or what there is after a while; empty once all is done.
  std::vector<SweepRow> collect() {
    std::unique_lock lock(mutex_);
    const auto enough = [&] { return rows_.size() >= batch_rows || taken_ + rows_.size() == points_.size(); };
    do {
      ready_.wait_for(lock, batch_time, enough);
    } while (rows_.empty() && taken_ < points_.size());
    taken_ += rows_.size();
    return std::exchange(rows_, {});
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < points_.size() && !stopped_; i = next_++) {
      SweepRow row = run_(points_[i]);
      const std::lock_guard lock(mutex_);
      rows_.push_back(std::move(row));
      if (rows_.size() >= batch_rows || taken_ + rows_.size() == points_.size()) ready_.notify_one();
    }
  }

  const std::vector<std::size_t>& points_;
  const std::function<SweepRow(std::size_t)>& run_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<SweepRow> rows_;
  std::size_t taken_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

PointRunner threads_runner(int jobs) {
  if (jobs == 0) jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return [jobs](const std::vector<std::size_t>& points, const std::function<SweepRow(std::size_t)>& run,
                const std::function<void(std::vector<SweepRow>)>& take) {
    if (points.empty()) return;
    Threads threads(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(jobs), points.size())), points,
                    run);
    for (std::vector<SweepRow> rows = threads.collect(); !rows.empty(); rows = threads.collect()) take(std::move(rows));
  };
}

}  // namespace clustersim
