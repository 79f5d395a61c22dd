// Scenarios side by side: what is best, and why they differ.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/write/readable.h"
#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

std::string shipped(const std::string& name) { return (scenarios() / (name + ".json")).string(); }

bool remarked(const Comparison& comparison, const std::string& part) {
  return std::any_of(comparison.remarks.begin(), comparison.remarks.end(),
                     [&](const std::string& remark) { return has(remark, part); });
}

const Offer& offer(const Comparison& comparison, std::size_t run, bool rented) {
  for (const Offer& o : comparison.offers)
    if (o.run == run && o.rented == rented) return o;
  throw std::runtime_error("no such offer");
}

}  // namespace

TEST_CASE("each run is the run alone", "[compare]") {
  const Comparison comparison = compare({shipped("4node-100g"), shipped("4node-10g")}, {});
  REQUIRE(comparison.runs.size() == 2);
  const Report alone = run(shipped("4node-10g"), {});
  for (const Metric& m : alone.metrics) CHECK(metric(comparison.runs[1].report, m.name) == m.value);
}

TEST_CASE("the slower network is named, with what it takes of the step", "[compare]") {
  const Comparison comparison = compare({shipped("4node-100g"), shipped("4node-10g")}, {});
  CHECK(comparison.fastest == 0);
  const Report& slow = comparison.runs[1].report;
  const int share =
      static_cast<int>(std::lround(100 * metric(slow, "exposed_communication_time") / metric(slow, "step_time")));
  const std::string text = comparison.runs[1].difference;
  INFO(text);
  CHECK(has(text, "B loses " + std::to_string(share) + " % of its step to exposed communication on node0.nic0"));
  CHECK(comparison.runs[0].difference.empty());
  CHECK(comparison.remarks.empty());
  // Seen from the other side it is what A is spared.
  CHECK(has(compare({shipped("4node-10g"), shipped("4node-100g")}, {}).runs[1].difference, "times as fast as A"));
}

TEST_CASE("the same scenario twice differs in nothing", "[compare]") {
  const Comparison comparison = compare({shipped("dgx-a100"), shipped("dgx-a100")}, {});
  CHECK(has(comparison.runs[1].difference, "B is as fast as A"));
  CHECK(has(comparison.runs[1].difference, "a sample takes the same time"));
}

TEST_CASE("the use from which owning pays: at that use both cost the same", "[compare]") {
  const std::vector<std::string> files = {shipped("4node-100g"), shipped("cloud-4x-p4d")};
  const Comparison comparison = compare(files, {});
  CHECK(comparison.remarks.empty());  // the same samples a step: 16 x 128 = 32 x 64
  for (const OwnOrRent& pair : comparison.break_evens) {
    REQUIRE(pair.utilization);
    // Run again at that use. Owned cost = hours of work * (fixed a year / (8760 h * use)) + electricity.
    const Report at = run(files[pair.owned],
                          {{{"/cost/self_hosted/utilization", std::to_string(*pair.utilization)}}, {}, false, false});
    CHECK(metric(at, "cost_self_hosted") == Approx(offer(comparison, pair.rented, true).cost).epsilon(1e-4));
  }
  CHECK(comparison.break_evens.size() == 2);
  // By hand: servers and network lose 0.7 of their price in 3 years, 0.6 of 8760 h a year they work.
  const Report& own = comparison.runs[0].report;
  const double hours = metric(own, "time_to_train") / 3600;
  const double fixed = (4 * 95000.0 + 20000) * 0.7 / 3 * hours / (8760 * 0.6);
  const double electricity = metric(own, "energy") / 3.6e6 * 0.12;
  CHECK(metric(own, "cost_self_hosted") == Approx(fixed + electricity).epsilon(1e-6));
  const double rented = metric(comparison.runs[1].report, "cost_cloud");
  CHECK(*comparison.break_evens[1].utilization == Approx(0.6 * fixed / (rented - electricity)).epsilon(1e-6));
}

TEST_CASE("an offer is on the front if nothing is as fast and as cheap", "[compare]") {
  const Comparison comparison = compare({shipped("4node-100g"), shipped("4node-10g"), shipped("cloud-4x-p4d")}, {});
  REQUIRE(comparison.offers.size() == 5);  // two owned, three rented
  CHECK(comparison.cheapest_self_hosted == 0u);
  CHECK(comparison.fastest == 2);
  int on_front = 0;
  for (const Offer& one : comparison.offers) {
    bool beaten = false;
    for (const Offer& other : comparison.offers)
      beaten = beaten || (other.time_s < one.time_s && other.cost_usd <= one.cost_usd) ||
               (other.time_s <= one.time_s && other.cost_usd < one.cost_usd);
    CHECK(one.on_front == !beaten);
    on_front += one.on_front;
  }
  CHECK(on_front >= 1);
  CHECK(!offer(comparison, 1, false).on_front);  // the slow network costs more than it saves
  // What is rented for a cluster has a time of its own; the cluster that is rented has its own.
  CHECK(offer(comparison, 0, true).time_s != metric(comparison.runs[0].report, "time_to_train"));
  CHECK(offer(comparison, 2, true).time_s == metric(comparison.runs[2].report, "time_to_train"));
}

