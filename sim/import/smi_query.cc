#include "sim/import/smi_query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

#include "clustersim/error.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t kMostColumns = 1024, kMostRows = 100000, kMostGpus = 1024;

std::vector<std::string> split_commas(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

struct Column {
  std::string name, unit;
};

// "memory.total [MiB]".
Column column_of(const std::string& header) {
  const std::size_t open = header.find('[');
  Column column{trimmed(header.substr(0, open)), ""};
  if (open != std::string::npos) column.unit = header.substr(open + 1, header.find(']', open) - open - 1);
  return column;
}

// The fields after "--query-gpu=" of a pasted command whose output has no header.
std::vector<std::string> fields_of_command(const std::string& line) {
  const std::string key = "--query-gpu=";
  const std::size_t at = line.find(key);
  if (at == std::string::npos || line.find("noheader") == std::string::npos) return {};
  const std::size_t from = at + key.size() + (line.compare(at + key.size(), 1, "\"") == 0 ? 1 : 0);
  return split_commas(line.substr(from, line.find_first_of(" \t\"'", from) - from));
}

// Units that "nounits" leaves out.
std::string usual_unit(const std::string& column) {
  if (column.starts_with("memory.")) return "MiB";
  if (column.find("power.") != std::string::npos) return "W";
  return column.starts_with("clocks.") ? "MHz" : "";
}

// Names of what is used; of two names for one thing either.
const std::vector<std::string> kNames = {"name", "gpu_name"};
const std::vector<std::string> kIndex = {"index"};
const std::vector<std::string> kUuid = {"uuid", "gpu_uuid"};
const std::vector<std::string> kBus = {"pci.bus_id", "gpu_bus_id"};
const std::vector<std::string> kMemory = {"memory.total"};
const std::vector<std::string> kGenerations = {"pcie.link.gen.max", "pcie.link.gen.gpumax", "pcie.link.gen.hostmax"};
const std::vector<std::string> kWidth = {"pcie.link.width.max"};
const std::vector<std::string> kWidthNow = {"pcie.link.width.current"};
const std::vector<std::string> kPower = {"power.limit", "enforced.power.limit"};
const std::vector<std::string> kClock = {"clocks.max.sm", "clocks.max.graphics"};
const std::vector<std::string> kCapability = {"compute_cap"};
const std::vector<std::string> kMig = {"mig.mode.current"};
const std::vector<std::string> kUse = {"utilization.gpu"};
const std::vector<std::string> kThrottle = {"clocks_event_reasons.active", "clocks_throttle_reasons.active"};

bool is_header(const std::vector<std::string>& cells) {
  if (cells.size() > kMostColumns) return false;
  int known = 0;
  for (const std::string& cell : cells)
    for (const auto* names : {&kNames, &kIndex, &kUuid, &kBus, &kMemory, &kGenerations, &kWidth, &kWidthNow, &kPower,
                              &kClock, &kCapability, &kMig})
      known += std::count(names->begin(), names->end(), column_of(cell).name) > 0;
  const bool one_column = cells.size() == 1 && (cells[0] == "name" || cells[0] == "gpu_name");
  return known >= 2 || one_column;
}

class Table {
 public:
  explicit Table(const std::vector<std::string>& header) {
    for (std::size_t c = 0; c < header.size() && c < kMostColumns; ++c) columns_.push_back(column_of(header[c]));
  }

  // As many cells as columns; and a product's name has a capital letter, which the names of fields have not.
  bool holds(const std::vector<std::string>& cells) const {
    if (cells.size() != columns_.size()) return false;
    const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const std::string name = text(cells, kNames);
    return name.empty() ? columns_.size() > 1 : std::any_of(name.begin(), name.end(), capital);
  }

  // The value under the first of the names that is there; "" where it is not known.
  std::string text(const std::vector<std::string>& row, const std::vector<std::string>& names) const {
    const auto column = index(names);
    if (!column || *column >= row.size()) return "";
    const std::string& value = row[*column];
    return value.starts_with("[") || value == "N/A" || smi_error(value) ? "" : value;
  }
  std::optional<double> quantity(const std::vector<std::string>& row, const std::vector<std::string>& names) const {
    const auto column = index(names);
    if (!column || *column >= row.size()) return std::nullopt;
    const std::string& unit = columns_[*column].unit;
    return smi_quantity(row[*column], unit.empty() ? usual_unit(columns_[*column].name) : unit);
  }

 private:
  std::optional<std::size_t> index(const std::vector<std::string>& names) const {
    for (const std::string& name : names)
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].name == name) return c;
    return std::nullopt;
  }

  std::vector<Column> columns_;
};

