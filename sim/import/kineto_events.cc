#include "sim/import/kineto_events.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "clustersim/error.h"
#include "sim/import/json_stream.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 30;
constexpr std::size_t most_events = 10'000'000;  // 56 bytes each
constexpr std::size_t most_names = 500'000, longest_name = 300;
constexpr std::size_t most_payloads = 1'000'000;
constexpr double most_ns = 9e18;
constexpr std::int64_t longest_ns = std::int64_t{3600} * 1'000'000'000;  // of one event that is believed
constexpr std::size_t look_back = 64;                                    // events of one instant that are compared

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// Microseconds as written, in nanoseconds: "1700000000123456.789" does not fit a double.
std::optional<std::int64_t> nanoseconds(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::number && value.kind != JsonValue::Kind::text) return std::nullopt;
  const std::string& text = value.text;
  const bool negative = !text.empty() && text[0] == '-';
  std::size_t i = negative ? 1 : 0;
  std::int64_t ns = 0;
  std::size_t digits = 0;
  for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i, ++digits) {
    if (digits > 15) return std::nullopt;
    ns = ns * 10 + (text[i] - '0');
  }
  if (digits == 0) return std::nullopt;
  ns *= 1000;
  if (i < text.size() && text[i] == '.') {
    std::int64_t unit = 100;
    for (++i; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i, unit /= 10)
      ns += unit * (text[i] - '0');
  }
  if (i == text.size()) return negative ? -ns : ns;
  if (value.kind != JsonValue::Kind::number) return std::nullopt;
  const double rounded = value.number * 1000;  // written with an exponent
  if (!(std::abs(rounded) < most_ns)) return std::nullopt;
  return std::llround(rounded);
}

