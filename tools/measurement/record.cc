#include "tools/measurement/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/measurement/statistics.h"

namespace clustersim::measurement {
namespace {

using Json = nlohmann::ordered_json;

// Six digits: no measurement has more, and a reader can take them in.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

struct AsJson {
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return rounded(value); }
  Json operator()(const std::string& value) const { return value; }
};

Json json_of(const Parameters& parameters) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters) json[name] = std::visit(AsJson{}, value);
  return json;
}

Json json_of(const Numbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) {
    if (std::isfinite(value)) json[name] = rounded(value);
  }
  return json;
}

Json json_of(const Record& record) {
  Json json = {{"benchmark", record.benchmark}, {"parameters", json_of(record.parameters)}};
  if (record.outcome == Outcome::measured) {
    json["median"] = rounded(record.median);
    json["unit"] = record.unit;
    json["spread"] = rounded(record.spread);
    json["samples"] = record.samples;
  } else {
    json[record.outcome == Outcome::failed ? "failed" : "skipped"] = record.reason;
  }
  if (!record.derived.empty()) json["derived"] = json_of(record.derived);
  if (!record.conditions.empty()) json["conditions"] = json_of(record.conditions);
  for (const auto& [name, values] : record.series) {
    Json& column = json["series"][name] = Json::array();
    for (double value : values) column.push_back(rounded(value));
  }
  if (!record.note.empty()) json["note"] = record.note;
  return json;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Record without_number(Outcome outcome, std::string benchmark, Parameters parameters, std::string reason) {
  Record record;
  record.benchmark = std::move(benchmark);
  record.parameters = std::move(parameters);
  record.outcome = outcome;
  record.reason = std::move(reason);
  return record;
}

std::string temporary_beside(const std::string& path) { return path + ".part." + std::to_string(getpid()); }

std::runtime_error cannot_write(const std::string& path, int error) {
  return std::runtime_error("cannot write " + path + ": " + std::strerror(error) +
                            "; name a file in a directory that exists and is yours with -o");
}

// Where the bytes go: the file behind a link, not the link.
std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::string target = std::filesystem::canonical(path, error).string();
  return error ? path : target;
}

// A pipe, a terminal, /dev/null: written as they are, never replaced by a file.
bool is_device(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_other(path, error) && !error;
}

// Returns whether all was written.
bool write_to(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

Record measured(std::string benchmark, Parameters parameters, const std::vector<double>& samples, std::string unit) {
  const Summary summary = summarise(samples);
  Record record;
  record.benchmark = std::move(benchmark);
  record.parameters = std::move(parameters);
  record.median = summary.median;
  record.spread = summary.spread;
  record.samples = static_cast<std::int64_t>(samples.size());
  record.unit = std::move(unit);
  return record;
}

Record failed(std::string benchmark, Parameters parameters, std::string reason) {
  return without_number(Outcome::failed, std::move(benchmark), std::move(parameters), std::move(reason));
}

Record skipped(std::string benchmark, Parameters parameters, std::string reason) {
  return without_number(Outcome::skipped, std::move(benchmark), std::move(parameters), std::move(reason));
}

std::string to_json(const MeasurementFile& file) {
  std::string text = "{\n  \"clustersim_measurements\": 1,\n";
  text += "  \"program\": " + dump(file.program) + ",\n";
  text += "  \"version\": " + dump(file.version) + ",\n";
  text += "  \"date\": " + dump(file.date) + ",\n";
  text += std::string("  \"quick\": ") + (file.quick ? "true" : "false") + ",\n";
  text += "  \"machine\": " + dump(json_of(file.machine)) + ",\n";
  text += "  \"records\": [";
  for (std::size_t i = 0; i < file.records.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + dump(json_of(file.records[i]));
  }
  return text + "\n  ]\n}\n";
}

void write_whole(const std::string& given, const std::string& text) {
  const std::string path = behind_links(given);
  const bool device = is_device(path);
  const std::string temporary = device ? path : temporary_beside(path);
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) throw cannot_write(given, errno);
  if (write_to(file, text) && (device || std::rename(temporary.c_str(), path.c_str()) == 0)) return;
  const int error = errno;
  if (!device) unlink(temporary.c_str());
  throw cannot_write(given, error);
}

void require_writable(const std::string& given) {
  const std::string path = behind_links(given);
  if (is_device(path)) return;
  if (std::error_code error; std::filesystem::is_directory(path, error)) throw cannot_write(given, EISDIR);
  const std::string temporary = temporary_beside(path);
  const int file = open(temporary.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) throw cannot_write(given, errno);
  close(file);
  unlink(temporary.c_str());
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

}  // namespace clustersim::measurement
