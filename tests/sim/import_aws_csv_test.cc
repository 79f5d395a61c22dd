// AWS's offer file as CSV: a few lines of our own in its shape.
#include <nlohmann/json.hpp>

#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::says;
using imports::ScratchFile;

const std::string metadata =
    "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"For information only, see http://aws.amazon.com.\"\n"
    "\"Publication Date\",\"2026-07-17T18:55:15Z\"\n\"Version\",\"20260717185515\"\n"
    "\"OfferCode\",\"AmazonEC2\"\n";
const std::string header =
    "\"SKU\",\"OfferTermCode\",\"RateCode\",\"TermType\",\"PriceDescription\",\"EffectiveDate\",\"Unit\","
    "\"PricePerUnit\",\"Currency\",\"LeaseContractLength\",\"PurchaseOption\",\"OfferingClass\",\"Instance Type\","
    "\"GPU\",\"Tenancy\",\"Operating System\",\"CapacityStatus\",\"Pre Installed S/W\",\"Region Code\"\n";

struct Rate {
  std::string sku, offer, kind, unit, price, years, option, offering_class;
  std::string instance = "p4d.24xlarge", gpus = "8", system = "Linux";
};

std::string line(const Rate& r) {
  std::string text;
  for (const std::string& cell :
       {r.sku, r.offer, r.sku + "." + r.offer, r.kind, std::string("a price, per hour"), std::string("2026-07-01"),
        r.unit, r.price, std::string("USD"), r.years, r.option, r.offering_class, r.instance, r.gpus,
        std::string("Shared"), r.system, std::string("Used"), std::string("NA"), std::string("us-east-1")})
    text += (text.empty() ? "\"" : ",\"") + cell + "\"";
  return text + "\n";
}

std::string price(const Imported& imported, const std::string& term) {
  const auto document = nlohmann::json::parse(imported.document);
  for (const auto& row : document["prices"])
    if (row["name"] == "p4d.24xlarge" && row.value("term", "") == term) return row["price"];
  return "";
}

}  // namespace

TEST_CASE("AWS's CSV: metadata, columns by name, two lines of one offer, nothing of other systems", "[prices]") {
  const Rate demand{"A1", "JR", "OnDemand", "Hrs", "21.9576420000", "", "", ""};
  Rate windows = demand, without_gpu = demand, free = demand;
  windows.sku = "A2", windows.system = "Windows", windows.price = "25.0000000000";
  without_gpu.sku = "A3", without_gpu.instance = "m5.large", without_gpu.gpus = "";
  free.sku = "A4", free.price = "0.0000000000";
  // 3.875 an hour and 101,835 in advance for 3 x 8760 h: 7.75 an hour. The lines need not stand together.
  const Rate hourly{"A1", "PU", "Reserved", "Hrs", "3.8750000000", "3yr", "Partial Upfront", "standard"};
  const Rate payment{"A1", "PU", "Reserved", "Quantity", "101835", "3yr", "Partial Upfront", "standard"};
  const Rate no_upfront{"A1", "NU", "Reserved", "Hrs", "13.52", "1yr", "No Upfront", "standard"};
  const ScratchFile file("\xef\xbb\xbf" + metadata + header + line(hourly) + line(demand) + line(windows) +
                         line(without_gpu) + line(payment) + line(no_upfront) + line(free) + "\"A9\",\"JR\",\"A9.J");
  const Imported imported = import_files("prices", {file.path()});
  CHECK(imported.format == "AWS offer file, CSV");
  CHECK(nlohmann::json::parse(imported.document)["prices"].size() == 3);
  CHECK(price(imported, "on-demand") == "21.957642 USD/h");
  CHECK(price(imported, "reserved-1y") == "13.52 USD/h");
  CHECK(price(imported, "reserved-3y") == "7.75 USD/h");
  CHECK(says(imported.warnings, "1 products with other systems"));
  CHECK(says(imported.warnings, "1 instances without a GPU"));
  CHECK(says(imported.warnings, "1 offers without a price"));
  CHECK(says(imported.warnings, "1 line that is cut off"));
}

TEST_CASE("an AWS CSV without a header, or with a line without end, is told", "[prices]") {
  const ScratchFile bare(metadata);
  CHECK(imports::fault_of([&] { import_files("prices", {bare.path()}); }).hint.find("no line of column names") !=
        std::string::npos);
  const Rate demand{"A1", "JR", "OnDemand", "Hrs", "21.9576420000", "", "", ""};
  const ScratchFile endless(metadata + header + std::string(200000, 'x') + "\n" + line(demand));
  const Imported imported = import_files("prices", {endless.path()});
  CHECK(price(imported, "on-demand") == "21.957642 USD/h");
  CHECK(says(imported.warnings, "1 line that is cut off"));
}

}  // namespace clustersim
