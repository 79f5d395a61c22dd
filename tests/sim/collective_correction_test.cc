// Two sizes of a published log against the rest of it: the corrected model must meet the sizes that it was not shown.
#include "sim/collective_correction.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>

#include "clustersim/clustersim.h"
#include "tests/models/csv_line.h"

using namespace clustersim;

namespace {

struct Log {
  CollectiveOp op = CollectiveOp::all_reduce;
  int nodes = 1, ranks = 0;
  std::map<double, double> times;  // by size
};

Log log_of(const std::string& system, const std::string& collective) {
  std::ifstream file(std::string(CLUSTERSIM_SOURCE_DIR) + "/scenarios/measurements/nccl.csv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split_csv(line);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  Log log;
  while (std::getline(file, line)) {
    const std::vector<std::string> f = split_csv(line);
    if (f.size() < names.size() || f[column("system")].rfind(system, 0) != 0 || f[column("collective")] != collective)
      continue;
    if (f[column("size_bytes")].empty() || f[column("time_us")].empty()) continue;
    if (f[column("notes")] == "Ring") continue;
    if (log.ranks > 0 && std::stoi(f[column("ranks")]) != log.ranks) continue;
    log.nodes = std::stoi(f[column("nodes")]), log.ranks = std::stoi(f[column("ranks")]);
    log.times.emplace(std::stod(f[column("size_bytes")]),
                      std::stod(f[column("time_us")]) * 1e-6);  // the first of a size
  }
  REQUIRE(log.times.size() >= 3);
  return log;
}

Scenario scenario_of(const std::string& cluster) {
  return read_scenario_text(R"({"clustersim": 1, "cluster": )" + cluster + R"(, "job": {"model": "resnet-50"}})",
                            "test", {});
}

// busbw of an all-reduce (GB/s) -> time.
double all_reduce_s(double bytes, double busbw_gb, int ranks) {
  return bytes * 2 * (ranks - 1) / ranks / (busbw_gb * 1e9);
}

// |corrected model / log - 1| of the sizes that are not among `shown`, ascending.
std::vector<double> errors(const Cluster& plain, const Log& log, const std::vector<double>& shown) {
  MeasuredSweep sweep{log.op, log.nodes, log.ranks, {}};
  for (const double size : shown) sweep.points.push_back({size, log.times.at(size)});
  const auto fitted = fit_correction(plain, {sweep});
  if (!fitted) return {};  // refused: one of two sizes took more than 20 times the model's time
  Scenario scenario = scenario_of(R"({"node": {"server": "dgx-a100-40gb"}})");
  scenario.cluster = plain;
  scenario.cluster.corrections = {fitted->correction};
  std::vector<double> sizes, out;
  for (const auto& [size, time] : log.times)
    if (std::find(shown.begin(), shown.end(), size) == shown.end()) sizes.push_back(size);
  const CollectiveTable table = collective(scenario, "all_reduce", sizes, log.ranks, "auto");
  for (const CollectiveRow& row : table.rows)
    out.push_back(std::fabs(row.time_us * 1e-6 / log.times.at(row.bytes) - 1));
  std::sort(out.begin(), out.end());
  return out;
}

double first(const Log& log) { return log.times.begin()->first; }
double last(const Log& log) { return log.times.rbegin()->first; }

}  // namespace

namespace {

struct PublishedLog {
  const char *system, *cluster;
  const char* why = "";  // half of the other sizes are further off than 10 %
};

// Every all-reduce log of nccl.csv with three sizes or more on a machine that is described.
constexpr PublishedLog published_logs[] = {
    {"8x A100-SXM4-40GB (Azure", R"({"node": {"server": "dgx-a100-40gb"}})"},
    {"8x A100 node", R"({"node": {"server": "dgx-a100-40gb"}})"},
    {"8x H200 node", R"({"node": {"server": "hgx-h200-8-gpu-server"}})"},
    {"8x B200 p6-b200", R"({"node": {"server": "hgx-b200-8-gpu-server"}})"},
    {"8x H100 node", R"({"node": {"server": "dgx-h100"}})"},
    {"8x V100-SXM2-16GB", R"({"node": {"server": "dgx-1"}})"},
    {"DGX-2, 12", R"({"node": {"server": "dgx-2"}})"},
    {"2x A100-80GB same node", R"({"node": {"gpu": "a100-pcie-80gb", "gpus": 2,
      "gpu_fabric": {"link": "nvlink3", "shape": "pairs"}}})"},
    {"8x RTX 4090 stock driver", R"({"node": {"server": "8x-rtx-4090-server"}})"},
    {"8x RTX 4090, P2P", R"({"node": {"server": "8x-rtx-4090-server", "p2p": true}})"},
    {"4x RTX 4090, P2P", R"({"node": {"server": "8x-rtx-4090-server", "gpus": 4, "p2p": true}})"},
    {"2x DGX A100", R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}})"},
    {"DGX A100 pair/quad", R"({"nodes": 4, "node": {"server": "dgx-a100-40gb"}})"},
    {"2x DGX-1", R"({"nodes": 2, "node": {"server": "dgx-1", "nic": "eth-100g", "nics": 2},
      "fabric": {"transport": "rdma"}})",
     "the log calls its small sizes noisy: 2194 us at 8 B, 89 at 1 KiB, 598 at 32 KiB"},
    {"2x Nebius", R"({"nodes": 2, "node": {"server": "dgx-h100"}})"},
    {"2x p4de", R"({"nodes": 2, "node": {"server": "aws-p4de-24xlarge"}})"},
    {"2x OCI BM.GPU.B4.8", R"({"nodes": 2, "node": {"server": "dgx-a100-40gb", "nic": "eth-100g", "nics": 16},
      "fabric": {"transport": "rdma"}})"},
    {"2 nodes, V100", R"({"nodes": 2, "node": {"gpu": "v100-sxm2-16gb", "gpus": 1, "nic": "eth-10g", "nics": 1},
      "fabric": {"transport": "tcp"}})",
     "two sizes are left, and 8 MiB went at 1.4 times the rate of 4 and 16 MiB"},
};

