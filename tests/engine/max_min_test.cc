#include "sim/engine/max_min.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "clustersim/error.h"

using namespace clustersim;

namespace {

struct Net {
  std::vector<double> capacity;
  std::vector<std::vector<Use>> uses;  // by flow
  std::vector<double> caps;            // by flow, 0: none

  std::vector<MaxMinFlow> flows() const {
    std::vector<MaxMinFlow> all;
    for (std::size_t f = 0; f < uses.size(); ++f)
      all.push_back({static_cast<std::int32_t>(f), f < caps.size() ? caps[f] : 0.0, uses[f]});
    return all;
  }
  std::vector<double> rates() const {
    std::vector<double> rates;
    MaxMinSolver(capacity).solve(flows(), rates);
    return rates;
  }
};

// Weights are 10 to the power of -spread .. +spread.
Net random_net(std::mt19937_64& random, double spread) {
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  Net net;
  net.capacity.resize(2 + random() % 20);
  for (double& c : net.capacity) c = 0.1 + 10 * uniform();
  net.uses.resize(1 + random() % 40);
  for (auto& uses : net.uses) {
    for (auto k = 1 + random() % 5; k > 0; --k) {
      const auto resource = static_cast<ResourceId>(random() % net.capacity.size());
      uses.push_back({resource, std::pow(10.0, spread * (2 * uniform() - 1)), static_cast<double>(1 + random() % 4)});
    }
    merge_uses(uses);
    net.caps.push_back(random() % 4 == 0 ? 0.05 + uniform() : 0.0);
  }
  return net;
}

// The definition itself: the largest overload of a resource, and how far the worst-off flow is from being held by
// its cap or by a full resource on which nobody has more traffic per stream. Both relative.
struct Misfit {
  double overload = 0;
  double unheld = 0;
};
Misfit misfit(const Net& net, const std::vector<double>& rates) {
  std::vector<double> load(net.capacity.size()), highest(net.capacity.size());
  for (std::size_t f = 0; f < rates.size(); ++f) {
    for (const Use& u : net.uses[f]) {
      const auto r = static_cast<std::size_t>(u.resource);
      load[r] += rates[f] * u.weight;
      highest[r] = std::max(highest[r], rates[f] * u.weight / u.streams);
    }
  }
  Misfit worst;
  for (std::size_t r = 0; r < load.size(); ++r)
    worst.overload = std::max(worst.overload, load[r] / net.capacity[r] - 1);
  for (std::size_t f = 0; f < rates.size(); ++f) {
    double gap = f < net.caps.size() && net.caps[f] > 0 ? std::abs(1 - rates[f] / net.caps[f]) : 1.0;
    for (const Use& u : net.uses[f]) {
      const auto r = static_cast<std::size_t>(u.resource);
      gap = std::min(gap, std::max(1 - load[r] / net.capacity[r], 1 - rates[f] * u.weight / u.streams / highest[r]));
    }
    worst.unheld = std::max(worst.unheld, gap);
    if (f < net.caps.size() && net.caps[f] > 0) worst.overload = std::max(worst.overload, rates[f] / net.caps[f] - 1);
  }
  return worst;
}

}  // namespace

TEST_CASE("two links in line: the classical example") {
  // A over both, B over link 0, C over link 1:  a + b <= 1,  a + c <= 2.
  // Link 0 is the tighter, so a = b = 1/2; what is left of link 1 is C's: c = 2 - 1/2.
  const Net net{{1, 2}, {{{0}, {1}}, {{0}}, {{1}}}, {}};
  const auto x = net.rates();
  CHECK(x[0] == 1.0 / 2);
  CHECK(x[1] == 1.0 / 2);
  CHECK(x[2] == 2 - 1.0 / 2);
}

TEST_CASE("what is equal is the traffic, not the rate") {
  // A puts 2 B on the link per byte:  2 a + b <= 6  with  2 a = b, so b = 3 and a = 3/2.
  const Net net{{6}, {{{0, 2.0, 1.0}}, {{0, 1.0, 1.0}}}, {}};
  const auto x = net.rates();
  CHECK(x[0] == 3.0 / 2);
  CHECK(x[1] == 3.0);
}

