#include "sim/import/chakra_nodes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "clustersim/error.h"
#include "sim/import/chakra_protobuf.h"
#include "sim/import/json_stream.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t most_bytes = std::size_t{2} << 30;
constexpr std::size_t most_nodes = 4'000'000, most_names = 500'000, longest_name = 300;
constexpr double longest_us = 3600e6, latest_us = 9e15;  // of one node that is believed
constexpr const char* odd_duration = "nodes with a duration below 0 or above an hour";
constexpr const char* odd_start = "nodes with a start that no clock shows";

// "NodeType", "node_type" and "nodetype" are one key.
std::string plain(const std::string& key) {
  std::string out;
  for (const char c : key)
    if (c != '_' && c != ' ') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

int small(double value, int most) {
  return std::isfinite(value) ? static_cast<int>(std::clamp(value, -1.0, static_cast<double>(most))) : -1;
}

// One element of "workload_graph".
class GraphReader {
 public:
  GraphReader(const std::string& path, ChakraFile& file) : path_(path), file_(file) {}

  void add(const JsonValue& value) {
    if (value.kind != JsonValue::Kind::object) return;
    if (file_.nodes.size() >= most_nodes)
      throw InputError({{path_, "", "at most " + std::to_string(most_nodes) + " nodes", "more", ""}});
    ChakraReading reading;
    reading.node.first_dependency = static_cast<std::int32_t>(file_.dependencies.size());
    for (const auto& [key, member] : value.members) set(reading, plain(key), member);
    file_.add(reading.node, reading.id, reading.start_us);
  }

 private:
  void set(ChakraReading& reading, const std::string& key, const JsonValue& value) {
    ChakraNode& node = reading.node;
    double number = std::numeric_limits<double>::quiet_NaN();
    if (value.kind == JsonValue::Kind::number) number = value.number;
    if (value.kind == JsonValue::Kind::boolean) number = value.boolean ? 1 : 0;
    if (key == "id") {
      if (number >= 0 && number < 1e18) reading.id = static_cast<std::uint64_t>(number);
    } else if (key == "name") {
      node.name = chakra_name(file_, value.text);
    } else if (key == "nodetype" || key == "type") {
      const int type = small(number, static_cast<int>(ChakraType::other));
      node.type = static_cast<ChakraType>(std::max(0, type));
    } else if (key == "ctrldeps" || key == "datadeps") {
      const bool control = key == "ctrldeps";
      file_.has_control = file_.has_control || (control && !value.items.empty());
      if (control != file_.by_control) return;
      for (const JsonValue& item : value.items)
        if (item.kind == JsonValue::Kind::number && item.number >= 0 && item.number < 1e18)
          file_.dependencies.push_back(static_cast<std::uint64_t>(item.number));
    } else if (key == "runtime" || key == "durationmicros") {
      if (number >= 0) node.duration_us = number;
      if (number < 0) ++file_.faulty[odd_duration];
    } else if (key == "starttimemicros") {
      if (number > 0) reading.start_us = number;
      if (number < 0) ++file_.faulty[odd_start];
    } else {
      std::string name = key;
      for (const char* known : {"is_cpu_op", "comm_type", "comm_size", "num_ops", "tensor_size", "pg_name"})
        if (plain(known) == key) name = known;
      set_chakra_attribute(file_, reading, name, number, value.text);
    }
  }

  const std::string& path_;
  ChakraFile& file_;
};

// What a PyTorch execution trace tells: enough to say why it is not what is needed.
[[noreturn]] void refuse_execution_trace(const std::string& path, const std::string& schema, std::size_t nodes,
                                         const std::set<std::string>& collectives) {
  std::string text = "a PyTorch execution trace, schema " + schema + ", of " + std::to_string(nodes) + " nodes";
  for (const std::string& name : collectives) text += ", " + name;
  throw InputError({{path, "", "times of kernels", text + ": it has none",
                     "convert it with the profiler's trace of the same run (chakra_converter), or import that: "
                     "clustersim import kineto"}});
}

void read_json(std::istream& source, const std::string& path, ChakraFile& file) {
  GraphReader reader(path, file);
  std::string schema;
  std::size_t execution_nodes = 0;
  std::set<std::string> collectives;
  JsonStreamUser user;
  user.lists = {"workload_graph", "nodes"};
  user.element = [&](const std::string& list, JsonValue& value) {
    if (list != "nodes") return reader.add(value);
    ++execution_nodes;
    const std::string* name = text_at(value, "name");
    if (name && name->find("nccl:") == 0 && collectives.size() < 8) collectives.insert(name->substr(0, 40));
  };
  user.member = [&](const std::string& key, JsonValue& value) {
    if (key == "schema" && value.kind == JsonValue::Kind::text) schema = value.text.substr(0, 40);
  };
  const JsonStreamEnd end = stream_json(source, user);
  file.trouble = end.trouble;
  if (execution_nodes > 0) refuse_execution_trace(path, schema, execution_nodes, collectives);
}

}  // namespace

