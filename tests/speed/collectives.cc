// collectives ring|a2a K BYTES: one workload of fat_tree.h in a process of its own, as simgrid_collectives.cc runs it.
// Exits with 1 unless the simulated time is the closed form's within 0.1 %.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/engine/executor.h"
#include "tests/speed/fat_tree.h"

using namespace clustersim;

int main(int argc, char** argv) {
  if (argc != 4 || std::atoi(argv[2]) < 2) return 2;
  const bool is_ring = std::string(argv[1]) == "ring";
  const speed::FatTree tree(std::atoi(argv[2]));
  const double bytes = std::atof(argv[3]);
  const auto start = std::chrono::steady_clock::now();
  const TaskGraph graph = speed::graph_of(is_ring ? speed::ring(tree, bytes) : speed::all_to_all(tree, bytes));
  const RunRecord record = run_tasks(tree.machine(), graph);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double closed_s = is_ring ? speed::ring_s(tree, bytes) : speed::all_to_all_s(tree, bytes);
  std::printf("hosts %d messages %.0f events %llu simulated %.9f closed %.9f run %.4f s\n", tree.hosts(),
              speed::messages_of(graph), static_cast<unsigned long long>(record.events),
              sim_time_to_seconds(record.end), closed_s, wall_s);
  return std::abs(sim_time_to_seconds(record.end) / closed_s - 1) < 1e-3 ? 0 : 1;
}