// Pairs of a small and a large size as a user might choose them: below 1 MiB the ends and the middle, of the rest the
// largest and the smallest from 64 MiB on. Where a log has no such sizes: its ends.
std::vector<std::vector<double>> pairs_of(const Log& log) {
  std::vector<double> small, large;
  for (const auto& [size, time] : log.times) {
    if (size <= 1048576) small.push_back(size);
    if (size >= 64 * 1048576.0) large.push_back(size);
  }
  std::vector<std::vector<double>> pairs;
  if (small.empty() || large.empty()) return {{first(log), last(log)}};
  for (const double low : {small.front(), small[small.size() / 2], small.back()})
    for (const double high : {large.front(), large.back()}) pairs.push_back({low, high});
  return pairs;
}

}  // namespace

TEST_CASE("two sizes of an all-reduce log predict its other sizes within 10 %", "[calibrate]") {
  int held = 0;
  for (const PublishedLog& published : published_logs) {
    const Log log = log_of(published.system, "all_reduce");
    const Cluster cluster = scenario_of(published.cluster).cluster;
    std::vector<double> middles;
    for (const std::vector<double>& shown : pairs_of(log)) {
      const std::vector<double> e = errors(cluster, log, shown);
      if (!e.empty()) middles.push_back(0.5 * (e[(e.size() - 1) / 2] + e[e.size() / 2]));
    }
    REQUIRE_FALSE(middles.empty());
    std::sort(middles.begin(), middles.end());
    INFO(published.system << ": half of the other sizes within " << middles.front() << " to " << middles.back());
    const bool within = middles[(middles.size() - 1) / 2] < 0.10;
    held += within;
    if (*published.why == '\0') CHECK(within);
  }
  CHECK(held >= 16);
}

