#include "models/outcome/cost.h"

#include <catch2/catch.hpp>

using namespace clustersim;

namespace {

SelfHosted owned() {
  SelfHosted prices;
  prices.server_price = dollars(300000);
  prices.network_price = dollars(80000);
  prices.electricity = dollars_per_kilowatt_hour(0.12);
  prices.pue = 1.4;
  prices.years = 3;
  prices.residual = 0.3;
  prices.utilization = 0.6;
  prices.colocation = PowerTimePrice::from_base(180.0 / 1000 / (8760.0 / 12 * 3600));  // 180 USD per kW and month
  prices.support = 0.05;
  prices.staff = dollars_per_hour(20);
  return prices;
}

CloudCost rented() {
  CloudCost prices;
  prices.instance_id = "p5.48xlarge";
  prices.price = dollars_per_hour(40);
  prices.price_date = "2025-01";
  prices.instances = 2;
  return prices;
}

RunUse ten_hours() {
  RunUse run;
  run.duration = hours(10);
  run.nodes = 2;
  run.gpus = 16;
  run.mean_node_power = watts(7000);
  run.installed_node_power = watts(10000);
  return run;
}

double line(const Cost& cost, const std::string& what) {
  for (const CostLine& l : cost.lines) {
    if (l.what == what) return l.amount.base();
  }
  return -1;
}

double sum(const Cost& cost) {
  double total = 0;
  for (const CostLine& l : cost.lines) total += l.amount.base();
  return total;
}

}  // namespace

TEST_CASE("each line of an owned run follows its formula") {
  const Cost cost = self_hosted_cost(owned(), ten_hours());
  // Ten hours of the 8760 * 0.6 that work in a year carry this share of the year's fixed cost.
  const double share = 10 / (8760 * 0.6);
  CHECK(line(cost, "servers") == Approx(2 * 300000 * 0.7 / 3 * share));
  CHECK(line(cost, "network") == Approx(80000 * 0.7 / 3 * share));
  CHECK(line(cost, "support") == Approx(2 * 300000 * 0.05 * share));
  CHECK(line(cost, "colocation") == Approx(180 * 12 * 20 * share));
  CHECK(line(cost, "staff") == Approx(20 * 8760 * share));
  CHECK(line(cost, "electricity") == Approx(2 * 7 * 10 * 1.4 * 0.12));
  CHECK(cost.total->base() == Approx(sum(cost)));
  CHECK(cost.per_gpu->base() == Approx(sum(cost) / (16 * 10 * 3600)));
}

TEST_CASE("doubling a price doubles its line and leaves the others") {
  const Cost before = self_hosted_cost(owned(), ten_hours());
  const auto doubled = [&](const SelfHosted& prices, const std::string& what) {
    const Cost after = self_hosted_cost(prices, ten_hours());
    for (const CostLine& l : before.lines) {
      const bool follows = l.what == what || (what == "servers" && l.what == "support");
      CHECK(line(after, l.what) == Approx(l.amount.base() * (follows ? 2 : 1)));
    }
    CHECK(after.total->base() == Approx(sum(after)));
  };
  SelfHosted prices = owned();
  prices.server_price = *prices.server_price * 2;
  doubled(prices, "servers");
  prices = owned();
  prices.network_price *= 2;
  doubled(prices, "network");
  prices = owned();
  prices.electricity *= 2;
  doubled(prices, "electricity");
  prices = owned();
  *prices.colocation *= 2;
  doubled(prices, "colocation");
  prices = owned();
  *prices.staff *= 2;
  doubled(prices, "staff");

  CloudCost cloud = rented();
  *cloud.price *= 2;
  CHECK(cloud_cost(cloud, ten_hours()).total->base() == Approx(2 * cloud_cost(rented(), ten_hours()).total->base()));
}

TEST_CASE("what has no price stays unpriced and is never 0") {
  SelfHosted prices = owned();
  prices.server_price.reset();
  const Cost owned_run = self_hosted_cost(prices, ten_hours());
  CHECK_FALSE(owned_run.total);
  CHECK_FALSE(owned_run.per_gpu);
  CHECK(owned_run.unpriced == std::vector<std::string>{"servers"});
  CHECK(line(owned_run, "servers") == -1);
  CHECK(line(owned_run, "electricity") > 0);
  CHECK_FALSE(annual_owned_cost(prices, ten_hours()));
  CHECK_FALSE(break_even_utilization(prices, ten_hours(), rented(), ten_hours()));
  CloudCost cloud = rented();
  cloud.price.reset();
  CHECK_FALSE(cloud_cost(cloud, ten_hours()).total);
  CHECK_FALSE(break_even_utilization(owned(), ten_hours(), cloud, ten_hours()));
}

TEST_CASE("a rented run is hours times instances times price") {
  const Cost cost = cloud_cost(rented(), ten_hours());
  CHECK(cost.total->base() == Approx(10 * 2 * 40));
  CHECK(*cost.per_gpu / dollars_per_hour(1) == Approx(40 / 8.0));
}

TEST_CASE("a year of runs costs what the year costs") {
  RunUse all_year = ten_hours();
  all_year.duration = hours(8760 * 0.6);
  CHECK(self_hosted_cost(owned(), all_year).total->base() == Approx(annual_owned_cost(owned(), ten_hours())->base()));
}

TEST_CASE("at the break-even utilization owning and renting cost the same") {
  const double annual = annual_owned_cost(owned(), ten_hours())->base();
  const double at = *break_even_utilization(owned(), ten_hours(), rented(), ten_hours());
  CHECK(at == Approx(annual / (8760 * 16 * 40 / 8.0)));
  // Used for that share of the year at the cloud's price, 16 GPUs cost the annual sum.
  CHECK(at * 8760 * 16 * 5 == Approx(annual));
  // Dearer cloud, lower break-even.
  CloudCost dear = rented();
  *dear.price *= 2;
  CHECK(*break_even_utilization(owned(), ten_hours(), dear, ten_hours()) == Approx(at / 2));
  // Instances that take half the time cost half the money for the same job.
  RunUse fast = ten_hours();
  fast.duration = hours(5);
  CHECK(*break_even_utilization(owned(), ten_hours(), rented(), fast) == Approx(at * 2));
}

TEST_CASE("energy is power, time and PUE; carbon follows the grid") {
  const Energy energy = facility_energy(ten_hours(), 1.4);
  CHECK(energy / kilowatt_hours(1) == Approx(2 * 7 * 10 * 1.4));
  // 400 g a kWh.
  CHECK(carbon(energy, CarbonIntensity::from_base(400 / 3.6e6)).base() == Approx(2 * 7 * 10 * 1.4 * 400));
}
