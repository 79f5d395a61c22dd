#include "sim/import/price_names.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "sim/import/text_source.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/json_value.h"
#include "sim/read/price_book.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostTold = 12;

// A date that is not known is the oldest.
bool is_newer(const std::string& a, const std::string& b) {
  const int months_a = months_of(a).value_or(-1), months_b = months_of(b).value_or(-1);
  if (months_a != months_b) return months_a > months_b;
  return a.size() == b.size() && a > b;
}

std::string place(const PlacedRow& placed) {
  if (placed.row.line == 0) return placed.file;
  return "line " + std::to_string(placed.row.line) + " of " + placed.file;
}

}  // namespace

PriceNames::PriceNames(const Catalog& catalog) {
  for (const char* word : {"network", "racks", "electricity", "colocation", "staff", "storage", "egress"})
    things_[word] = word;
  for (const char* kind : {"server", "switch", "nic", "gpu", "cpu", "storage"})
    for (const std::string& id : catalog.ids(kind)) things_.try_emplace(id, id);
  for (const std::string& id : catalog.ids("cloud")) {
    things_.try_emplace(id, id);
    const auto document = catalog.document("cloud", id);
    const JsonValue* instance = document ? document->find("instance") : nullptr;
    if (instance != nullptr && !instance->text.empty()) things_.try_emplace(instance->text, id);
  }
  for (const auto& [name, thing] : things_) words_.push_back(name);
}

std::string PriceNames::near(const std::string& name) const { return did_you_mean(name.substr(0, 100), words_); }

std::string PriceNames::thing(const std::string& name) const {
  const auto found = things_.find(name);
  return found == things_.end() ? name : found->second;
}

std::vector<PlacedRow> without_repeats(std::vector<PlacedRow> rows, const PriceNames& names,
                                       std::vector<std::string>& warnings) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> same;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PriceRow& row = rows[i].row;
    same[{names.thing(row.name), row.term.empty() ? "on-demand" : row.term, row.region}].push_back(i);
  }
  std::set<std::size_t> dropped;
  std::size_t told = 0;
  for (const auto& [key, places] : same) {
    if (places.size() < 2) continue;
    std::size_t best = places.front();
    bool by_date = false;
    for (const std::size_t i : places) {
      if (i == best) continue;
      const bool newer = is_newer(rows[i].row.date, rows[best].row.date),
                 older = is_newer(rows[best].row.date, rows[i].row.date);
      by_date = by_date || newer || older;
      if (!older) best = i;
    }
    std::string where;
    for (std::size_t n = 0; n < places.size(); ++n) {
      if (places[n] != best) dropped.insert(places[n]);
      if (n < 4) where += (where.empty() ? "" : ", ") + place(rows[places[n]]);
    }
    if (places.size() > 4) where += ", ...";
    if (++told > kMostTold) continue;
    const PlacedRow& kept = rows[best];
    warnings.push_back(shown(kept.row.name) + " stands " + std::to_string(places.size()) + " times (" + where +
                       "): the " + (by_date ? "newest" : "last") + " counts, " + kept.row.price + ", " + place(kept));
  }
  if (told > kMostTold) warnings.push_back(std::to_string(told - kMostTold) + " more things stand several times");
  std::vector<PlacedRow> left;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (dropped.count(i) == 0) left.push_back(std::move(rows[i]));
  return left;
}

void tell_unknown_names(const std::vector<PlacedRow>& rows, const PriceNames& names,
                        std::vector<std::string>& warnings) {
  std::set<std::string> told;
  for (const PlacedRow& placed : rows) {
    const std::string& name = placed.row.name;
    if (names.known(name) || !told.insert(name).second || told.size() > kMostTold) continue;
    const std::string near = names.near(name);
    warnings.push_back(place(placed) + ": nothing in the catalog is called " + shown(name) +
                       (near.empty() ? ", so no scenario leans on its price" : "; " + near));
  }
  if (told.size() > kMostTold)
    warnings.push_back(std::to_string(told.size() - kMostTold) + " more names that the catalog does not have");
}

}  // namespace clustersim