// What samples of one GPU say together.
struct Sampled {
  NodePart part;
  std::optional<int> width_max, width_now, least_use;  // least_use: percent
  bool mig = false, throttled = false;
  std::string error;  // that stood in the place of a value
};

void lower(std::optional<int>& value, std::optional<int> other) {
  if (other) value = std::min(value.value_or(*other), *other);
}
void raise(std::optional<int>& value, std::optional<int> other) {
  if (other) value = std::max(value.value_or(*other), *other);
}

class Reader {
 public:
  void row(const Table& table, const std::vector<std::string>& cells) {
    const std::string uuid = table.text(cells, kUuid), bus = bus_id_of(table.text(cells, kBus));
    const std::string index = table.text(cells, kIndex);
    std::string key = !bus.empty() ? bus : !uuid.empty() ? uuid : index;
    if (key.empty()) key = "row " + std::to_string(gpus_.size());
    if (gpus_.count(key) == 0) {
      if (order_.size() >= kMostGpus) return;
      order_.push_back(key);
    }
    Sampled& gpu = gpus_[key];
    const auto error = std::find_if(cells.begin(), cells.end(), smi_error);
    if (error != cells.end() && gpu.error.empty()) gpu.error = *error;
    NodePart& part = gpu.part;
    part.kind = PartKind::gpu;
    part.bus_id = bus;
    if (const auto number = whole_number(index, 4096)) part.number = number;
    if (const std::string name = table.text(cells, kNames); !name.empty()) part.name = name;
    if (const auto bytes = table.quantity(cells, kMemory)) part.memory_bytes = bytes;
    for (const std::string& name : kGenerations) {
      const auto told = whole_number(table.text(cells, {name}), 7);
      if (told.value_or(0) > 0) lower(part.generation, told);
    }
    raise(gpu.width_max, whole_number(table.text(cells, kWidth), 32));
    raise(gpu.width_now, whole_number(table.text(cells, kWidthNow), 32));
    if (const auto watts = table.quantity(cells, kPower)) part.power_limit_w = watts;
    if (const auto hertz = table.quantity(cells, kClock)) part.clock_hz = hertz;
    const std::string capability = table.text(cells, kCapability);  // "8.0"
    if (const std::size_t dot = capability.find('.'); dot != std::string::npos) {
      const auto major = whole_number(capability.substr(0, dot), 99),
                 minor = whole_number(capability.substr(dot + 1), 9);
      if (major && minor) part.capability = 10 * *major + *minor;
    }
    const std::string use = table.text(cells, kUse);  // "100 %"
    lower(gpu.least_use, whole_number(use.substr(0, use.find_first_of(" %")), 100));
    gpu.mig = gpu.mig || table.text(cells, kMig) == "Enabled";
    note_throttle(table.text(cells, kThrottle), gpu);
  }

  bool empty() const { return order_.empty(); }

