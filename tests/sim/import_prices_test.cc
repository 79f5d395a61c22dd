// Price lists of users and of AWS, and scenarios that name them.
#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/read/price_book.h"
#include "tests/sim/acceptance.h"
#include "tests/sim/import_files.h"

using namespace clustersim;
using namespace clustersim::acceptance;
using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

namespace {

using Json = nlohmann::json;

Json prices_of(const Imported& imported) {
  const Json document = Json::parse(imported.document);
  REQUIRE(document["clustersim_prices"] == 1);
  return document["prices"];
}

// The price of a thing on a term in a region, "" where there is none.
std::string price(const Json& prices, const std::string& name, const std::string& term = "",
                  const std::string& region = "") {
  for (const Json& one : prices)
    if (one["name"] == name && one.value("term", "") == term && one.value("region", "") == region) return one["price"];
  return "";
}

std::vector<Problem> faults(const std::string& text) {
  const ScratchFile file(text);
  try {
    import_files("prices", {file.path()});
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

Report priced(const std::string& prices, std::vector<Override> more = {}) {
  more.emplace_back("/cost/prices", prices);
  RunOptions options;
  options.overrides = more;
  options.what_if = false;
  return run((scenarios() / "4node-100g.json").string(), options);
}

const char* const offer_file = "aws_offer.json";

}  // namespace

TEST_CASE("a list of one's own: units, ranges, quotes, and what is not told", "[prices]") {
  const Imported imported = import_files("prices", {example("prices.csv")});
  CHECK(imported.format == "a price list (CSV)");
  const Json prices = prices_of(imported);
  CHECK(prices.size() == 6);
  CHECK(price(prices, "xe8545") == "90000..110000 USD");
  CHECK(price(prices, "p4d.24xlarge", "", "us-east-1") == "21.957642 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "", "eu-west-1") == "25.5 USD/h");
  CHECK(price(prices, "electricity") == "0.21 EUR/kWh");
  CHECK(price(prices, "colocation") == "180 USD/kW-month");
  CHECK(price(prices, "p5.48xlarge").empty());
  CHECK(says(imported.unknown, "line 8: the price of \"p5.48xlarge\", which is left out"));
  CHECK(says(imported.unknown, "line 9: of when the price of \"storage\" is"));
  CHECK(says(imported.unknown, "/cost/prices_region"));
  CHECK(says(imported.warnings, "columns that are not read: \"remark\""));
}

TEST_CASE("every fault of a list at once, with its line", "[prices]") {
  const std::vector<Problem> found = faults(
      "name,price,currency,unit,date,source\n"
      "xe8545,\"95,000\",USD,each,2026-10,dealer\n"  // 2: thousands
      "p4d.24xlarge,21.9,dollars,h,2026-10,x\n"      // 3: currency
      "p5.48xlarge,55,USD,fortnight,2026-10,x\n"     // 4: unit
      "dgx-h100,310000,USD,each,last summer,x\n"     // 5: date
      "dgx-a100-40gb,199000,USD,each,2026-10\n"      // 6: a cell is missing
      ",1,USD,each,2026-10,x\n"                      // 7: no name
      "sw-100g-32,-5,USD,each,2026-10,x\n"           // 8: negative
      "eth-100g,1000..900,USD,each,2026-10,x\n"      // 9: the wrong way round
      "ib-hdr,\"1300,USD,each,2026-10,x\n"           // 10: a quote that stays open
      "sw-10g-48,nan,USD,each,2026-10,x\n");         // 11
  std::vector<std::string> lines;
  for (const Problem& problem : found) lines.push_back(problem.pointer);
  CHECK(lines == std::vector<std::string>{"line 2", "line 3", "line 4", "line 5", "line 6", "line 7", "line 8",
                                          "line 9", "line 10", "line 11"});
  // Days that the calendar does not have.
  for (const char* date : {"2026-02-30", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"})
    CHECK(faults("name,price,currency,date\nxe8545,95000,USD," + std::string(date) + "\n")
              .front()
              .expected.find("a date") != std::string::npos);
  CHECK(months_of("2024-02-29") == 12 * 2024 + 2);
  CHECK(faults("price,unit\n95,each\n").front().expected == "a column \"name\"");
  CHECK(faults("hello\nworld\n").size() == 1);
  CHECK(faults("name,price,currency\n").front().got == "none");
  // Dollars an hour in the header, and a price with its unit in one cell.
  const ScratchFile short_list("instance,usd_per_hour,term\np4d.24xlarge,8.2,spot\n"),
      one_cell("name,price\nxe8545,95000 USD\n");
  CHECK(price(prices_of(import_files("prices", {short_list.path()})), "p4d.24xlarge", "spot") == "8.2 USD/h");
  CHECK(price(prices_of(import_files("prices", {one_cell.path()})), "xe8545") == "95000 USD");
}

TEST_CASE("AWS's offer file: Linux on shared hosts, no zeros, reserved by the hour", "[prices]") {
  const Imported imported = import_files("prices", {example(offer_file)});
  CHECK(imported.format == "AWS offer file");
  const Json prices = prices_of(imported);
  CHECK(price(prices, "p4d.24xlarge", "on-demand", "us-east-1") == "21.957642 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "on-demand", "eu-west-1") == "25.5 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "reserved-1y", "us-east-1") == "13.52 USD/h");  // without payment in advance
  // 3.875 an hour and 101,835 in advance for 3 x 8760 h: 7.75.
  CHECK(price(prices, "p4d.24xlarge", "reserved-3y", "us-east-1") == "7.75 USD/h");
  CHECK(prices.size() == 4);  // no Windows, no dedicated host, no reservation at 0, no p5 at 0, no m5
  CHECK(prices[0]["date"] == "2026-07-01");
  CHECK(says(imported.warnings, "1 offers without a price, or of 0"));
  CHECK(says(imported.warnings, "1 instances without a GPU"));
  CHECK(says(imported.warnings, "3 products with other systems"));
  CHECK(says(imported.unknown, "spot prices"));
}

TEST_CASE("terms before the products, and a file that breaks off", "[prices]") {
  Json document = Json::parse(std::ifstream(example(offer_file)));
  const Json terms = document["terms"], products = document["products"];
  const ScratchFile turned("{\"offerCode\": \"AmazonEC2\", \"terms\": " + terms.dump() +
                           ", \"products\": " + products.dump() + "}");
  CHECK(prices_of(import_files("prices", {turned.path()})) == prices_of(import_files("prices", {example(offer_file)})));
  const std::string whole = "{\"products\": " + products.dump() + ", \"terms\": " + terms.dump() + "}";
  const ScratchFile cut(whole.substr(0, whole.find("\"Reserved\"")));
  const Imported half = import_files("prices", {cut.path()});
  CHECK(says(half.warnings, "breaks off"));
  CHECK(prices_of(half).size() == 2);
}

TEST_CASE("what aws pricing get-products prints", "[prices]") {
  const Imported imported = import_files("prices", {example("aws_products.json")});
  CHECK(imported.format == "AWS price list (aws pricing get-products)");
  const Json prices = prices_of(imported);
  CHECK(price(prices, "p4d.24xlarge", "on-demand", "us-east-1") == "21.957642 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "reserved-1y", "us-east-1") == "13.52 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "on-demand", "eu-west-1") == "25.5 USD/h");
  CHECK(says(imported.warnings, "1 of 4 products cannot be read"));
}

TEST_CASE("names that the catalog does not have are told with what is near, and nothing else", "[prices]") {
  const ScratchFile list(
      "name,price,currency,unit,date\nxe8545,95000,USD,each,2026-11\nxe8454,95000,USD,each,2026-11\n"
      "p4d.24xlarge,21.9,USD,h,2026-11\nmy own thing,3,USD,each,2026-11\nelectricity,0.1,EUR,kWh,2026-11\n");
  const Imported imported = import_files("prices", {list.path()});
  CHECK(says(imported.warnings, "nothing in the catalog is called \"xe8454\"; did you mean \"xe8545\"?"));
  CHECK(
      says(imported.warnings, "nothing in the catalog is called \"my own thing\", so no scenario leans on its price"));
  CHECK(imported.warnings.size() == 2);
  CHECK(prices_of(imported).size() == 5);  // kept: another catalog may have it
}

TEST_CASE("of lines that price one thing twice the newest counts, of equally old ones the last", "[prices]") {
  const ScratchFile list(
      "name,price,currency,unit,date,region\nxe8545,95000,USD,each,2026-11,\nxe8545,99000,USD,each,2026-03,\n"
      "p4d.24xlarge,21.9,USD,h,2026-10,us-east-1\naws-p4d-24xlarge,22.9,USD,h,2026-10,us-east-1\n"
      "p4d.24xlarge,25.5,USD,h,2026-10,eu-west-1\n");
  const Imported imported = import_files("prices", {list.path()});
  const Json prices = prices_of(imported);
  CHECK(prices.size() == 3);
  CHECK(price(prices, "xe8545") == "95000 USD");
  CHECK(price(prices, "aws-p4d-24xlarge", "", "us-east-1") == "22.9 USD/h");
  CHECK(price(prices, "p4d.24xlarge", "", "eu-west-1") == "25.5 USD/h");
  CHECK(says(imported.warnings, "\"xe8545\" stands 2 times (line 2 of "));
  CHECK(says(imported.warnings, ": the newest counts, 95000 USD, line 2 of"));
  CHECK(says(imported.warnings, ": the last counts, 22.9 USD/h, line 5 of"));
}

TEST_CASE("item 126: Karpenter's Go map of prices, by region; a CSV of AWS that is metadata alone", "[prices]") {
  const ScratchFile map(
      "package pricing\n\n// generated at 2026-01-19T13:23:24Z for us-east-1\n\nvar InitialOnDemandPricesAWS = "
      "map[string]map[ec2types.InstanceType]float64{\n\t// us-east-1\n\t\"us-east-1\": {\n\t\t// m5 family\n"
      "\t\t\"m5.large\": 0.096000, \"m5.xlarge\": 0.192000,\n\t\t\"p3.16xlarge\": 24.480000, \"p4d.24xlarge\": "
      "21.957642,\n"
      "\t\t\"p5.48xlarge\": 55.040000,\n\t},\n\t\"cn-north-1\": {\n\t\t\"p3.16xlarge\": 0.000000, \"g4dn.xlarge\": "
      "3.7,\n\t},\n}\n");
  const Imported imported = import_files("prices", {map.path()});
  const Json prices = prices_of(imported);
  CHECK(prices.size() == 4);
  CHECK(price(prices, "p4d.24xlarge", "on-demand", "us-east-1") == "21.957642 USD/h");
  CHECK(price(prices, "p5.48xlarge", "on-demand", "us-east-1") == "55.040000 USD/h");
  CHECK(price(prices, "p3.16xlarge", "on-demand", "us-east-1") == "24.480000 USD/h");
  CHECK(price(prices, "g4dn.xlarge", "on-demand", "cn-north-1") == "3.7 CNY/h");
  CHECK(prices[0]["date"] == "2026-01-19");
  CHECK(says(imported.warnings, "2 instances without a GPU"));
  CHECK(says(imported.warnings, "1 prices that are none"));
  CHECK(fault_of([] {
          import_files("prices", {ScratchFile("\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"x\"\n").path()});
        }).hint == "no line of column names, \"SKU\" the first");
}

TEST_CASE("hostile lists end in a fault or a warning", "[prices]") {
  const std::string deep = "{\"products\": {\"A\": " + std::string(100000, '[');
  CHECK(fault_of([&] { import_files("prices", {ScratchFile(deep).path()}); }).hint.find("levels") != std::string::npos);
  const std::string long_text =
      "{\"products\": {\"A\": {\"attributes\": {\"instanceType\": \"" + std::string(3 << 20, 'x');
  CHECK(fault_of([&] { import_files("prices", {ScratchFile(long_text).path()}); }).hint.find("megabyte") !=
        std::string::npos);
  std::string wide = "{\"products\": {\"A\": {";
  for (int i = 0; i < 60000; ++i) wide += "\"k" + std::to_string(i) + "\": \"v\", ";
  CHECK(fault_of([&] { import_files("prices", {ScratchFile(wide).path()}); }).hint.find("values") != std::string::npos);
  CHECK(faults("{\"PriceList\": 3}").size() == 1);
  CHECK(faults("{\"a\": 1}").size() == 1);
  // Pieces of a sound file in any order: an answer or an InputError.
  std::ifstream file(example(offer_file));
  std::stringstream text;
  text << file.rdbuf();
  const std::string sound = text.str();
  std::uint64_t state = 5;
  for (int i = 0; i < 300; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string damaged = sound;
    const std::size_t at = static_cast<std::size_t>(state >> 33) % damaged.size();
    if (i % 3 == 0) damaged.resize(at);
    if (i % 3 == 1) damaged[at] = static_cast<char>(state >> 20);
    if (i % 3 == 2) damaged.insert(at, damaged.substr(damaged.size() - at % 500));
    faults(damaged);
  }
}

TEST_CASE("a scenario leans on the list before the catalog", "[prices]") {
  const Imported list = import_files("prices", {example("prices.csv")});
  const ScratchFile file(list.document);
  const std::vector<Override> region = {{"/cost/prices_region", "us-east-1"},
                                        {"/cost/self_hosted", "{}"},
                                        {"/cost/self_hosted/network_price", "20000 USD"}};
  const Report report = priced(file.path(), region);
  const CostPart& servers = report.cost->owned[0];
  CHECK(servers.high / servers.low == Approx(110.0 / 90));
  CHECK(has(servers.source, "90000..110000 USD, price list: offer of a dealer, of 2026-11"));
  CHECK(has(report.cost->rented[0].formula, "2 x 21.957642 USD/h"));
  CHECK(has(report.cost->rented[0].source, "price list: aws.amazon.com, of 2026-07-20"));
  CHECK(has(report.cost->owned.back().formula, std::to_string(0.21 * 1.08).substr(0, 6)));  // EUR 0.21
  // Two regions and none named: which?
  CHECK_THROWS_AS(priced(file.path()), InputError);
  const Report dearer = priced(file.path(), {{"/cost/prices_region", "eu-west-1"}});
  CHECK(metric(dearer, "cost_cloud") / metric(report, "cost_cloud") == Approx(25.5 / 21.957642));
  // In place, and faulty.
  const std::string in_place = R"({"clustersim_prices": 1, "prices": [{"name": "p4d.24xlarge", "price": "10 USD/h"}]})";
  CHECK(metric(priced(in_place), "cost_cloud") / metric(report, "cost_cloud") == Approx(10 / 21.957642));
  const Report undated = priced(in_place);
  CHECK(std::any_of(undated.cost->warnings.begin(), undated.cost->warnings.end(), [](const std::string& w) {
    return has(w, "price of p4d.24xlarge (10 USD/h): of when is not known");
  }));
  for (const char* bad : {R"({"clustersim_prices": 1, "prices": [{"name": "p4d.24xlarge", "price": "10 USD"}]})",
                          R"({"clustersim_prices": 1, "prices": [{"name": "p4d.24xlarge", "price": "10 XXX/h"}]})",
                          R"({"clustersim_prices": 2, "prices": []})", "\"no-such-file.json\"", "17"})
    CHECK_THROWS_AS(priced(bad), InputError);
}
