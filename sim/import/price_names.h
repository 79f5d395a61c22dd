// Which names of a price list mean something, and which of its lines say the same thing twice.
// Checked by: tests/sim/import_prices_test.cc
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/price_rows.h"
#include "sim/read/catalog.h"

namespace clustersim {

class PriceNames {
 public:
  explicit PriceNames(const Catalog& catalog);
  bool known(const std::string& name) const { return things_.count(name) > 0; }
  // 'did you mean "xe8545"?', "" where nothing is near.
  std::string near(const std::string& name) const;
  // One word for a thing that has several: the id of an instance for its provider's name.
  std::string thing(const std::string& name) const;

 private:
  std::map<std::string, std::string> things_;  // by every name
  std::vector<std::string> words_;
};

struct PlacedRow {
  PriceRow row;
  std::string file;
};

// Of rows of one thing, term and region the newest, of equally old ones the last; the others go, and that is said.
std::vector<PlacedRow> without_repeats(std::vector<PlacedRow> rows, const PriceNames& names,
                                       std::vector<std::string>& warnings);
// A line for each name that nothing in the catalog goes by.
void tell_unknown_names(const std::vector<PlacedRow>& rows, const PriceNames& names,
                        std::vector<std::string>& warnings);

}  // namespace clustersim
