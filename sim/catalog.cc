// The front door's catalog(): tables of what is known, and one entry with the source of each number.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "clustersim/clustersim.h"
#include "sim/read/catalog_file.h"
#include "sim/read/did_you_mean.h"

namespace clustersim {

namespace {

using Kind = JsonValue::Kind;
using Row = std::vector<std::string>;

// Bytes that begin a character: what a terminal gives a column to.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

// Columns two spaces apart; the last one is not padded.
std::string table(const std::vector<Row>& rows, const std::string& indent, std::size_t widest = 60) {
  std::vector<std::size_t> width;
  for (const Row& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], std::min(widest, columns(row[i])));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      const std::size_t used = columns(row[i]);
      if (i + 1 < row.size()) line.append((used < width[i] ? width[i] - used : 0) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string shown(const JsonValue& value) { return value.kind == Kind::text ? value.text : to_text(value, 0); }

JsonValue load_entry(const std::string& data, const CatalogKind& kind, const std::string& id) {
  std::vector<Problem> problems;
  const std::string path = entry_path(data, kind, id);
  JsonValue document = load_json(path, problems);
  if (problems.empty()) check_sources(document, path, problems);
  if (!problems.empty()) throw InputError(problems);
  return document;
}

std::string list_of_kinds(const std::string& data) {
  std::vector<Row> rows = {{"kind", "entries", "what"}};
  for (const auto& kind : catalog_kinds())
    rows.push_back({kind.name, std::to_string(entry_ids(data, kind).size()), kind.meaning});
  return table(rows, "") +
         "\nclustersim catalog KIND lists the entries of a kind, clustersim catalog ID shows one with its sources.\n";
}

std::string list_of_entries(const std::string& data, const CatalogKind& kind) {
  std::vector<Row> rows(1, Row{"id"});
  rows[0].insert(rows[0].end(), kind.telling.begin(), kind.telling.end());
  for (const auto& id : entry_ids(data, kind)) {
    const JsonValue document = load_entry(data, kind, id);
    Row row = {id};
    for (const char* key : kind.telling) {
      const JsonValue* value = document.find(key);
      row.push_back(value == nullptr ? "-" : shown(*value));
    }
    rows.push_back(row);
  }
  return table(rows, "");
}

// "[1-4,7]"; "" for none. The numbers rise.
std::string bracketed(const std::vector<int>& numbers) {
  std::string out;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(numbers[first]);
    if (last > first) out += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return out.empty() ? "" : "[" + out + "]";
}

std::string origin(const JsonValue& document, const std::string& path) {
  const std::string why = why_estimated(document, path);
  if (!why.empty()) return "estimated: " + why;
  return bracketed(sources_of(document, path));
}

// One row a value; items of a list stay whole.
void add_rows(const JsonValue& document, const JsonValue& value, const std::string& path, std::vector<Row>& rows) {
  if (value.kind == Kind::object) {
    for (const auto& [key, member] : value.members) add_rows(document, member, path + "/" + key, rows);
  } else if (value.kind == Kind::list) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::string item = path + "/" + std::to_string(i);
      rows.push_back({item, shown(value.items[i]), origin(document, item)});
    }
  } else {
    rows.push_back({path, shown(value), origin(document, path)});
  }
}

std::string one_entry(const std::string& data, const CatalogKind& kind, const std::string& id) {
  const JsonValue document = load_entry(data, kind, id);
  std::vector<Row> rows, facts;
  for (const auto& [key, value] : document.members) {
    if (key == "name" || key == "sources" || key == "estimated") continue;
    if (key != "facts") {
      add_rows(document, value, key, rows);
      continue;
    }
    for (const auto& [fact, inner] : value.members) add_rows(document, inner, fact, facts);
  }
  const JsonValue* name = document.find("name");
  std::string out = id + "  (" + kind.name + ")" + (name == nullptr ? "" : "  " + name->text) + "\n";
  out += table(rows, "  ", 40);
  if (!facts.empty()) out += "further facts, not used by the simulator\n" + table(facts, "  ", 40);
  out += "sources\n";
  int number = 0;
  for (const auto& source : document.find("sources")->items)
    out += "  [" + std::to_string(++number) + "] " + source.find("what")->text + "\n      " +
           source.find("where")->text + "\n";
  return number > 0 ? out : out + "  none: every number is estimated\n";
}

[[noreturn]] void refuse(const std::string& data, const std::string& what) {
  std::vector<std::string> known;
  for (const auto& kind : catalog_kinds()) known.emplace_back(kind.name);
  for (const auto& kind : catalog_kinds())
    for (const auto& id : entry_ids(data, kind)) known.push_back(id);
  const std::string near = did_you_mean(what, known);
  throw InputError({{"clustersim catalog", "", "a kind or an id of the catalog", "\"" + what + "\"",
                     near.empty() ? "clustersim catalog lists the kinds" : near}});
}

bool holds_a_catalog(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_directory(folder / "hardware", error);
}

}  // namespace

std::string data_directory() {
  if (const char* named = std::getenv("CLUSTERSIM_DATA"); named != nullptr && *named != '\0') {
    if (holds_a_catalog(named)) return named;
    throw InputError({{"$CLUSTERSIM_DATA", "", "a folder that holds hardware/", "\"" + std::string(named) + "\"",
                       "unset it to use the catalog that came with the program"}});
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = (program.parent_path().parent_path() / "share/clustersim/scenarios");
  if (!error && holds_a_catalog(beside)) return beside.string();
  if (holds_a_catalog(CLUSTERSIM_INSTALLED_DATA)) return CLUSTERSIM_INSTALLED_DATA;
  return CLUSTERSIM_SOURCE_DATA;
}

std::string catalog(const std::string& what) {
  const std::string data = data_directory();
  if (what.empty()) return list_of_kinds(data);
  if (const CatalogKind* kind = find_catalog_kind(what)) return list_of_entries(data, *kind);
  for (const auto& kind : catalog_kinds())
    if (entry_exists(data, kind, what)) return one_entry(data, kind, what);
  refuse(data, what);
}

}  // namespace clustersim
