#include "sim/read/catalog_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "sim/read/did_you_mean.h"

namespace clustersim {

namespace {

using Kind = JsonValue::Kind;

constexpr const char* kFacts = "facts";

bool is_bookkeeping(const std::string& key) { return key == "sources" || key == "estimated" || key == "name"; }

// Ids are file names: nothing in them may lead to another folder.
bool is_id(const std::string& id) {
  return !id.empty() && id[0] != '.' && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '+';
  });
}

// A number, or a text of a number and a unit ("400 W").
bool is_number(const JsonValue& value) {
  if (value.kind == Kind::number) return true;
  if (value.kind != Kind::text) return false;
  double number = 0;
  const char* const begin = value.text.data();
  const char* const end = begin + value.text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && end - stop >= 2 && stop[0] == ' ' && std::isalpha(static_cast<unsigned char>(stop[1]));
}

// True where `name` is `path` or one of the containers around it.
bool covers(const std::string& name, const std::string& path) {
  return path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/');
}

const JsonValue* member_of_kind(const JsonValue& object, const std::string& key, Kind kind) {
  const JsonValue* found = object.find(key);
  return found != nullptr && found->kind == kind ? found : nullptr;
}

// The "fields" of a source; null for a source of the whole file.
const JsonValue* fields_of(const JsonValue& source) { return member_of_kind(source, "fields", Kind::list); }

// A source that names no fields is one of every number.
bool has_source(const JsonValue& document, const std::string& path) {
  if (const JsonValue* estimated = member_of_kind(document, "estimated", Kind::object))
    for (const auto& [field, why] : estimated->members)
      if (covers(field, path)) return !why.text.empty() || !sources_of(document, path).empty();
  const JsonValue* sources = member_of_kind(document, "sources", Kind::list);
  if (sources == nullptr) return false;
  return std::any_of(sources->items.begin(), sources->items.end(), [&](const JsonValue& source) {
    const JsonValue* fields = fields_of(source);
    return fields == nullptr || std::any_of(fields->items.begin(), fields->items.end(),
                                            [&](const JsonValue& field) { return covers(field.text, path); });
  });
}

const JsonValue* step_into(const JsonValue& value, const std::string& step) {
  if (value.kind == Kind::object) return value.find(step);
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool whole = error == std::errc() && stop == step.data() + step.size();
  return value.kind == Kind::list && whole && index < value.items.size() ? &value.items[index] : nullptr;
}

bool names_a_field(const JsonValue& document, const std::string& path) {
  for (const JsonValue* at : {&document, member_of_kind(document, kFacts, Kind::object)}) {
    std::size_t begin = 0;
    while (at != nullptr && begin <= path.size()) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      at = step_into(*at, path.substr(begin, end - begin));
      begin = end + 1;
    }
    if (at != nullptr) return true;
  }
  return false;
}

class SourceCheck {
 public:
  SourceCheck(const JsonValue& document, const std::string& file, std::vector<Problem>& problems)
      : document_(document), file_(file), problems_(problems) {}

  void run() {
    check_list_of_sources();
    check_estimates();
    for (const auto& [key, value] : document_.members) {
      if (is_bookkeeping(key)) continue;
      if (key != kFacts) {
        visit(value, key, "/" + pointer_step(key));
        continue;
      }
      for (const auto& [fact, inner] : value.members) visit(inner, fact, "/facts/" + pointer_step(fact));
    }
  }

 private:
  void visit(const JsonValue& value, const std::string& path, const std::string& pointer) {
    if (is_number(value) && !has_source(document_, path))
      fault(pointer, "a source of this number, under \"sources\" or \"estimated\"", to_text(value),
            "name \"" + path + "\" in the \"fields\" of a source, or say under \"estimated\" why it is a guess");
    for (const auto& [key, member] : value.members) visit(member, path + "/" + key, pointer + "/" + pointer_step(key));
    for (std::size_t i = 0; i < value.items.size(); ++i)
      visit(value.items[i], path + "/" + std::to_string(i), pointer + "/" + std::to_string(i));
  }

  void check_list_of_sources() {
    const JsonValue* sources = member_of_kind(document_, "sources", Kind::list);
    if (sources == nullptr) {
      fault("/sources", "a list of sources, [{\"what\": ..., \"where\": ...}]", "nothing of the kind", "");
      return;
    }
    for (std::size_t i = 0; i < sources->items.size(); ++i) {
      const JsonValue& source = sources->items[i];
      const std::string pointer = "/sources/" + std::to_string(i);
      for (const char* key : {"what", "where"}) {
        const JsonValue* text = member_of_kind(source, key, Kind::text);
        if (text == nullptr || text->text.empty())
          fault(pointer + "/" + key, "a text that says " + std::string(key) + " the source is", "nothing", "");
      }
      if (source.find("fields") == nullptr) continue;
      const JsonValue* fields = fields_of(source);
      if (fields == nullptr) {
        fault(pointer + "/fields", "a list of field names", to_text(*source.find("fields")), "");
        continue;
      }
      for (const auto& field : fields->items) check_name(field.text, pointer + "/fields");
    }
  }