TEST_CASE("n streams take what n flows of one stream would") {
  // A with 3 streams beside B with one:  a + b <= 8  with  a / 3 = b, so b = 8 / 4.
  const auto bundled = Net{{8}, {{{0, 1.0, 3.0}}, {{0}}}, {}}.rates();
  const auto single = Net{{8}, {{{0}}, {{0}}, {{0}}, {{0}}}, {}}.rates();
  CHECK(bundled[1] == 8.0 / 4);
  CHECK(bundled[1] == single[3]);
  CHECK(bundled[0] == single[0] + single[1] + single[2]);
}

TEST_CASE("what a cap leaves goes to the others, and through them on") {
  // a <= 1 by its cap;  a + b <= 10  leaves b = 9 unless link 1 holds it:  b + c <= 12  with b = c gives 6 < 9.
  // So link 1 is full with b = c = 6 and link 0 has room.
  const Net net{{10, 12}, {{{0}}, {{0}, {1}}, {{1}}}, {1, 0, 0}};
  MaxMinSolver solver(net.capacity);
  std::vector<double> x;
  solver.solve(net.flows(), x);
  CHECK(x == std::vector<double>{1, 6, 6});
  CHECK_FALSE(solver.limiting(0));
  CHECK(solver.limiting(1));
}

TEST_CASE("the bundle of a ring all-reduce takes the share that its messages would") {
  // n ranks, ring links of capacity B, cross traffic of m flows on link 0. A message of S/n there gets B / (1 + m); the
  // ring advances at the pace of its slowest link, so 2(n-1) steps take 2(n-1) (S/n) (1 + m) / B.
  // Bundle: x w = B / (1 + m) with w = 2(n-1)/n, and it takes S / x: the same.
  const double ring_bytes_per_s = 25e9, bytes = 1e9;
  for (int n : {2, 3, 8, 64}) {
    for (int m : {0, 1, 3}) {
      Net net;
      net.capacity.assign(static_cast<std::size_t>(n), ring_bytes_per_s);
      net.uses.resize(1);
      for (int i = 0; i < n; ++i) net.uses[0].push_back({i, 2.0 * (n - 1) / n, 1.0});
      for (int i = 0; i < m; ++i) net.uses.push_back({{0}});
      const double messages_s = 2.0 * (n - 1) * (bytes / n) * (1 + m) / ring_bytes_per_s;
      const auto x = net.rates();
      CHECK(bytes / x[0] == Approx(messages_s).epsilon(1e-14));
      for (int i = 0; i < m; ++i)
        CHECK(x[static_cast<std::size_t>(1 + i)] == Approx(ring_bytes_per_s / (1 + m)).epsilon(1e-14));
    }
  }
}

TEST_CASE("two flows, each heavy where the other is light, are held where they are heavy") {
  // a + 10 b <= 1,  10 a + b <= 1. On link 1 A has the most traffic, on link 0 B has: both links full, a = b = 1/11.
  // Neither link is the tightest for both, so filling alone cannot decide.
  const Net net{{1, 1}, {{{0, 1.0, 1.0}, {1, 10.0, 1.0}}, {{0, 10.0, 1.0}, {1, 1.0, 1.0}}}, {}};
  const auto x = net.rates();
  CHECK(x[0] == Approx(1.0 / 11).epsilon(1e-12));
  CHECK(x[1] == Approx(1.0 / 11).epsilon(1e-12));
}

TEST_CASE("random networks: nothing overloaded, everybody held, the order of flows does not matter") {
  // Tolerance: rounding of sums of up to 200 terms for the overload; 1e-13 a level, times some, for the levels.
  std::mt19937_64 random(3);
  int together = 0;
  for (int i = 0; i < 2400; ++i) {
    const double spread = std::vector<double>{0, 0.1, 1, 2}[static_cast<std::size_t>(i % 4)];
    const Net net = random_net(random, spread);
    MaxMinSolver solver(net.capacity);
    std::vector<double> rates, shuffled_rates;
    std::vector<MaxMinFlow> flows = net.flows();
    solver.solve(flows, rates);
    together += solver.sweeps() > 0;
    const Misfit worst = misfit(net, rates);
    REQUIRE(worst.overload < 1e-13);
    REQUIRE(worst.unheld < 1e-11);

    for (std::size_t k = flows.size(); k > 1; --k) std::swap(flows[k - 1], flows[random() % k]);
    solver.solve(flows, shuffled_rates);
    for (std::size_t k = 0; k < flows.size(); ++k)
      REQUIRE(shuffled_rates[k] == rates[static_cast<std::size_t>(flows[k].id)]);
  }
  CHECK(together > 1000);  // both ways of solving were met
  CHECK(together < 2000);
}