TEST_CASE("few sizes far from the model are doubted, and rightly so", "[calibrate]") {
  // Every pair of sizes of a log that repeats well, of one that loses a plateau, and of one that is noisy. Of those
  // that are doubted fewer than half predict half of the others within 10 %; of the rest more than half do.
  int doubted = 0, doubted_good = 0, trusted = 0, trusted_good = 0;
  for (const PublishedLog& published : published_logs) {
    const std::string system = published.system;
    if (system != "8x A100-SXM4-40GB (Azure" && system != "DGX A100 pair/quad" && system != "2x DGX-1") continue;
    const Log log = log_of(system, "all_reduce");
    const Cluster cluster = scenario_of(published.cluster).cluster;
    for (auto low = log.times.begin(); low != log.times.end(); ++low)
      for (auto high = std::next(low); high != log.times.end(); ++high) {
        const auto fitted = fit_correction(
            cluster, {{log.op, log.nodes, log.ranks, {{low->first, low->second}, {high->first, high->second}}}});
        if (!fitted) continue;
        const std::vector<double> e = errors(cluster, log, {low->first, high->first});
        const bool good = 0.5 * (e[(e.size() - 1) / 2] + e[e.size() / 2]) < 0.10;
        const bool doubt = !fitted->doubt.empty();
        ++(doubt ? doubted : trusted);
        (doubt ? doubted_good : trusted_good) += good;
      }
  }
  CHECK(doubted > 20);
  CHECK(2 * doubted_good < doubted);
  CHECK(2 * trusted_good > trusted);
}

TEST_CASE("a whole sweep is met better than its ends", "[calibrate]") {
  const Cluster cluster = scenario_of(R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}})").cluster;
  const Log log = log_of("2x DGX A100", "all_reduce");
  MeasuredSweep whole{log.op, log.nodes, log.ranks, {}}, ends = whole;
  for (const auto& [size, time] : log.times) whole.points.push_back({size, time});
  ends.points = {whole.points.front(), whole.points.back()};
  const auto all = fit_correction(cluster, {whole});
  REQUIRE(all);
  CHECK(all->quality.median_residual < 0.03);
  CHECK(all->quality.rows == static_cast<int>(log.times.size()));
  CHECK(all->correction.between_nodes);
  CHECK(all->correction.limit == "nic");
  CHECK(all->correction.from.base() == first(log));
  CHECK(all->correction.to.base() == last(log));
}

TEST_CASE("a pair of H20 nodes, which the model has 37 % too fast, is met after two sizes", "[calibrate]") {
  // Published: 268.9 GB/s at 64 MiB, 312.8 at 512 MiB, 343 at 8 GiB. H20 is not in the catalog; the network is what
  // binds, so an H100 node with eight NDR cards stands for it.
  const Cluster cluster =
      scenario_of(R"({"nodes": 2, "node": {"server": "dgx-h100", "nic": "ib-ndr", "nics": 8}})").cluster;
  Log log{CollectiveOp::all_reduce, 2, 16, {}};
  for (const auto& [mib, busbw] : {std::pair{64.0, 268.9}, {512.0, 312.8}, {8192.0, 343.0}})
    log.times[mib * 1048576] = all_reduce_s(mib * 1048576, busbw, 16);
  CHECK(errors(cluster, log, {first(log), last(log)}).back() < 0.10);
}

