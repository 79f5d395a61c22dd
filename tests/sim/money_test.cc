// What a run costs, as the report says it: dates, ranges, currencies, interruptions, and what is not known.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

std::string shipped(const std::string& name) { return (scenarios() / (name + ".json")).string(); }

Report quick(const std::string& name, const std::vector<Override>& overrides, bool explain = false) {
  RunOptions options;
  options.overrides = overrides;
  options.what_if = false;
  options.explain_cost = explain;
  return run(shipped(name), options);
}

bool warned(const Report& report, const std::string& part) {
  const auto& warnings = report.cost->warnings;
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) { return has(w, part); });
}

const CostPart& part(const std::vector<CostPart>& parts, const std::string& what) {
  for (const CostPart& one : parts)
    if (one.what == what) return one;
  throw std::runtime_error("no line " + what);
}

// A table's text with the breaks of its lines taken out.
std::string flat(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' && (c != ' ' || out.empty() || out.back() != ' '))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

}  // namespace

TEST_CASE("an old price is flagged in the table, not only among the assumptions", "[money]") {
  // p4d: spot of 2023-11, 32 months before 2026-07.
  const Report report = quick("cloud-p4d", {{"/cost/cloud/pricing", "spot"}, {"/cost/date", "2026-07"}});
  CHECK(warned(report, "price of aws-p4d-24xlarge (8.1984 USD/h each, spot) is of 2023-11, 32 months before"));
  CHECK(has(flat(write(report, "table")),
            "! price of aws-p4d-24xlarge (8.1984 USD/h each, spot) is of 2023-11, 32 months"));
  CHECK(nlohmann::json::parse(write(report, "json"))["cost"]["warnings"].size() == report.cost->warnings.size());
  CHECK(quick("cloud-p4d", {{"/cost/date", "2026-07"}}).cost->warnings.empty());
  const Comparison both = compare({shipped("cloud-p4d"), shipped("cloud-p4d")},
                                  {{"/cost/cloud/pricing", "spot"}, {"/cost/date", "2026-07"}});
  CHECK(has(flat(write(both, "table")), "B: price of aws-p4d-24xlarge (8.1984 USD/h each, spot) is of 2023-11"));
}

TEST_CASE("a price without a date, and prices of several, are said", "[money]") {
  const Report report = quick(
      "4node-100g",
      {{"/cluster/node/gpu", "a100-sxm4-80gb"}, {"/cluster/node/gpus", "2"}, {"/cost", R"({"date": "2026-07"})"}});
  CHECK(warned(report, "price of sw-100g-32 (1 x 12000 USD): of when is not known"));
  CHECK(warned(report, "price of xe8545"));
  CHECK(warned(report, "prices of several dates: servers 2022, instances 2026-07-20"));
  CHECK(warned(report, "put together, not an offer"));  // other GPUs than the server was sold with
}

TEST_CASE("sources that differ give a range, from the price to the break-even", "[money]") {
  const Report report = quick("dgx-a100", {{"/cost", R"({"self_hosted": {"server_price": "250000..350000 USD",
      "electricity": "0.1..0.2 USD/kWh"}, "cloud": {"instance": "aws-p4de-24xlarge"}})"}});
  const double low = metric(report, "cost_self_hosted_low"), likely = metric(report, "cost_self_hosted"),
               high = metric(report, "cost_self_hosted_high");
  const double hours = metric(report, "time_to_train") / 3600, kwh = metric(report, "energy") / 3.6e6;
  const auto by_hand = [&](double price, double electricity) {
    return price * 0.7 / 3 * hours / (8760 * 0.6) + kwh * electricity;
  };
  CHECK(low == Approx(by_hand(250000, 0.1)));
  CHECK(likely == Approx(by_hand(300000, 0.15)));
  CHECK(high == Approx(by_hand(350000, 0.2)));
  CHECK(find_metric(report, "cost_cloud_low") == nullptr);  // one price
  CHECK(metric(report, "break_even_utilization_low") < metric(report, "break_even_utilization"));
  CHECK(metric(report, "break_even_utilization") < metric(report, "break_even_utilization_high"));
  CHECK(metric(report, "break_even_months_low") < metric(report, "break_even_months_high"));
  CHECK(part(report.cost->owned, "servers").low < part(report.cost->owned, "servers").high);
  CHECK(has(write(report, "table"), "from .. to"));
  // The catalog's own: CoreWeave's H100 is 17.84 to 49.24 USD/h, as one asks.
  const Report disputed = quick("dgx-a100", {{"/cluster/node/server", "dgx-h100"},
                                             {"/cost", R"({"cloud": {"instance": "coreweave-hgx-h100-8x"}})"}});
  CHECK(warned(disputed, "sources differ on the price of coreweave-hgx-h100-8x: 17.84 USD/h to 49.24 USD/h"));
  CHECK(metric(disputed, "cost_cloud_high") / metric(disputed, "cost_cloud_low") == Approx(49.24 / 17.84));
  // It is not what one is offered unasked.
  const Report unasked = quick("dgx-a100", {{"/cluster/node/server", "dgx-h100"}, {"/cost", "{}"}});
  CHECK_FALSE(has(notes(unasked, "cloud"), "coreweave"));
}

