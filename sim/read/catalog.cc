#include "sim/read/catalog.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "sim/read/catalog_fields.h"
#include "sim/read/catalog_file.h"
#include "sim/read/catalog_files.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/json_reader.h"

namespace clustersim {

namespace {

const CatalogKind& kind_named(const std::string& name) {
  const CatalogKind* kind = find_catalog_kind(name);
  require(kind != nullptr, "a kind of the catalog");
  return *kind;
}

// Guesses among the keys that the simulator reads.
std::vector<EstimatedField> estimates_of(const JsonValue& document) {
  std::vector<EstimatedField> out;
  const JsonValue* estimated = document.find("estimated");
  for (const auto& [field, why] : estimated->members)
    if (document.find(field.substr(0, field.find('/'))) != nullptr) out.push_back({field, why.text});
  return out;
}

std::string plain(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

std::string why_converted(const Conversion& c) {
  return c.written + " at " + plain(1 / c.usd_per_unit) + " per USD (" + c.date + ")";
}

void add_hint(std::vector<Problem>& problems, std::size_t from, const Asked& by) {
  if (by.file.empty()) return;
  for (std::size_t i = from; i < problems.size(); ++i) {
    std::string& hint = problems[i].hint;
    hint += (hint.empty() ? "" : "; ") + ("asked for by " + by.file) + " " + by.pointer;
  }
}

void report_unknown(const std::string& kind, const std::string& id, const std::vector<std::string>& ids,
                    const Asked& by) {
  const std::string near = did_you_mean(id, ids);
  by.problems.push_back({by.file, by.pointer, "an id of " + kind, "\"" + id + "\"",
                         near.empty() ? "clustersim catalog " + kind + " lists them" : near});
}

}  // namespace

bool Catalog::exists(const CatalogKind& kind, const std::string& id) const {
  const std::string path = entry_path(data_dir_, kind, id);
  if (files_) return files_->find(path) != nullptr;
  return read_.contains(path) || entry_exists(data_dir_, kind, id);
}

std::vector<std::string> Catalog::ids_of(const CatalogKind& kind) const {
  if (files_) return files_->ids(kind);
  const auto [known, is_new] = listed_.try_emplace(kind.name);
  if (is_new) known->second = entry_ids(data_dir_, kind);
  return known->second;
}

const CatalogFile& Catalog::file(const std::string& path) const {
  if (files_) return *files_->find(path);
  std::shared_ptr<const CatalogFile>& known = read_[path];
  if (!known) known = std::make_shared<const CatalogFile>(read_catalog_file(path));
  return *known;
}

std::shared_ptr<const JsonValue> Catalog::load(const CatalogKind& kind, const std::string& id, const Asked& by) const {
  if (!exists(kind, id)) {
    report_unknown(kind.name, id, ids_of(kind), by);
    return nullptr;
  }
  const std::string path = entry_path(data_dir_, kind, id);
  const CatalogFile& found = file(path);
  const std::size_t before = by.problems.size();
  by.problems.insert(by.problems.end(), found.problems.begin(), found.problems.end());
  add_hint(by.problems, before, by);
  return found.document;
}

std::shared_ptr<const JsonValue> Catalog::document(const std::string& kind, const std::string& id) const {
  const CatalogKind* found = find_catalog_kind(kind);
  if (found == nullptr || !exists(*found, id)) return nullptr;
  return file(entry_path(data_dir_, *found, id)).document;
}

template <class Spec, class Fields>
Spec Catalog::read(const char* kind_name, const std::string& id, const Asked& by, const ExchangeRates* rates,
                   const Fields& fields) const {
  const CatalogKind& kind = kind_named(kind_name);
  const auto document = load(kind, id, by);
  if (!document) return {};
  Spec spec;
  spec.name = id;
  const std::size_t before = by.problems.size();
  JsonReader reader(*document, entry_path(data_dir_, kind, id), by.problems, rates);
  reader.read([&](FieldVisitor& v) { fields(v, spec); });
  add_hint(by.problems, before, by);
  if (by.problems.size() > before) return {};
  spec.id = id;
  spec.estimated = estimates_of(*document);
  for (const Conversion& c : reader.conversions()) spec.estimated.push_back({c.pointer.substr(1), why_converted(c)});
  return spec;
}

GpuSpec Catalog::gpu(const std::string& id, const Asked& by) const {
  return read<GpuSpec>("gpu", id, by, nullptr, [](FieldVisitor& v, GpuSpec& s) { visit_fields(v, s, false); });
}

CpuSpec Catalog::cpu(const std::string& id, const Asked& by) const {
  return read<CpuSpec>("cpu", id, by, nullptr, [](FieldVisitor& v, CpuSpec& s) { visit_fields(v, s, false); });
}

// "pcie4-x8": the lanes of a link share its rate evenly, its latency stays.
std::optional<LinkSpec> Catalog::narrow_pcie(const std::string& id, const Asked& by) const {
  const auto cut = id.rfind("-x");
  if (!id.starts_with("pcie") || cut == std::string::npos) return std::nullopt;
  int lanes = 0;
  const char* const end = id.data() + id.size();
  const auto [stop, error] = std::from_chars(id.data() + cut + 2, end, lanes);
  // Generations that the catalog leaves out have half or twice the rate of the next one.
  const std::string named = id.substr(0, cut);
  const double of_known = named == "pcie1" ? 0.25 : named == "pcie2" ? 0.5 : named == "pcie6" ? 2.0 : 1.0;
  const std::string full_id = (of_known < 1 ? "pcie3" : of_known > 1 ? "pcie5" : named) + "-x16";
  const bool known_width =
      lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12 || lanes == 16 || lanes == 32;
  if (error != std::errc() || stop != end || !known_width || !has("link", full_id)) return std::nullopt;
  LinkSpec link = this->link(full_id, by);
  if (link.id.empty()) return link;
  const double part = of_known * lanes / 16.0;
  link.id = link.name = id;
  link.lanes = lanes;
  link.theoretical = link.theoretical * part;
  link.achievable = link.achievable * part;
  if (link.achievable_p2p) link.achievable_p2p = *link.achievable_p2p * part;
  link.estimated.push_back({"achievable", (of_known == 1.0 ? plain(lanes) + "/16" : plain(part)) + " of " + full_id});
  return link;
}

LinkSpec Catalog::link(const std::string& id, const Asked& by) const {
  if (!has("link", id)) {
    if (auto narrow = narrow_pcie(id, by)) return *narrow;
    if (has("nic", id)) {
      const NicSpec port = nic(id, by);
      LinkSpec link;
      static_cast<Entry&>(link) = port;
      link.kind = port.kind;
      link.theoretical = port.line_rate;
      link.achievable = port.line_rate * port.rdma_efficiency.value_or(port.tcp_efficiency.value_or(1.0));
      link.latency = port.rdma_efficiency ? port.rdma_latency : port.tcp_latency;
      return link;
    }
  }
  return read<LinkSpec>("link", id, by, nullptr, [](FieldVisitor& v, LinkSpec& s) { visit_fields(v, s, false); });
}

NicSpec Catalog::nic(const std::string& id, const Asked& by) const {
  return read<NicSpec>("nic", id, by, nullptr, [](FieldVisitor& v, NicSpec& s) { visit_fields(v, s, false); });
}

SwitchSpec Catalog::switch_(const std::string& id, const Asked& by) const {
  return read<SwitchSpec>("switch", id, by, nullptr, [](FieldVisitor& v, SwitchSpec& s) { visit_fields(v, s, false); });
}

StorageSpec Catalog::storage(const std::string& id, const Asked& by) const {
  auto spec =
      read<StorageSpec>("storage", id, by, nullptr, [](FieldVisitor& v, StorageSpec& s) { visit_fields(v, s, false); });
  if (!spec.id.empty() && spec.per.empty()) spec.per = "device";
  return spec;
}

RaidLevel Catalog::raid(const std::string& level, int devices, const Asked& by) const {
  require(devices >= 1, "an array has devices");
  RaidLevel out;
  RaidFile file;
  if (level.empty() || level == "none") {
    file.id = "none";
    file.name = "devices side by side";
  } else {
    file = read<RaidFile>("raid", level, by, nullptr, [](FieldVisitor& v, RaidFile& s) { visit_fields(v, s); });
    if (file.id.empty()) return out;
  }
  static_cast<Entry&>(out) = file;
  out.sequential_efficiency = file.sequential_efficiency;
  out.capacity_share = file.capacity.of(devices) / devices;
  out.read_scaling = file.read_scaling.of(devices);
  out.write_scaling = file.write_scaling.of(devices);
  if (out.capacity_share > 0 && out.read_scaling > 0 && out.write_scaling > 0) return out;
  by.problems.push_back({by.file, by.pointer, "enough devices for " + level, plain(devices), "add devices"});
  return {};
}

ServerSpec Catalog::server(const std::string& id, const Asked& by) const {
  auto server = read<ServerSpec>("server", id, by, nullptr, [](FieldVisitor& v, ServerSpec& s) { visit_fields(v, s); });
  if (server.id.empty()) return server;
  const std::size_t before = by.problems.size();
  const Asked in_file{entry_path(data_dir_, kind_named("server"), id), "/pcie_tree", by.problems};
  std::map<std::string, LinkSpec> links;  // a tree names few links, often
  for (PcieVertex& vertex : server.pcie_tree) {
    if (vertex.link_id.empty()) continue;
    auto known = links.find(vertex.link_id);
    if (known == links.end()) known = links.emplace(vertex.link_id, link(vertex.link_id, in_file)).first;
    vertex.link = known->second.achievable;
    vertex.link_latency = known->second.latency;
    if (vertex.kind == "gpu" && server.gpu_slot.empty()) server.gpu_slot = vertex.link_id;
  }
  return by.problems.size() > before ? ServerSpec{} : server;
}

CloudSpec Catalog::cloud(const std::string& id, const Asked& by) const {
  const std::size_t before = by.problems.size();
  const ExchangeRates usd = rates(by);
  if (by.problems.size() > before) return {};
  return read<CloudSpec>("cloud", id, by, &usd, [](FieldVisitor& v, CloudSpec& s) { visit_fields(v, s); });
}

GpuFabricSpec Catalog::gpu_fabric(const std::string& link_id, const std::string& shape, int links_per_gpu,
                                  const std::string& switch_id, const Asked& by) const {
  GpuFabricSpec fabric;
  fabric.shape = shape;
  fabric.links_per_gpu = links_per_gpu;
  if (!link_id.empty()) fabric.link = link(link_id, by);
  if (!switch_id.empty()) fabric.in_network_reduction = link(switch_id, by).in_network_reduction;
  return fabric;
}

namespace {

// Empty where the entry describes no decoder and no vision transformer.
std::optional<TransformerShape> transformer_shape(const JsonValue& model) {
  const auto number = [&](const char* key) {
    const JsonValue* found = model.find(key);
    return found == nullptr ? 0 : static_cast<int>(found->number);
  };
  const auto is = [&](const char* key, const char* word) {
    const JsonValue* found = model.find(key);
    return found != nullptr && found->text == word;
  };
  if (model.find("position_embedding") == nullptr) return std::nullopt;
  TransformerShape shape;
  shape.layers = number("num_layers");
  shape.hidden = number("hidden");
  shape.heads = number("heads");
  shape.kv_heads = model.find("kv_heads") != nullptr ? number("kv_heads") : shape.heads;
  shape.feed_forward = number("ffn");
  shape.patch = number("patch");
  shape.vocabulary = number(shape.patch > 0 ? "classes" : "vocab");
  if (is("position_embedding", "learned")) shape.positions = number(shape.patch > 0 ? "tokens_per_image" : "context");
  shape.gated = is("activation", "swiglu");
  shape.rms_norm = is("norm", "rmsnorm");
  shape.biases = is("biases", "yes");
  shape.tied = is("tied_embedding", "yes");
  return shape;
}

}  // namespace

ModelInfo Catalog::model(const std::string& id, const Asked& by) const {
  const auto document = load(kind_named("model"), id, by);
  if (!document) return {};
  const JsonValue* parameters = document->find("params");
  if (parameters == nullptr) {
    by.problems.push_back({by.file, by.pointer, "an id of model that is a network", "\"" + id + "\"", ""});
    return {};
  }
  const auto text = [&](const char* key) {
    const JsonValue* found = document->find(key);
    return found == nullptr ? std::string() : found->text;
  };
  const auto flop = [&](const char* key) -> std::optional<Flop> {
    const ParsedQuantity parsed = parse_quantity(text(key), Dimension::flop);
    if (!parsed.base) return std::nullopt;
    return Flop::from_base(*parsed.base);
  };
  ModelInfo info;
  info.id = id;
  info.name = text("name");
  info.estimated = estimates_of(*document);
  info.family = text("family");
  info.parameters = parameters->number;
  info.train_flop_per_sample = flop("train_flops_per_sample");
  info.train_flop_per_token = flop("train_flops_per_token");
  info.dataset_id = text("dataset");
  if (const JsonValue* epochs = document->find("reference_epochs")) info.reference_epochs = epochs->number;
  info.shape = transformer_shape(*document);
  if (const JsonValue* context = document->find("context")) info.context = static_cast<int>(context->number);
  return info;
}

DatasetInfo Catalog::dataset(const std::string& id, const Asked& by) const {
  const CatalogKind& kind = kind_named("model");
  const auto document = load(kind, id, by);
  if (!document) return {};
  const JsonValue* record = document->find("record_type");
  if (record == nullptr || record->text != "dataset") {
    by.problems.push_back({by.file, by.pointer, "an id of model that is a data set", "\"" + id + "\"", ""});
    return {};
  }
  DatasetInfo info;
  const std::size_t before = by.problems.size();
  JsonReader reader(*document, entry_path(data_dir_, kind, id), by.problems);
  reader.read([&](FieldVisitor& v) {
    Dataset& set = info.dataset;
    v.key({.name = "name", .meaning = "what people call it"}, info.name);
    v.key({.name = "samples", .meaning = "of one epoch", .required = true, .min = 1}, set.samples);
    v.key({.name = "images", .meaning = "samples are JPEG files", .required = true}, set.images);
    v.key({.name = "raw_bytes", .meaning = "mean sample as a file", .required = true, .min = 1}, set.raw_bytes);
    v.key({.name = "record_bytes", .meaning = "mean sample in a record", .required = true, .min = 1}, set.record_bytes);
    v.key({.name = "tensor_bytes", .meaning = "copied to the GPU", .required = true, .min = 1}, set.tensor_bytes);
    v.key({.name = "tokens", .meaning = "of all text", .min = 1}, info.tokens);
    v.object({.name = "bytes_per_sample", .meaning = "of every container"}, [&](FieldVisitor& inside) {
      for (const auto& [container, value] : document->find("bytes_per_sample")->members)
        inside.key({.name = container, .meaning = "mean sample", .min = 1}, info.bytes_per_sample[container]);
    });
    for (const auto& [key, value] : document->members) v.skip(key);
  });
  add_hint(by.problems, before, by);
  if (by.problems.size() > before) return {};
  info.id = info.dataset.id = id;
  info.estimated = estimates_of(*document);
  return info;
}

ExchangeRates Catalog::rates(const Asked& by) const {
  const CatalogKind& kind = kind_named("economics");
  const auto document = load(kind, "fx", by);
  if (!document) return {};
  ExchangeRates rates;
  const std::size_t before = by.problems.size();
  double cny_per_usd = 1, usd_per_eur = 1;
  JsonReader(*document, entry_path(data_dir_, kind, "fx"), by.problems).read([&](FieldVisitor& v) {
    v.key({.name = "cny_per_usd", .meaning = "exchange rate", .required = true, .min = 1e-6}, cny_per_usd);
    v.key({.name = "usd_per_eur", .meaning = "exchange rate", .required = true, .min = 1e-6}, usd_per_eur);
    v.key({.name = "date", .meaning = "of the rates", .required = true}, rates.date);
    for (const char* more : {"kind", "sources", "estimated"}) v.skip(more);
  });
  add_hint(by.problems, before, by);
  rates.usd_per_unit = {{"CNY", 1 / cny_per_usd}, {"EUR", usd_per_eur}};
  return rates;
}

std::optional<double> Catalog::quantity(const std::string& kind_name, const std::string& id, const std::string& path,
                                        Dimension dimension, const Asked& by) const {
  const CatalogKind& kind = kind_named(kind_name);
  const auto document = load(kind, id, by);
  if (!document) return std::nullopt;
  const JsonValue* at = &*document;
  for (std::size_t begin = 0; at != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    at = at->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (at == nullptr) return std::nullopt;
  const ParsedQuantity parsed = parse_quantity(at->text, dimension);
  if (parsed.base && (parsed.currency.empty() || parsed.currency == "USD")) return parsed.base;
  if (parsed.base) {
    if (const auto usd = in_usd(*parsed.base, parsed.currency, rates(by))) return usd;
  }
  by.problems.push_back(
      {entry_path(data_dir_, kind, id), "/" + path, expected_quantity(dimension), to_text(*at), parsed.hint});
  return std::nullopt;
}

bool Catalog::has(const std::string& kind, const std::string& id) const { return exists(kind_named(kind), id); }

std::vector<std::string> Catalog::ids(const std::string& kind) const { return ids_of(kind_named(kind)); }

}  // namespace clustersim
