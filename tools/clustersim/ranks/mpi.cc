// Rank 0 gives out points and keeps rows; the others ask for the next few points with the rows of the last.
#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <chrono>
#include <iostream>
#include <limits>
#include <thread>

#include "clustersim/clustersim.h"
#include "tools/clustersim/ranks/ranks.h"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, clustersim::Problem& p, unsigned) {
  archive& p.file& p.pointer& p.expected& p.got& p.hint;
}

template <class Archive>
void serialize(Archive& archive, clustersim::SweepRow& row, unsigned) {
  archive& row.point& row.status& row.metrics& row.currency& row.limit_kind& row.limit_resource;
  archive& row.limit_share& row.problems;
}

}  // namespace boost::serialization

namespace clustersim {
namespace {

namespace mpi = boost::mpi;

using Points = std::vector<std::size_t>;
using Rows = std::vector<SweepRow>;

enum Tag { rows_tag, points_tag };
constexpr std::size_t points_at_once = 8;
constexpr std::size_t go_home = std::numeric_limits<std::size_t>::max();  // in the place of points: none are left
constexpr std::chrono::milliseconds batch_time{250};
constexpr std::chrono::microseconds pause{200};  // between looks for messages: rank 0 leaves its core to others

// Rank 0's side. A rank asks by sending the rows of its last points; it waits for an answer, points or go_home.
class Distributor {
 public:
  explicit Distributor(const mpi::communicator& world)
      : world_(world), waits_(static_cast<std::size_t>(world.size()), false) {}

  // Few points stay out at a time, so that the end is even and a lost rank loses little.
  void give_out(const Points& points, const std::function<void(Rows)>& take) {
    Rows batch;
    std::size_t next = 0, done = 0;
    auto kept = std::chrono::steady_clock::now();
    while (done < points.size()) {
      if (const auto asked = world_.iprobe(mpi::any_source, rows_tag)) {
        Rows rows = receive(asked->source());
        done += rows.size();
        std::move(rows.begin(), rows.end(), std::back_inserter(batch));
      } else {
        std::this_thread::sleep_for(pause);
      }
      for (int rank = 1; rank < world_.size() && next < points.size(); ++rank) {
        if (!waits_[static_cast<std::size_t>(rank)]) continue;
        const std::size_t end = std::min(points.size(), next + points_at_once);
        answer(rank,
               {points.begin() + static_cast<std::ptrdiff_t>(next), points.begin() + static_cast<std::ptrdiff_t>(end)});
        next = end;
      }
      if (!batch.empty() && (done == points.size() || std::chrono::steady_clock::now() - kept > batch_time)) {
        take(std::exchange(batch, {}));
        kept = std::chrono::steady_clock::now();
      }
    }
  }

  // Once it has asked.
  void send_home() {
    for (int rank = 1; rank < world_.size(); ++rank) {
      if (!waits_[static_cast<std::size_t>(rank)]) receive(rank);
      answer(rank, {go_home});
    }
  }

 private:
  Rows receive(int rank) {
    Rows rows;
    world_.recv(rank, rows_tag, rows);
    waits_[static_cast<std::size_t>(rank)] = true;
    return rows;
  }
  void answer(int rank, const Points& points) {
    world_.send(rank, points_tag, points);
    waits_[static_cast<std::size_t>(rank)] = false;
  }

  const mpi::communicator& world_;
  std::vector<bool> waits_;  // asked, and not answered yet
};

void work(const mpi::communicator& world, const std::string& path) {
  std::unique_ptr<SweepWorker> worker;  // reads the study only once rank 0 has found it sound
  Rows rows;
  while (true) {
    world.send(0, rows_tag, std::exchange(rows, {}));
    while (!world.iprobe(0, points_tag)) std::this_thread::sleep_for(pause);
    Points points;
    world.recv(0, points_tag, points);
    if (points.front() == go_home) return;
    if (!worker) worker = std::make_unique<SweepWorker>(path);
    for (const std::size_t point : points) rows.push_back(worker->run(point));
  }
}

}  // namespace

std::string sweep_across_ranks(const std::string& study, SweepOptions options, const std::string& format) {
  mpi::environment environment(false);
  const mpi::communicator world;
  if (world.rank() > 0) {
    try {
      work(world, study);
    } catch (const std::exception& error) {  // rank 0 would wait for ever
      std::cerr << "clustersim: rank " << world.rank() << ": " << error.what() << std::endl;
      environment.abort(70);
    }
    return "";
  }
  Distributor distributor(world);
  options.runner = [&](const Points& points, const auto&, const std::function<void(Rows)>& take) {
    distributor.give_out(points, take);
  };
  std::exception_ptr fault;
  std::string answer;
  try {
    answer = write(sweep(study, options), format);
  } catch (...) {
    fault = std::current_exception();
  }
  distributor.send_home();
  if (fault) std::rethrow_exception(fault);
  return answer;
}

}  // namespace clustersim