std::optional<std::int64_t> whole(const JsonValue& object, const char* key) {
  const auto number = number_at(object, key);
  if (!number || std::abs(*number) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// The numbers of "[0, 1, 2]", as text or as list.
std::vector<std::int64_t> ranks_of(const JsonValue& args) {
  std::vector<std::int64_t> ranks;
  const JsonValue* value = args.find("Process Group Ranks");
  if (value == nullptr) return ranks;
  if (value->kind == JsonValue::Kind::list) {
    for (const JsonValue& item : value->items)
      if (item.kind == JsonValue::Kind::number && std::abs(item.number) < 1e9)
        ranks.push_back(static_cast<std::int64_t>(item.number));
    return ranks;
  }
  if (value->kind != JsonValue::Kind::text || value->text.find("...") != std::string::npos) return ranks;
  const char* at = value->text.data();
  const char* const end = at + value->text.size();
  while (at < end) {
    std::int64_t rank = 0;
    const auto parsed = std::from_chars(at, end, rank);
    if (parsed.ec == std::errc()) ranks.push_back(rank);
    at = parsed.ec == std::errc() ? parsed.ptr : at + 1;
  }
  return ranks;
}

class EventReader {
 public:
  explicit EventReader(const std::string& path) : path_(path) {}

  KinetoFile read() {
    const auto source = open_source(path_, most_bytes);
    JsonStreamUser user;
    user.lists = {"traceEvents"};
    user.element = [&](const std::string&, JsonValue& value) { add(value); };
    user.member = [&](const std::string& key, JsonValue& value) { add_member(key, value); };
    const JsonStreamEnd end = stream_json(*source, user);
    file_.trouble = end.trouble;
    if (file_.events.empty()) {
      std::string hint = execution_trace_
                             ? "this is a PyTorch execution trace, which has no times: import the profile of the run"
                             : "";
      for (const auto& [what, count] : file_.faulty)
        hint += (hint.empty() ? "" : "; ") + std::to_string(count) + " " + what;
      throw InputError({{path_, "", "events of a PyTorch profiler: a list, or an object with \"traceEvents\"",
                         end.complete ? "none that has a time" : end.trouble, hint}});
    }
    std::sort(file_.events.begin(), file_.events.end(), [](const KinetoEvent& a, const KinetoEvent& b) {
      return std::tie(a.start_ns, b.duration_ns, a.kind, a.thread, a.stream, a.name, a.correlation, a.external) <
             std::tie(b.start_ns, a.duration_ns, b.kind, b.thread, b.stream, b.name, b.correlation, b.external);
    });
    drop_repeats();
    cut_overlaps();
    for (const auto& [name, count] : categories_) file_.left_out["of the category " + name] += count;
    return std::move(file_);
  }

 private:
  void leave_out(const char* why) { ++file_.left_out[why]; }
  void leave_out_category(const JsonValue& event) {
    constexpr std::size_t most_categories = 6, longest = 40;
    const std::string* category = text_at(event, "cat");
    const std::string name = category ? lower(category->substr(0, longest)) : "none";
    const bool known = categories_.count(name) > 0 || categories_.size() < most_categories;
    ++categories_[known ? name : "others"];
  }
  void leave_out(const char* why, KinetoKind kind) {
    ++file_.faulty[std::string(kind == KinetoKind::kernel ? "kernels " : "events ") + why];
  }

  void add_member(const std::string& key, const JsonValue& value) {
    if (key == "deviceProperties" && value.kind == JsonValue::Kind::list && !value.items.empty()) {
      if (const std::string* name = text_at(value.items.front(), "name")) file_.gpu = name->substr(0, longest_name);
    } else if (key == "schema" && value.text.find("chakra") != std::string::npos) {
      execution_trace_ = true;
    } else if (key == "distributedInfo") {
      if (const auto rank = whole(value, "rank"))
        file_.rank = static_cast<int>(std::clamp<std::int64_t>(*rank, -1, 1 << 24));
      if (const auto world = whole(value, "world_size"))
        file_.world = static_cast<int>(std::clamp<std::int64_t>(*world, 0, 1 << 24));
    }
  }

  std::optional<KinetoKind> kind_of(const JsonValue& event, const std::string& name) const {
    const std::string* written = text_at(event, "cat");
    const std::string category = written ? lower(*written) : "";
    if (category == "gpu_user_annotation") return std::nullopt;  // the host's range again, on the GPU's clock
    if (starts(name, "ProfilerStep#")) return KinetoKind::step;
    if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" || category == "memcpy" ||
        category == "memset")
      return KinetoKind::kernel;
    if (category == "cuda_runtime" || category == "cuda_driver" || category == "runtime" || category == "hip_runtime" ||
        category == "driver")
      return KinetoKind::runtime;
    if (starts(name, "Optimizer.step")) return KinetoKind::optimizer;
    if (category == "user_annotation" || starts(name, "Optimizer.") || starts(name, "DistributedDataParallel.") ||
        starts(name, "enumerate(DataLoader)"))
      return starts(name, "gloo:") || starts(name, "mpi:") ? KinetoKind::cpu_op : KinetoKind::annotation;
    if (category == "cpu_op" || category == "operator") return KinetoKind::cpu_op;
    if (!category.empty()) return std::nullopt;
    const std::string* process = text_at(event, "pid");  // before Kineto
    if (process == nullptr) return std::nullopt;
    if (starts(*process, "CPU")) return KinetoKind::cpu_op;
    if (starts(*process, "CUDA")) return KinetoKind::kernel;
    return std::nullopt;
  }

  void add(const JsonValue& event) {
    const std::string* phase = text_at(event, "ph");
    const std::string* name = text_at(event, "name");
    if (phase == nullptr || name == nullptr) return leave_out("without a phase or a name");
    if (*phase != "X") return leave_out("no range of time (arrows, names, instants)");
    const auto kind = kind_of(event, *name);
    if (!kind) return leave_out_category(event);
    const JsonValue* start = event.find("ts");
    const JsonValue* duration = event.find("dur");
    const auto start_ns = start ? nanoseconds(*start) : std::nullopt;
    const auto duration_ns = duration ? nanoseconds(*duration) : std::nullopt;
    if (!start_ns || !duration_ns) return leave_out("without a start and a duration that are numbers", *kind);
    if (*duration_ns < 0 || *duration_ns > longest_ns) {
      if (file_.first_faulty.empty() && *kind == KinetoKind::kernel)
        file_.first_faulty = shown(*name) + " of " + shown(duration->text, 24) + " us";
      return leave_out("with a duration below 0 or above an hour", *kind);
    }
    KinetoEvent e;
    e.start_ns = *start_ns, e.duration_ns = *duration_ns, e.kind = *kind;
    note_shape(args_of(event), *name);
    if (e.kind == KinetoKind::kernel && !kernels_) drop_operators();
    const bool wanted = args_of(event).find("Collective name") || args_of(event).find("In msg nelems");
    if (kernels_ && is_host_work(e.kind) && !wanted) return leave_out("operators of the host beside a GPU");
    if (file_.events.size() >= most_events)
      throw InputError({{path_, "", "at most " + std::to_string(most_events) + " events of steps", "more",
                         "record fewer steps: a few say the same"}});
    e.name = name_id(name->substr(0, longest_name));
    e.thread = thread_id(event);
    const JsonValue& args = args_of(event);
    e.correlation = whole(args, "correlation").value_or(-1);
    e.external = whole(args, "External id").value_or(whole(args, "external id").value_or(-1));
    if (e.kind == KinetoKind::kernel) e.stream = stream_id(args, event);
    if (args.find("Collective name") || args.find("In msg nelems") || is_host_collective(*name))
      add_payload(e, args, *name);
    file_.events.push_back(e);
  }

  static const JsonValue& args_of(const JsonValue& event) {
    static const JsonValue none;
    const JsonValue* given = event.find("args");
    return given ? *given : none;
  }

  // What the host does by itself matters only where nothing ran on a GPU.
  static bool is_host_work(KinetoKind kind) { return kind == KinetoKind::cpu_op || kind == KinetoKind::annotation; }
  void drop_operators() {
    kernels_ = true;
    const std::size_t before = file_.events.size();
    std::erase_if(file_.events, [](const KinetoEvent& e) { return is_host_work(e.kind) && e.payload < 0; });
    if (before > file_.events.size())
      file_.left_out["operators of the host beside a GPU"] += before - file_.events.size();
  }

  static bool is_host_collective(const std::string& name) { return starts(name, "gloo:") || starts(name, "mpi:"); }

  // -1: not known.
  double elements_at(const JsonValue& args, const char* key) {
    constexpr double most_elements = 1e14;  // of one collective
    const double number = number_at(args, key).value_or(-1);
    if (number <= most_elements) return number;
    ++file_.left_out["sizes of collectives that no collective has"];
    return -1;
  }

  void add_payload(KinetoEvent& e, const JsonValue& args, const std::string& name) {
    if (file_.payloads.size() >= most_payloads) return;
    KinetoPayload p;
    const std::string* op = text_at(args, "Collective name");
    p.op = (op ? *op : name).substr(0, longest_name);
    p.in_elements = elements_at(args, "In msg nelems");
    p.out_elements = elements_at(args, "Out msg nelems");
    if (const std::string* type = text_at(args, "dtype")) p.element_bytes = element_bytes(*type);
    if (p.in_elements < 0) take_shapes(p, args);
    const std::vector<std::int64_t> ranks = ranks_of(args);
    p.group = static_cast<int>(std::clamp<std::int64_t>(whole(args, "Group size").value_or(0), 0, 1 << 24));
    if (p.group == 0) p.group = static_cast<int>(ranks.size());
    if (ranks.size() > 1 && ranks[1] > ranks[0])
      p.stride = static_cast<int>(std::min<std::int64_t>(ranks[1] - ranks[0], 1 << 24));
    e.payload = static_cast<std::int32_t>(file_.payloads.size());
    file_.payloads.push_back(std::move(p));
  }

  // Shapes of a collective of the host: "Input Dims": [[[1024]]], "Input type": ["TensorList"] or ["float"].
  static void take_shapes(KinetoPayload& p, const JsonValue& args) {
    const JsonValue* shapes = args.find("Input Dims");
    const JsonValue* types = args.find("Input type");
    if (shapes == nullptr || types == nullptr) return;
    double elements = 0;
    count_elements(*shapes, elements);
    for (const JsonValue& type : types->items)
      if (type.kind == JsonValue::Kind::text && element_bytes(type.text) > 0)
        p.element_bytes = element_bytes(type.text);
    if (elements > 0 && p.element_bytes > 0) p.in_elements = elements;
  }

  static void count_elements(const JsonValue& shapes, double& elements) {
    double product = 1;
    bool numbers = !shapes.items.empty();
    for (const JsonValue& item : shapes.items) {
      if (item.kind == JsonValue::Kind::list) count_elements(item, elements);
      if (item.kind == JsonValue::Kind::number) product *= item.number;
      numbers = numbers && item.kind == JsonValue::Kind::number;
    }
    if (numbers) elements += product;
  }

  void note_shape(const JsonValue& args, const std::string& name) {
    if (file_.first_dimension > 0) return;
    const bool tells =
        name == "aten::conv2d" || name == "aten::convolution" || name == "aten::linear" || name == "aten::embedding";
    const JsonValue* shapes = tells ? args.find("Input Dims") : nullptr;
    if (shapes == nullptr) return;
    const std::size_t place = name == "aten::embedding" ? 1 : 0;
    if (shapes->items.size() <= place || shapes->items[place].items.empty()) return;
    const JsonValue& first = shapes->items[place].items.front();
    if (first.kind != JsonValue::Kind::number || first.number < 1 || first.number > 1e7) return;
    file_.first_dimension = first.number;
    file_.first_operator = name;
  }

  std::int32_t name_id(std::string name) {
    const auto known = name_ids_.find(name);
    if (known != name_ids_.end()) return known->second;
    if (file_.names.size() >= most_names) name = "other";
    const auto [at, is_new] = name_ids_.try_emplace(name, static_cast<std::int32_t>(file_.names.size()));
    if (is_new) file_.names.push_back(std::move(name));
    return at->second;
  }

  std::int32_t thread_id(const JsonValue& event) {
    const JsonValue* tid = event.find("tid");
    const std::string text = tid ? tid->text : "";
    return small_id(thread_ids_, text);
  }
  std::int16_t stream_id(const JsonValue& args, const JsonValue& event) {
    const JsonValue* stream = args.find("stream");
    if (stream == nullptr) stream = event.find("tid");
    const JsonValue* device = args.find("device");
    const std::string of_device = device ? device->text : "";
    if (!of_device.empty()) small_id(device_ids_, of_device);
    file_.devices = device_ids_.size();
    const std::string text = stream ? stream->text : "";
    return static_cast<std::int16_t>(
        std::min(small_id(stream_ids_, text.empty() ? "" : text + "@" + of_device), 30000));
  }
  static std::int32_t small_id(std::map<std::string, std::int32_t>& ids, const std::string& text) {
    if (ids.size() > 30000) return 0;
    return ids.try_emplace(text.substr(0, 64), static_cast<std::int32_t>(ids.size())).first->second;
  }

  // The same event written twice.
  void drop_repeats() {
    const std::size_t before = file_.events.size();
    const auto same = [](const KinetoEvent& a, const KinetoEvent& b) {
      return a.start_ns == b.start_ns && a.duration_ns == b.duration_ns && a.name == b.name && a.thread == b.thread &&
             a.stream == b.stream && a.kind == b.kind && a.correlation == b.correlation;
    };
    const auto keeps = [&](const KinetoEvent& e) {
      return e.kind == KinetoKind::kernel || e.kind == KinetoKind::step || e.correlation >= 0;
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < file_.events.size(); ++i) {
      bool repeat = false;
      if (keeps(file_.events[i]))
        for (std::size_t k = kept;
             k-- > 0 && kept - k < look_back && file_.events[k].start_ns == file_.events[i].start_ns;)
          if (same(file_.events[k], file_.events[i]) && (repeat = true)) break;
      if (!repeat) file_.events[kept++] = file_.events[i];
    }
    file_.events.resize(kept);
    if (before > kept) file_.left_out["written twice"] += before - kept;
  }

  // A queue of a GPU runs one kernel after the other: one that is said to run on while the next does has a wrong end.
  // Those that begin before the last has quite drained overlap by microseconds, and are cut too.
  void cut_overlaps() {
    constexpr std::int64_t told_ns = 1'000'000;
    std::map<std::int16_t, std::size_t> last;  // by stream
    const auto untold = stream_ids_.find("");
    for (std::size_t i = 0; i < file_.events.size(); ++i) {
      const KinetoEvent& e = file_.events[i];
      if (e.kind != KinetoKind::kernel || (untold != stream_ids_.end() && e.stream == untold->second)) continue;
      const auto [at, is_new] = last.try_emplace(e.stream, i);
      if (is_new) continue;
      KinetoEvent& before = file_.events[at->second];
      file_.overlaps += before.end_ns() > e.start_ns + told_ns;
      before.duration_ns = std::min(before.duration_ns, e.start_ns - before.start_ns);
      at->second = i;
    }
  }

  std::string path_;
  KinetoFile file_;
  bool kernels_ = false, execution_trace_ = false;          // one was seen
  std::map<std::string, std::size_t> categories_;           // left out
  std::unordered_map<std::string, std::int32_t> name_ids_;  // looked up, never walked through
  std::map<std::string, std::int32_t> thread_ids_, stream_ids_, device_ids_;
};

}  // namespace

KinetoFile read_kineto_events(const std::string& path) { return EventReader(path).read(); }

double element_bytes(const std::string& type) {
  std::string word = lower(type);
  for (const char* prefix : {"c10::", "torch."})
    if (starts(word, prefix)) word.erase(0, std::string(prefix).size());
  struct Type {
    const char* word;
    double bytes;
  };
  constexpr Type types[] = {{"float", 4},    {"float32", 4},       {"half", 2},        {"float16", 2},
                            {"bfloat16", 2}, {"double", 8},        {"float64", 8},     {"int", 4},
                            {"int32", 4},    {"long", 8},          {"long int", 8},    {"int64", 8},
                            {"byte", 1},     {"char", 1},          {"uint8", 1},       {"int8", 1},
                            {"bool", 1},     {"unsigned char", 1}, {"signed char", 1}, {"short", 2},
                            {"int16", 2},    {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"float8_e4m3fnuz", 1}};
  for (const Type& t : types)
    if (word == t.word) return t.bytes;
  return -1;
}

}  // namespace clustersim