TEST_CASE("rented GPUs that do less than the owned ones come with the reason", "[money]") {
  // p3.16xlarge: 25 Gbit/s for eight V100, against DGX A100 with 200 Gbit/s a GPU.
  const Report report = quick("dgx-a100", {{"/cluster/nodes", "4"},
                                           {"/job/model", "bert-large"},
                                           {"/job/target", R"({"steps": 100})"},
                                           {"/job/batch_per_gpu", "8"},
                                           {"/cost", R"({"cloud": {"instance": "aws-p3-16xlarge"}})"}});
  CHECK(has(notes(report, "cloud"), "limited by fabric"));
  const Report alike = quick("dgx-a100", {{"/cost", R"({"cloud": {"instance": "aws-p4de-24xlarge"}})"}});
  CHECK_FALSE(has(notes(alike, "cloud"), "limited by"));
}

TEST_CASE("interruptions of spot instances: time, money, and what would help", "[money]") {
  const std::vector<Override> often = {{"/cost/cloud", R"({"instance": "aws-p4d-24xlarge", "pricing": "spot",
                          "spot": {"interruptions": "0.05 per h", "restart": "15 min"}})"}};
  const Report report = quick("cloud-p4d", often);
  // Two instances, each taken back every 20 h, 15 min to start again; no checkpoints, so the run begins anew.
  const double work = metric(report, "time_to_train") / 3600, mtbf = 10;
  const double begun_anew = std::exp(work / mtbf) - 1, wall = (mtbf + 0.25) * begun_anew;
  CHECK(metric(report, "time_to_train_cloud") / 3600 == Approx(wall));
  CHECK(metric(report, "spot_interruptions") == Approx(begun_anew));
  CHECK(metric(report, "spot_lost_time") / 3600 == Approx(wall - work));
  CHECK(metric(report, "cost_cloud") == Approx(wall * 2 * 8.1984));
  CHECK(has(notes(report, "spot"), "there are no checkpoints"));
  CHECK(has(notes(report, "spot"), "Daly's optimum"));
  // Checkpoints make it cheaper: stretches of 0.1 h, and what is left.
  std::vector<Override> saved = often;
  saved.emplace_back("/job/checkpoint", R"({"every": "6 min"})");
  const Report better = quick("cloud-p4d", saved);
  const double saved_work = metric(better, "time_to_train") / 3600;
  const double whole = std::floor(saved_work / 0.1), left = saved_work - whole * 0.1;
  CHECK(metric(better, "time_to_train_cloud") / 3600 ==
        Approx((mtbf + 0.25) * (whole * (std::exp(0.1 / mtbf) - 1) + std::exp(left / mtbf) - 1)));
  CHECK(metric(better, "cost_cloud") < metric(report, "cost_cloud"));
}

TEST_CASE("the rate of interruptions is the catalog's for the family, a range", "[money]") {
  // p4d: 5 to 10 % taken back in a month; lambda = -ln(1 - p) / 730 h, 2 instances.
  const Report report =
      quick("cloud-p4d", {{"/cost/cloud/pricing", "spot"}, {"/job/checkpoint", R"({"every": "30 min"})"}});
  const double work = metric(report, "time_to_train") / 3600, lost = 0.25 + 1.0 / 6;
  const auto cost = [&](double rate) { return work / (1 - lost * 2 * rate) * 2 * 8.1984; };
  const double low = -std::log(0.95) / 730, high = -std::log(0.9) / 730;
  CHECK(metric(report, "cost_cloud_low") == Approx(cost(low)));
  CHECK(metric(report, "cost_cloud") == Approx(cost((low + high) / 2)));
  CHECK(metric(report, "cost_cloud_high") == Approx(cost(high)));
  // Of an instance whose rate nobody published the cost is unknown, not lower.
  const Report unknown =
      quick("cloud-p4d", {{"/cost/cloud", R"({"instance": "azure-nd96asr-v4", "pricing": "spot"})"}});
  CHECK(find_metric(unknown, "cost_cloud") == nullptr);
  CHECK(has(write(unknown, "table"), "no price is known for interruptions"));
  CHECK(warned(unknown, "the time in the cloud is that without interruptions"));
}

