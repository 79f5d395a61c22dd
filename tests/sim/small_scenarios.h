// Scenarios for the tests of what stands above the engine: read as a user's would be, then changed as typed values.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "clustersim/clustersim.h"
#include "sim/job.h"

namespace clustersim::small {

inline Scenario read(const std::string& cluster, const std::string& job) {
  const std::string text = R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": )" + job + "}";
  try {
    return read_scenario_text(text, "test", {});
  } catch (const InputError& error) {
    FAIL(problems_text(error.problems()));
    throw;
  }
}

// Servers of four A100 with one 10 Gbit/s port each, on TCP.
inline std::string servers(int nodes, const std::string& more = "") {
  return R"({"nodes": )" + std::to_string(nodes) +
         R"(, "node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4, "nic": "eth-10g", "nics": 1},
          "fabric": {"shape": "single-switch", "link": "10 Gbit/s", "transport": "tcp"})" +
         more + "}";
}

// ResNet-50; `data` is the text of its object.
inline std::string resnet(const std::string& data, const std::string& more = "") {
  return R"({"model": "resnet-50", "precision": "amp", "stack": "pytorch-ddp", "batch_per_gpu": 64, "data": )" + data +
         more + "}";
}

inline double step_s(const Scenario& scenario, bool first_epoch = false, double clock = 1.0) {
  const Assembly assembly(scenario.cluster, scenario.job);
  return simulate_steady_step(assembly, first_epoch, std::vector<double>(assembly.gpus().size(), clock)).step_s;
}

}  // namespace clustersim::small