std::int32_t chakra_name(ChakraFile& file, std::string name) {
  if (name.size() > longest_name) name.resize(longest_name);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  if (file.name_ids.size() >= most_names && !file.name_ids.contains(name)) name = "other";
  const auto [at, is_new] = file.name_ids.try_emplace(std::move(name), static_cast<std::int32_t>(file.names.size()));
  if (is_new) file.names.push_back(at->first);
  return at->second;
}

void ChakraFile::add(ChakraNode node, std::uint64_t id, double start_us) {
  if (!(node.duration_us <= longest_us)) {
    node.duration_us = -1;
    ++faulty[odd_duration];
  }
  if (!(start_us <= latest_us)) {
    start_us = -1;
    ++faulty[odd_start];
  }
  const std::size_t count = nodes.size();
  if (count == 0) first_id = id;
  if (!ids.empty() || id != first_id + count) {
    for (std::size_t i = ids.size(); i < count; ++i) ids.push_back(first_id + i);
    ids.push_back(id);
  }
  if (!starts_us.empty() || start_us >= 0) {
    starts_us.resize(count, -1);
    starts_us.push_back(start_us);
  }
  nodes.push_back(node);
}

const ChakraMore& ChakraFile::more_of(const ChakraNode& node) const {
  static const ChakraMore nothing;
  return node.more < 0 ? nothing : more[static_cast<std::size_t>(node.more)];
}

std::optional<CollectiveOp> chakra_op(const ChakraNode& node, const ChakraMore& more) {
  constexpr CollectiveOp ours[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                   CollectiveOp::reduce,     CollectiveOp::all_to_all, CollectiveOp::broadcast,
                                   CollectiveOp::send_recv};
  if (more.op >= 0 && static_cast<std::size_t>(more.op) < std::size(ours)) return ours[more.op];
  if (node.type == ChakraType::send || node.type == ChakraType::receive) return CollectiveOp::send_recv;
  switch (more.comm_type) {
    case 0:
      return CollectiveOp::all_reduce;
    case 1:
      return CollectiveOp::reduce;
    case 2:
    case 3:  // a gather loads the root's link as an all-gather loads each
      return CollectiveOp::all_gather;
    case 4:
    case 5:
      return CollectiveOp::broadcast;
    case 6:
      return CollectiveOp::all_to_all;
    case 7:
    case 8:
      return CollectiveOp::reduce_scatter;
    default:
      return std::nullopt;  // a barrier, or not told
  }
}

ChakraPlaces::ChakraPlaces(const ChakraFile& file)
    : first_(file.first_id), count_(file.nodes.size()), in_order_(file.ids.empty()) {
  if (in_order_) return;
  sorted_.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) sorted_.emplace_back(file.id(i), static_cast<std::int32_t>(i));
  std::sort(sorted_.begin(), sorted_.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), same), sorted_.end());
}

std::int32_t ChakraPlaces::of(std::uint64_t id) const {
  if (in_order_) return id - first_ < count_ ? static_cast<std::int32_t>(id - first_) : -1;
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{id, std::int32_t{0}});
  return at != sorted_.end() && at->first == id ? at->second : -1;
}

namespace {

enum class Attribute {
  comm_size,
  comm_type,
  duration_ps,
  is_cpu_op,
  kind,
  launch,
  num_ops,
  op,
  pg_name,
  pg_size,
  pg_stride,
  start_ps,
  stream,
  tensor_size,
  wire_ps,
  other,
};

Attribute attribute_of(const std::string& name) {
  static constexpr std::pair<std::string_view, Attribute> sorted[] = {
      {"clustersim_kind", Attribute::kind}, {"clustersim_launch", Attribute::launch},
      {"clustersim_op", Attribute::op},     {"comm_size", Attribute::comm_size},
      {"comm_type", Attribute::comm_type},  {"duration_ps", Attribute::duration_ps},
      {"is_cpu_op", Attribute::is_cpu_op},  {"num_ops", Attribute::num_ops},
      {"pg_name", Attribute::pg_name},      {"pg_size", Attribute::pg_size},
      {"pg_stride", Attribute::pg_stride},  {"start_ps", Attribute::start_ps},
      {"stream", Attribute::stream},        {"tensor_size", Attribute::tensor_size},
      {"tid", Attribute::stream},           {"wire_ps", Attribute::wire_ps},
  };
  const auto* const found = std::lower_bound(std::begin(sorted), std::end(sorted), std::string_view(name),
                                             [](const auto& entry, std::string_view n) { return entry.first < n; });
  return found != std::end(sorted) && found->first == name ? found->second : Attribute::other;
}

}  // namespace