  NodeFacts facts() {
    NodeFacts facts;
    facts.format = "nvidia-smi --query-gpu";
    constexpr int busy_percent = 50;
    int narrow = 0, mig = 0, throttled = 0, busy = 0;
    std::vector<int> lost;
    std::string word;
    for (const std::string& key : order_) {
      Sampled& gpu = gpus_[key];
      if (!gpu.error.empty()) {
        lost.push_back(gpu.part.number.value_or(static_cast<int>(facts.parts.size())));
        word = gpu.error;
      }
      gpu.part.lanes = gpu.width_max;
      if (gpu.width_now.value_or(0) > 0) {
        narrow += gpu.width_max && *gpu.width_now < *gpu.width_max;
        gpu.part.lanes = gpu.width_now;
      }
      mig += gpu.mig;
      throttled += gpu.throttled;
      busy += gpu.least_use.value_or(0) > busy_percent;
      facts.parts.push_back(gpu.part);
    }
    facts.warnings = smi_lost(lost, word);
    const auto of = [](int n) { return std::to_string(n) + (n == 1 ? " GPU" : " GPUs"); };
    if (busy > 0) facts.remarks.push_back(of(busy) + " in use in every sample: none is idle");
    if (narrow > 0)
      facts.warnings.push_back(of(narrow) + " on a slot with fewer lanes than the GPU has: the slot's width is taken");
    if (mig > 0) facts.warnings.push_back("GPUs with MIG enabled: whole GPUs are simulated");
    if (throttled > 0) facts.warnings.push_back(of(throttled) + " slowed down by the hardware while sampled");
    return facts;
  }

 private:
  // Hardware slowdown, hardware thermal, power brake.
  static void note_throttle(const std::string& bits, Sampled& gpu) {
    if (!bits.starts_with("0x")) return;
    std::uint64_t value = 0;
    const auto read = std::from_chars(bits.data() + 2, bits.data() + bits.size(), value, 16);
    constexpr std::uint64_t hardware = 1u << 3 | 1u << 6 | 1u << 7;
    gpu.throttled = gpu.throttled || (read.ec == std::errc() && (value & hardware) != 0);
  }

  std::vector<std::string> order_;
  std::map<std::string, Sampled> gpus_;
};

}  // namespace

std::optional<double> smi_quantity(const std::string& value, const std::string& header_unit) {
  double number = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string unit = trimmed(value.substr(static_cast<std::size_t>(stop - value.data())));
  if (unit.empty()) unit = header_unit;
  struct Unit {
    const char* name;
    double base;
  };
  // Drivers of 2014 and before print MiB as MB: 4799 MB of a K20 with 5 GB.
  static constexpr Unit kUnits[] = {{"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"MB", 1048576.0}, {"W", 1.0},
                                    {"MHz", 1e6},       {"GHz", 1e9},          {"", 1.0}};
  for (const Unit& known : kUnits)
    if (unit == known.name) return number * known.base;
  return std::nullopt;
}

bool smi_error(const std::string& value) {
  const bool brackets = value.size() > 2 && value.front() == '[' && value.back() == ']';
  const std::string word = brackets ? value.substr(1, value.size() - 2) : value;
  return word == "GPU is lost" || word == "Unknown Error" || word == "GPU requires reset" || word == "ERR!";
}

std::vector<std::string> smi_lost(const std::vector<int>& which, const std::string& word) {
  constexpr std::size_t most_listed = 8;
  if (which.empty()) return {};
  std::string numbers;
  for (std::size_t i = 0; i < which.size() && i < most_listed; ++i)
    numbers += (i ? ", " : "") + std::to_string(which[i]);
  if (which.size() > most_listed) numbers += ", ...";
  return {"GPU " + numbers + (which.size() == 1 ? " does" : " do") + " not answer the driver (" + shown(word, 30) +
          "): what is not told is unknown, and it counts as a GPU that works like the others"};
}

std::optional<NodeFacts> read_smi_query(const std::vector<std::string>& lines, const std::string&) {
  Reader reader;
  std::optional<Table> table;
  std::size_t rows = 0;
  for (const std::string& raw : lines) {
    const std::string line = trimmed(without_prefix(raw));
    if (const auto fields = fields_of_command(line); !fields.empty() && is_header(fields)) {
      table.emplace(fields);
      continue;
    }
    if (!table && line.find(',') == std::string::npos && line != "name" && line != "gpu_name") continue;
    const std::vector<std::string> cells = split_commas(line);
    if (is_header(cells)) {
      table.emplace(cells);
    } else if (table && !line.empty() && table->holds(cells) && ++rows <= kMostRows) {
      reader.row(*table, cells);
    } else {
      table.reset();
    }
  }
  if (reader.empty()) return std::nullopt;
  return reader.facts();
}

}  // namespace clustersim