TEST_CASE("reserved hours are counted as the scenario says, or with a warning", "[money]") {
  const std::vector<Override> reserved = {{"/cost/cloud/pricing", "reserved-1y"}};
  const Report full = quick("cloud-p4d", reserved);
  CHECK(warned(full, "reserved hours are paid for when idle too"));
  std::vector<Override> half = reserved;
  half.emplace_back("/cost/cloud/utilization", "0.5");
  CHECK(metric(quick("cloud-p4d", half), "cost_cloud") == Approx(2 * metric(full, "cost_cloud")));
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/cloud/utilization", "0.5"}}), InputError);
}

TEST_CASE("data in the cloud: the data set by the month, results once", "[money]") {
  const Report report =
      quick("cloud-p4d", {{"/cost/cloud/storage", "{}"}, {"/cost/cloud/egress", R"({"size": "20 GB"})"}});
  const double hours = metric(report, "time_to_train") / 3600;
  const CostPart& stored = part(report.cost->rented, "storage");
  // ImageNet in records, at the price of S3.
  const Dataset data = read_scenario(shipped("cloud-p4d"), {}).job.data.dataset;
  CHECK(stored.amount == Approx(data.record_bytes.base() * data.samples / 1e9 * 0.023 * hours / 730));
  CHECK(has(stored.source, "price/aws-s3-standard"));
  CHECK(part(report.cost->rented, "egress").amount == Approx(20 * 0.09));
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/cloud/egress", "{}"}}), InputError);  // how much?
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/cloud/storage", R"({"service": "aws-internet-egress-first-10-tb"})"}}),
                  InputError);
  // A provider whose services the catalog does not know: unknown, not free.
  const Report unknown = quick("dgx-a100", {{"/cost", R"({"cloud": {"instance": "runpod-secure-8x-h100",
      "egress": {"size": "20 GB"}}})"}});
  CHECK(find_metric(unknown, "cost_cloud") == nullptr);
  CHECK(unknown.cost->unpriced == std::vector<std::string>{"egress from the cloud"});
}

TEST_CASE("any currency, at a rate of its own and of a date", "[money]") {
  const std::vector<Override> pounds = {{"/cost/exchange", R"({"date": "2026-06", "GBP": "1.25 USD"})"},
                                        {"/cost/currency", "GBP"}};
  const Report report = quick("cloud-p4d", pounds);
  CHECK(find_metric(report, "cost_cloud")->unit == "GBP");
  CHECK(metric(report, "cost_cloud") == Approx(metric(quick("cloud-p4d", {}), "cost_cloud") / 1.25));
  CHECK(warned(report, "prices of several dates: rate of GBP 2026-06, instances 2026-07-20"));
  // The catalog's rates are of 2024-2025.
  const Report euros = quick("cloud-p4d", {{"/cost/currency", "EUR"}, {"/cost/date", "2026-07"}});
  CHECK(warned(euros, "rate of EUR (1.08 USD) is of 2024-2025, 13 months before"));
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/currency", "GBP"}}), InputError);
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/exchange", R"({"GBP": "1.25 USD"})"}}), InputError);  // of when?
  CHECK_THROWS_AS(quick("cloud-p4d", {{"/cost/exchange", R"({"date": "2026", "GBP": "0 USD"})"}}), InputError);
}

TEST_CASE("a switch without a price leaves owning unpriced", "[money]") {
  const Report report = quick("4node-100g", {{"/cost", R"({"self_hosted": {"server_price": "95000 USD"}})"},
                                             {"/cluster/fabric/switch", R"({"base": "sw-100g-32"})"}});
  CHECK(find_metric(report, "cost_self_hosted") != nullptr);
  Scenario scenario = read_scenario(shipped("4node-100g"), {});
  scenario.cost->self_hosted->unpriced = {"the switch"};
  RunOptions options;
  options.what_if = false;
  const Report unknown = run(scenario, options);
  CHECK(find_metric(unknown, "cost_self_hosted") == nullptr);
  CHECK(find_metric(unknown, "break_even_utilization") == nullptr);
  CHECK(has(write(unknown, "table"), "no price is known for the switch: not priced"));
}