void set_chakra_attribute(ChakraFile& file, ChakraReading& reading, const std::string& name, double number,
                          const std::string& text) {
  constexpr double us_per_ps = 1e-6;
  constexpr double most_bytes_of_one = 1e15;
  ChakraNode& node = reading.node;
  const auto more = [&]() -> ChakraMore& {
    if (node.more < 0) {
      node.more = static_cast<std::int32_t>(file.more.size());
      file.more.emplace_back();
    }
    return file.more[static_cast<std::size_t>(node.more)];
  };
  const Attribute attribute = attribute_of(name);
  if (attribute == Attribute::pg_name) {
    more().queue = chakra_name(
        file, std::isfinite(number) ? std::to_string(static_cast<long long>(std::clamp(number, -1.0, 1e9))) : text);
    return;
  }
  if (!std::isfinite(number)) return;
  const bool amount = number >= 0 && number < most_bytes_of_one;
  const auto faulty = [&](const char* what) { ++file.faulty[what]; };
  switch (attribute) {
    case Attribute::is_cpu_op:
      node.on_cpu = number != 0 ? 1 : 0;
      break;
    case Attribute::comm_type:
      more().comm_type = static_cast<std::int16_t>(small(number, 100));
      break;
    case Attribute::comm_size:
      if (amount) more().comm_bytes = number;
      if (!amount) faulty("collectives of a size below 0 or above 1 PB");
      break;
    case Attribute::num_ops:
      if (number >= 0 && number < 1e30) more().operations = static_cast<float>(number);
      if (!(number >= 0 && number < 1e30)) faulty("nodes with num_ops below 0 or above 1e30");
      break;
    case Attribute::tensor_size:
      if (amount) more().tensor_bytes = static_cast<float>(number);
      if (!amount) faulty("nodes with a tensor_size below 0 or above 1 PB");
      break;
    case Attribute::stream:
      node.stream = static_cast<std::int16_t>(small(number, 30000));
      break;
    case Attribute::pg_size:
      more().group = std::max(0, small(number, 1 << 24));
      break;
    case Attribute::pg_stride:
      more().stride = std::max(0, small(number, 1 << 24));
      break;
    case Attribute::wire_ps:
      if (amount) more().wire_us = number * us_per_ps;
      break;
    case Attribute::start_ps:
      if (number >= 0 && number < 1e17) reading.start_us = number * us_per_ps;
      break;
    case Attribute::duration_ps:
      node.duration_us = number < 0 ? -1 : number * us_per_ps;
      break;
    case Attribute::kind:
      node.kind = static_cast<std::int8_t>(small(number, 15));
      break;
    case Attribute::launch:
      node.launch = static_cast<std::int8_t>(small(number, 3));
      break;
    case Attribute::op:
      more().op = static_cast<std::int8_t>(small(number, 100));
      break;
    case Attribute::pg_name:
    case Attribute::other:
      break;
  }
}

bool looks_like_chakra(const std::string& path) {
  const auto source = open_source(path, most_bytes);
  char start[8] = {};
  try {
    source->read(start, sizeof start);
  } catch (const std::exception&) {
    return false;
  }
  if (source->gcount() == 0) return false;
  const auto first = static_cast<unsigned char>(start[0]);
  const bool text = first == '{' || first == '[' || std::isspace(first);
  return !text;
}

namespace {

ChakraFile read_by(bool control, const std::string& path) {
  ChakraFile file;
  file.by_control = control;
  const bool protobuf = looks_like_chakra(path);
  const auto source = open_source(path, most_bytes);
  if (protobuf) {
    read_chakra_protobuf(*source, path, file);
  } else {
    read_json(*source, path, file);
  }
  return file;
}

}  // namespace

ChakraFile read_chakra_file(const std::string& path) {
  ChakraFile file = read_by(false, path);
  if (file.dependencies.empty() && file.has_control) file = read_by(true, path);
  if (file.nodes.empty())
    throw InputError({{path, "", "nodes of a Chakra trace: protobuf messages, or JSON with \"workload_graph\"",
                       file.trouble.empty() ? "none" : file.trouble, ""}});
  return file;
}

}  // namespace clustersim