TEST_CASE("dense traffic of one kind: the heap of levels gives what the rounds give") {
  // Every resource is loaded alike by all its flows, so the heap applies; a cap that holds nobody rules it out.
  // Tolerance: sums of some hundred terms in another order.
  std::mt19937_64 random(8);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 100; ++i) {
    Net net;
    net.capacity.resize(3 + random() % 40);
    std::vector<Use> kinds;
    for (std::size_t r = 0; r < net.capacity.size(); ++r) {
      net.capacity[r] = i % 3 == 0 ? 1.0 : 0.5 + uniform();  // many ties, or none
      kinds.push_back(
          {static_cast<ResourceId>(r), i % 2 == 0 ? 1.0 : 0.5 + uniform(), static_cast<double>(1 + random() % 3)});
    }
    net.uses.resize(64 + random() % 400);
    for (auto& uses : net.uses) {
      for (auto k = 1 + random() % 6; k > 0; --k) uses.push_back(kinds[random() % kinds.size()]);
      std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.resource < b.resource; });
      uses.erase(
          std::unique(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.resource == b.resource; }),
          uses.end());
    }
    MaxMinSolver solver(net.capacity);
    std::vector<double> rates, shuffled_rates;
    std::vector<MaxMinFlow> flows = net.flows();
    solver.solve(flows, rates);
    const Misfit worst = misfit(net, rates);
    REQUIRE(worst.overload < 1e-12);
    REQUIRE(worst.unheld < 1e-11);
    std::vector<bool> limiting;
    for (std::size_t r = 0; r < net.capacity.size(); ++r) limiting.push_back(solver.limiting(static_cast<int>(r)));

    for (std::size_t k = flows.size(); k > 1; --k) std::swap(flows[k - 1], flows[random() % k]);
    solver.solve(flows, shuffled_rates);
    for (std::size_t k = 0; k < flows.size(); ++k)
      REQUIRE(shuffled_rates[k] == rates[static_cast<std::size_t>(flows[k].id)]);

    net.caps.assign(net.uses.size(), 0.0);
    net.caps[0] = 1e6;
    const auto by_rounds = net.rates();
    for (std::size_t k = 0; k < by_rounds.size(); ++k) REQUIRE(rates[k] == Approx(by_rounds[k]).epsilon(1e-11));
    for (std::size_t k = 0; k < net.uses.size(); ++k) {  // somebody who holds it is marked
      bool held = false;
      for (const Use& u : net.uses[k]) held = held || limiting[static_cast<std::size_t>(u.resource)];
      REQUIRE(held);
    }
  }
}

TEST_CASE("a flow that shares nothing has the same rate to the bit, alone or solved") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200; ++i) {
    Net net = random_net(random, 1.0);
    net.uses.resize(1);
    MaxMinSolver solver(net.capacity);
    std::vector<double> rates;
    solver.solve(net.flows(), rates);
    std::vector<bool> limiting;
    for (const Use& use : net.uses[0]) limiting.push_back(solver.limiting(use.resource));
    REQUIRE(solver.rate_alone(net.flows()[0]) == rates[0]);
    for (std::size_t u = 0; u < limiting.size(); ++u) REQUIRE(solver.limiting(net.uses[0][u].resource) == limiting[u]);
  }
}

TEST_CASE("twice the capacity is twice the rate") {
  // Everything in the problem is homogeneous of degree 1, and doubling is exact in binary.
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    Net net = random_net(random, 1.0);
    const auto once = net.rates();
    for (double& c : net.capacity) c *= 2;
    for (double& c : net.caps) c *= 2;
    const auto twice = net.rates();
    for (std::size_t f = 0; f < once.size(); ++f) REQUIRE(twice[f] == 2 * once[f]);
  }
}

TEST_CASE("uses of one resource are joined: weights and streams add up") {
  std::vector<Use> uses = {{3, 1.0, 1.0}, {1, 0.5, 2.0}, {3, 0.25, 1.0}};
  merge_uses(uses);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].resource == 1);
  CHECK(uses[1].resource == 3);
  CHECK(uses[1].weight == 1.0 + 0.25);
  CHECK(uses[1].streams == 1.0 + 1.0);
}

TEST_CASE("a flow that nothing holds is refused") {
  std::vector<double> rates;
  MaxMinSolver solver({1.0});
  const std::vector<MaxMinFlow> flows(1);
  CHECK_THROWS_AS(solver.solve(flows, rates), InternalError);
}
