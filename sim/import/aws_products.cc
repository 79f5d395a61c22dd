// What `aws pricing get-products --service-code AmazonEC2` prints: {"PriceList": [TEXT or OBJECT, ...]}, where each is
// a product with its terms as JSON, mostly once more in quotes.
// Checked by: tests/sim/import_prices_test.cc
#include "sim/import/aws_terms.h"
#include "sim/import/json_stream.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

bool is_aws_products(const std::string& beginning) { return beginning.find("\"PriceList\"") != std::string::npos; }

PriceRows read_aws_products(const std::string& path) {
  PriceRows out;
  out.format = "AWS price list (aws pricing get-products)";
  AwsPrices prices;
  std::string date;
  std::size_t broken = 0, seen = 0;
  JsonStreamUser user;
  user.lists = {"PriceList"};
  user.element = [&](const std::string&, JsonValue& element) {
    ++seen;
    JsonValue document = std::move(element);
    if (document.kind == JsonValue::Kind::text) {
      std::vector<Problem> quiet;
      document = parse_json(document.text, path, quiet);
    }
    const JsonValue* product = document.find("product");
    if (!product) {
      ++broken;
      return;
    }
    date = std::max(date, text_at(document, std::string("publicationDate")));
    const auto taken = prices.product(*product);
    if (!taken) return;
    for (const bool reserved : {false, true})
      if (const JsonValue* offers = at_path(document, reserved ? "terms/Reserved" : "terms/OnDemand"))
        prices.add_offers(*taken, reserved, *offers);
  };
  const auto source = open_source(path, kMostBytes);
  const JsonStreamEnd end = stream_json(*source, user);
  if (!end.complete) out.warnings.push_back(end.trouble + ": what stands before is read");
  if (broken > 0)
    out.warnings.push_back(std::to_string(broken) + " of " + std::to_string(seen) + " products cannot be read");
  prices.fill(out, date);
  return out;
}

}  // namespace clustersim