TEST_CASE("a correction holds for other numbers of nodes, and for the algorithms in proportion", "[calibrate]") {
  const Cluster two = scenario_of(R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}})").cluster;
  // Twice the model's time at 1 GiB and 4 GiB: bandwidth halves.
  Scenario eight = scenario_of(R"({"nodes": 8, "node": {"server": "dgx-a100-40gb"}})");
  const std::vector<double> sizes = {1073741824.0, 4294967296.0};
  Scenario pair = scenario_of(R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}})");
  MeasuredSweep sweep{CollectiveOp::all_reduce, 2, 16, {}};
  for (const CollectiveRow& row : collective(pair, "all_reduce", sizes, {}, "auto").rows)
    sweep.points.push_back({row.bytes, 2 * row.time_us * 1e-6});
  const auto fitted = fit_correction(two, {sweep});
  REQUIRE(fitted);
  CHECK(fitted->correction.rate == Approx(0.5).epsilon(0.03));
  const CollectiveTable before = collective(eight, "all_reduce", sizes, {}, "ring");
  eight.cluster.corrections = {fitted->correction};
  const CollectiveTable after = collective(eight, "all_reduce", sizes, {}, "ring");
  CHECK(after.rows[1].time_us / before.rows[1].time_us == Approx(2).epsilon(0.05));
  // Inside a node nothing was measured, and nothing changes.
  CHECK(collective(eight, "all_reduce", sizes, 8, "auto").rows[0].time_us ==
        collective(scenario_of(R"({"nodes": 8, "node": {"server": "dgx-a100-40gb"}})"), "all_reduce", sizes, 8, "auto")
            .rows[0]
            .time_us);
}

TEST_CASE("points in a scenario change what runs take, and the report says by how much", "[calibrate]") {
  const std::string node = R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}, "fabric": {"transport": "rdma"})";
  const auto run_of = [&](const std::string& more) {
    return read_scenario_text(
        R"({"clustersim": 1, "cluster": )" + node + more + R"(}, "job": {"model": "bert-large", "overlap": false}})",
        "test", {});
  };
  const Scenario plain = run_of("");
  // 0.5 s for a GiB: far slower than eight HDR cards.
  const Scenario slow = run_of(R"(, "collectives": [{"op": "all_reduce", "nodes": 2, "ranks": 16, "points": [
      {"size": "64 MiB", "time": "9 ms"}, {"size": "1 GiB", "time": "140 ms"}]}])");
  REQUIRE(slow.cluster.corrections.size() == 1);
  CHECK(slow.cluster.corrections[0].rate < 0.2);
  bool said = false;
  for (const Assumption& a : slow.assumptions)
    said = said || a.why.find("corrected by measurement") != std::string::npos;
  CHECK(said);
  RunOptions options;
  options.what_if = false;
  const auto step = [&](const Scenario& s) {
    const Report report = run(s, options);
    for (const Metric& metric : report.metrics)
      if (metric.name == "step_time") return metric.value;
    return 0.0;
  };
  CHECK(step(slow) > 1.2 * step(plain));
}

TEST_CASE("a sweep that the cluster cannot have run is told, not used", "[calibrate]") {
  const Scenario s = scenario_of(R"({"node": {"server": "dgx-a100-40gb", "gpus": 4}, "collectives": [
      {"op": "all_reduce", "ranks": 8, "points": [{"size": "1 MiB", "time": "50 us"}, {"size": "1 GiB", "time": "9 ms"}]}]})");
  CHECK(s.cluster.corrections.empty());
  bool said = false;
  for (const Assumption& a : s.assumptions) said = said || a.why.find("not used") != std::string::npos;
  CHECK(said);
}

TEST_CASE("faults of a sweep are told together", "[calibrate]") {
  try {
    scenario_of(R"({"nodes": 2, "node": {"server": "dgx-a100-40gb"}, "collectives": [
      {"op": "all_reduce", "ranks": 15, "nodes": 2, "points": [{"size": "1 MiB", "time": "50 us"}]},
      {"op": "all_gather", "ranks": 16, "nodes": 2, "small": 1, "rate": 0.9},
      {"op": "reduce", "ranks": 16, "nodes": 2, "small": 1, "rate": 0.9, "limit": "wire"}]})");
    FAIL("no fault");
  } catch (const InputError& error) {
    std::vector<std::string> pointers;
    for (const Problem& p : error.problems()) pointers.push_back(p.pointer);
    CHECK(pointers == std::vector<std::string>{"/cluster/collectives/0/ranks", "/cluster/collectives/0/points",
                                               "/cluster/collectives/1", "/cluster/collectives/2/limit"});
  }
}
