#include "models/fabric/gpu_cables.h"

#include <algorithm>

namespace clustersim {
namespace {

std::vector<Cable> mesh(int gpus, int links_per_gpu) {
  std::vector<Cable> cables;
  const int links = std::max(1, links_per_gpu / std::max(1, gpus - 1));
  for (int a = 0; a < gpus; ++a)
    for (int b = a + 1; b < gpus; ++b) cables.push_back({a, b, links});
  return cables;
}

std::vector<Cable> pairs(int gpus, int links_per_gpu) {
  std::vector<Cable> cables;
  for (int a = 0; a + 1 < gpus; a += 2) cables.push_back({a, a + 1, links_per_gpu});
  return cables;
}

std::vector<Cable> cube_mesh(int gpus, int links_per_gpu) {
  std::vector<Cable> cables = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
                               {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
  for (Cable& cable : cables)
    if (links_per_gpu < 6) cable.links = 1;
  std::erase_if(cables, [&](const Cable& cable) { return cable.b >= gpus; });
  return cables;
}

std::vector<Cable> ring(int gpus, int links_per_gpu) {
  std::vector<Cable> cables;
  if (gpus == 2) return {{0, 1, links_per_gpu}};
  const int links = std::max(1, links_per_gpu / 2);
  for (int a = 0; a + 1 < gpus; ++a) cables.push_back({a, a + 1, links});
  if (gpus > 2) cables.push_back({0, gpus - 1, links});
  return cables;
}

}  // namespace

const std::vector<CableShape>& cable_shapes() {
  static const std::vector<CableShape> table = {
      {"mesh", "every pair of GPUs is joined", mesh},
      {"pairs", "bridges join GPU 2k with GPU 2k+1", pairs},
      {"cube-mesh", "hybrid cube mesh of DGX-1", cube_mesh},
      {"ring", "each GPU is joined to its two neighbours", ring},
  };
  return table;
}

std::vector<Cable> gpu_cables(const std::string& shape, int gpus, int gpus_of_server, int links_per_gpu) {
  for (const CableShape& entry : cable_shapes()) {
    if (shape != entry.name) continue;
    std::vector<Cable> cables = entry.cables(gpus_of_server, links_per_gpu);
    std::erase_if(cables, [&](const Cable& cable) { return cable.b >= gpus; });
    return cables;
  }
  return {};
}

}  // namespace clustersim