TEST_CASE("another model or target is compared, and said", "[compare]") {
  const Comparison models = compare({shipped("4node-100g"), shipped("cloud-p4d")}, {});
  CHECK(remarked(models, "B is another job than A"));
  CHECK(has(models.runs[1].difference, "another model"));
  const Comparison targets = compare({shipped("dgx-a100"), shipped("desktop-2x3090")}, {});
  CHECK(remarked(targets, "B has another target than A"));
}

TEST_CASE("what has no price stays unpriced and is said", "[compare]") {
  // A node put together from parts has no price of a whole server.
  const std::string parts = R"({"gpu": "rtx-4090", "gpus": 4, "gpu_fabric": "pcie"})";
  const Comparison comparison =
      compare({shipped("8x4090-sata"), shipped("8x4090-sata")},
              {{"/cluster/node", parts}, {"/cost", R"({"self_hosted": {"network_price": "0 USD"}})"}});
  CHECK(comparison.offers.empty());
  CHECK(!comparison.cheapest_self_hosted);
  CHECK(comparison.runs[0].unpriced == std::vector<std::string>{"cost_self_hosted"});
  CHECK(find_metric(comparison.runs[0].report, "cost_self_hosted") == nullptr);
  CHECK(remarked(comparison, "A has no cost_self_hosted"));
  CHECK(has(write(comparison, "table"), "unpriced"));
}

TEST_CASE("the faults of all files come together, a file's once", "[compare]") {
  const std::string bad = std::string(CLUSTERSIM_SOURCE_DIR) + "/tests/bad/";
  const auto count = [&](const std::vector<std::string>& paths) {
    try {
      compare(paths, {});
    } catch (const InputError& error) {
      return error.problems().size();
    }
    return std::size_t{0};
  };
  const std::size_t empty = count({bad + "empty.json"}), five = count({bad + "five_faults.json"});
  CHECK(five == 5);
  CHECK(count({bad + "empty.json", shipped("dgx-a100"), bad + "five_faults.json", bad + "five_faults.json"}) ==
        empty + five);
}

TEST_CASE("the formats", "[compare]") {
  const Comparison comparison = compare({shipped("4node-100g"), shipped("4node-10g"), shipped("desktop-2x3090"),
                                         shipped("cloud-p4d"), shipped("dgx-a100")},
                                        {});
  const std::string table = write(comparison, "table");
  std::size_t begin = 0;
  for (std::size_t end; (end = table.find('\n', begin)) != std::string::npos; begin = end + 1) {
    INFO(table.substr(begin, end - begin));
    CHECK(end - begin <= 100);
  }
  const auto json = nlohmann::json::parse(write(comparison, "json"));
  CHECK(json["runs"].size() == 5);
  CHECK(json["runs"][1]["metrics"]["step_time"]["value"] == metric(comparison.runs[1].report, "step_time"));
  CHECK(json["runs"][1]["difference"] == comparison.runs[1].difference);
  CHECK(json["offers"].size() == comparison.offers.size());
  const std::string csv = write(comparison, "csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 6);
  CHECK(has(csv, "letter,scenario,step_time_s,"));
  CHECK_THROWS_AS(write(comparison, "xml"), InputError);
}

TEST_CASE("own or rent over the years: the month of the crossing, by hand from the prices of the report") {
  RunOptions options;
  options.what_if = false;
  const Report report = run(CLUSTERSIM_SOURCE_DIR "/scenarios/4node-100g.json", options);
  REQUIRE(report.cost);
  REQUIRE(report.cost->own_or_rent);
  const OwnOrRentPrices& p = *report.cost->own_or_rent;
  // purchase + m (fixed / 12 + hours electricity) = m hours rent, with 730 hours a month times the use.
  const double hours = 730 * p.utilization;
  const double month = p.purchase / (hours * (p.rented_per_hour - p.electricity_per_hour) - p.fixed_per_year / 12);
  const auto note =
      std::find_if(report.notes.begin(), report.notes.end(), [](const Note& n) { return n.topic == "own or rent"; });
  REQUIRE(note != report.notes.end());
  CHECK(note->text.find("paid for after " + rounded(month) + " months") != std::string::npos);
}