TEST_CASE("a server as the sum of its parts, or unpriced where one of them is", "[money]") {
  const std::string cost =
      R"({"self_hosted": {"network_price": "0 USD", "parts": {"gpu": "1800 USD", "cpu": "1200..1400 USD",
      "memory": "4 USD/GB", "storage": "300 USD"REST}}})";
  const auto with = [&](const std::string& rest) {
    std::string text = cost;
    text.replace(text.find("REST"), 4, rest);
    return quick("8x4090-sata", {{"/cluster/node/memory", "512 GB"}, {"/cost", text}});
  };
  const Report report = with(R"(, "rest": "2500 USD", "nic": "900 USD")");
  const NodeSpec node = read_scenario(shipped("8x4090-sata"), {}).cluster.groups.front().node;
  const double nics = node.server_id.empty() || !node.nic ? 0 : 900.0 * node.nics;
  const double likely = 8 * 1800.0 + node.sockets * 1300.0 + 512 * 4 + 300 + 2500 + nics;
  const double hours = metric(report, "time_to_train") / 3600, share = 0.7 / 3 * hours / (8760 * 0.6);
  const CostPart& servers = part(report.cost->owned, "servers");
  CHECK(servers.amount == Approx(likely * share));
  CHECK(servers.high - servers.low == Approx(node.sockets * 200.0 * share));
  const Report unknown = with("");
  CHECK(find_metric(unknown, "cost_self_hosted") == nullptr);
  CHECK(has(write(unknown, "table"), "no price is known for the rest of a server"));
}

TEST_CASE("--explain-cost: every line with formula, inputs, dates and source", "[money]") {
  const Report report = quick("4node-100g",
                              {{"/cost/self_hosted/spares", "0.05"},
                               {"/cost/self_hosted/racks", "8000 USD"},
                               {"/cost/self_hosted/colocation", "180 USD/kW-month"},
                               {"/cost/self_hosted/support", "0.05"},
                               {"/cost/self_hosted/staff", "20000 USD/year"},
                               {"/cost/cloud/storage", R"({"size": "200 GB"})"},
                               {"/cost/cloud/egress", R"({"size": "20 GB"})"}},
                              true);
  const std::string own = notes(report, "self-hosted"), cloud = notes(report, "cloud");
  for (const char* line : {"servers", "spares", "support", "network", "racks", "colocation", "staff", "electricity"})
    CHECK(has("\n" + own, "\n" + std::string(line) + ": "));
  for (const char* line : {"instances", "storage", "egress"}) CHECK(has("\n" + cloud, "\n" + std::string(line) + ": "));
  CHECK(has(own, "= 95000 USD x 4 x (1 - 0.3) / 3 years"));
  CHECK(has(own, "95000 USD each, scenario, taken as of 2026-07-20"));
  CHECK(has(cloud, "21.9576 USD/h each, on-demand, catalog, cloud/aws-p4d-24xlarge, of 2026-07-20"));
  CHECK(has(cloud, "0.023 USD/GB-month, catalog, price/aws-s3-standard, of 2026-04"));
  double sum = 0;
  for (const CostPart& one : report.cost->owned) sum += one.amount;
  CHECK(sum == Approx(metric(report, "cost_self_hosted")));
}

TEST_CASE("compare: the break-even of a run and of the pair are one number, and follow by hand", "[money]") {
  const Comparison comparison = compare({shipped("4node-100g"), shipped("cloud-4x-p4d")}, {});
  const Report& own = comparison.runs[0].report;
  REQUIRE(comparison.break_evens.size() == 2);
  CHECK(*comparison.break_evens[0].utilization == Approx(metric(own, "break_even_utilization")));
  // 4 x 95,000 + 20,000 USD lose 0.7 in three years; an hour of the job costs n x 21.957642 USD/h x (time there / time
  // here) to rent and its energy to power.
  const double idle_year = 400000 * 0.7 / 3;
  const double hours = metric(own, "time_to_train") / 3600;
  const double power = metric(own, "energy") / 3.6e6 * 0.12 / hours;
  for (const OwnOrRent& pair : comparison.break_evens) {
    const Report& other = comparison.runs[pair.rented].report;
    const int instances = pair.rented == 0 ? 2 : 4;  // 16 GPUs, and the 32 of the other
    const double rent = instances * 21.957642 * metric(other, "time_to_train_cloud") / metric(own, "time_to_train");
    CHECK(*pair.utilization == Approx(idle_year / (8760 * (rent - power))));
  }
}