  void check_estimates() {
    const JsonValue* estimated = member_of_kind(document_, "estimated", Kind::object);
    if (estimated == nullptr) {
      fault("/estimated", "an object, {\"field\": \"why it is a guess\"}; {} where nothing is", "nothing of the kind",
            "");
      return;
    }
    for (const auto& [field, why] : estimated->members) {
      const std::string pointer = "/estimated/" + pointer_step(field);
      check_name(field, pointer);
      if (why.kind != Kind::text || why.text.empty()) fault(pointer, "a text that says why", to_text(why), "");
    }
  }

  void check_name(const std::string& field, const std::string& pointer) {
    if (names_a_field(document_, field)) return;
    std::vector<std::string> known;
    for (const auto& [key, value] : document_.members) known.push_back(key);
    if (const JsonValue* facts = member_of_kind(document_, kFacts, Kind::object))
      for (const auto& [key, value] : facts->members) known.push_back(key);
    fault(pointer, "a field of this file", "\"" + field + "\"", did_you_mean(field, known));
  }

  void fault(const std::string& pointer, std::string expected, std::string got, std::string hint) {
    problems_.push_back({file_, pointer, std::move(expected), std::move(got), std::move(hint)});
  }

  const JsonValue& document_;
  const std::string& file_;
  std::vector<Problem>& problems_;
};

}  // namespace

const std::vector<CatalogKind>& catalog_kinds() {
  static const std::vector<CatalogKind> kinds = {
      {"gpu", "hardware/gpu", "accelerators", {"memory", "memory_bandwidth", "peak_fp16", "tdp", "street_price"}},
      {"cpu", "hardware/cpu", "processors", {"cores", "all_core_clock", "memory_bandwidth", "tdp", "list_price"}},
      {"link",
       "hardware/link",
       "links inside a node: PCIe, NVLink, NVSwitch, xGMI, UPI, CXL",
       {"kind", "theoretical", "achievable", "latency", "links_per_gpu"}},
      {"nic", "hardware/nic", "network adapters", {"kind", "line_rate", "rdma_efficiency", "tcp_efficiency", "price"}},
      {"switch", "hardware/switch", "network switches", {"kind", "ports", "port_rate", "latency", "price"}},
      {"storage",
       "hardware/storage",
       "drives, arrays, file systems and object stores",
       {"kind", "read", "write", "per", "read_iops"}},
      {"raid", "hardware/raid", "RAID levels", {"sequential_efficiency"}},
      {"server", "hardware/server", "whole servers", {"gpus", "gpu", "cpu", "memory", "price"}},
      {"cloud", "hardware/cloud", "rented instances", {"gpus", "gpu", "network", "on_demand", "spot"}},
      {"price",
       "hardware/price",
       "prices of cloud storage, transfers and cables, and market bands",
       {"provider", "service", "price", "egress_price", "date"}},
      {"economics",
       "hardware/economics",
       "electricity, carbon, rent, depreciation, failures, exchange rates",
       {"kind", "region", "carbon", "price_usd_typical", "date"}},
      {"collective", "hardware/collective", "constants of collective libraries", {}},
      {"model", "models", "neural networks and data sets", {"record_type", "params", "samples", "dataset"}},
  };
  return kinds;
}

const CatalogKind* find_catalog_kind(const std::string& name) {
  for (const auto& kind : catalog_kinds())
    if (name == kind.name) return &kind;
  return nullptr;
}

std::string entry_path(const std::string& data_dir, const CatalogKind& kind, const std::string& id) {
  return data_dir + "/" + kind.folder + "/" + id + ".json";
}

bool entry_exists(const std::string& data_dir, const CatalogKind& kind, const std::string& id) {
  std::error_code error;
  return is_id(id) && std::filesystem::is_regular_file(entry_path(data_dir, kind, id), error);
}

std::vector<std::string> entry_ids(const std::string& data_dir, const CatalogKind& kind) {
  std::vector<std::string> ids;
  std::error_code error;
  const std::string ending = ".json";
  for (const auto& file : std::filesystem::directory_iterator(data_dir + "/" + kind.folder, error)) {
    const std::string& path = file.path().native();
    const std::size_t begin = path.rfind('/') + 1;
    if (path.ends_with(ending) && path.size() > begin + ending.size())
      ids.push_back(path.substr(begin, path.size() - begin - ending.size()));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

void check_sources(const JsonValue& document, const std::string& file, std::vector<Problem>& problems) {
  SourceCheck(document, file, problems).run();
}

std::string why_estimated(const JsonValue& document, const std::string& path) {
  const JsonValue* estimated = member_of_kind(document, "estimated", Kind::object);
  if (estimated == nullptr) return "";
  for (const auto& [field, why] : estimated->members)
    if (covers(field, path)) return why.text;
  return "";
}

std::vector<int> sources_of(const JsonValue& document, const std::string& path) {
  std::vector<int> naming, whole;
  const JsonValue* sources = member_of_kind(document, "sources", Kind::list);
  if (sources == nullptr) return {};
  for (std::size_t i = 0; i < sources->items.size(); ++i) {
    const JsonValue* fields = fields_of(sources->items[i]);
    if (fields == nullptr) {
      whole.push_back(static_cast<int>(i) + 1);
      continue;
    }
    for (const auto& field : fields->items) {
      if (!covers(field.text, path)) continue;
      naming.push_back(static_cast<int>(i) + 1);
      break;
    }
  }
  return naming.empty() ? whole : naming;
}

}  // namespace clustersim
