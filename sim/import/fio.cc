// fio JSON of versions 2 and 3, json+ too. Jobs stand in jobs[], or in client_stats[] of a client; several documents
// (--status-interval) repeat a run, so the last one counts.
//
//   rate        bw_bytes (3.x), else bw in KiB/s;  iops as printed;  latency clat_ns (3.x) or clat in us (2.x), mean
// Jobs of one name without group_reporting ran together, so their rates are added. Blocks of 64 KiB or more, or an rw
// without "rand", are streaming; smaller random blocks are operations a second. A latency counts at depth 1 only.
// Without direct=1 the page cache may have answered: low confidence.
#include <algorithm>
#include <map>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"

namespace clustersim {
namespace {

constexpr double streaming_block = 65536;

// "4k", "1M", "131072": fio's block sizes, powers of two.
double block_of(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 12) return 0;
  double value = number_of(text.substr(0, digits)).value_or(0);
  const char unit = digits < text.size() ? text[digits] : ' ';
  if (unit == 'k' || unit == 'K') value *= 1024;
  if (unit == 'm' || unit == 'M') value *= 1024.0 * 1024;
  if (unit == 'g' || unit == 'G') value *= 1024.0 * 1024 * 1024;
  return value;
}

struct Way {
  double bytes_per_s = 0, iops = 0, latency_s = 0;
  double most_off = 1;  // factor by which bytes over runtime differ from the rate
};

Way way_of(const JsonValue& job, const std::string& name) {
  Way way;
  const JsonValue* io = at_path(job, name);
  if (io == nullptr) return way;
  way.bytes_per_s = number_at(*io, "bw_bytes").value_or(number_at(*io, "bw").value_or(0) * 1024);
  way.iops = number_at(*io, "iops").value_or(0);
  // Of version 3: bytes and milliseconds.
  const double bytes = number_at(*io, "io_bytes").value_or(0), runtime_s = number_at(*io, "runtime").value_or(0) * 1e-3;
  if (at_path(*io, "bw_bytes") != nullptr && bytes > 0 && runtime_s > 0 && way.bytes_per_s > 0) {
    const double off = way.bytes_per_s * runtime_s / bytes;
    way.most_off = std::max(off, 1 / off);
  }
  for (const char* key : {"clat_ns", "lat_ns"})
    if (way.latency_s <= 0) way.latency_s = number_at(*io, std::string(key) + "/mean").value_or(0) * 1e-9;
  for (const char* key : {"clat", "lat"})
    if (way.latency_s <= 0) way.latency_s = number_at(*io, std::string(key) + "/mean").value_or(0) * 1e-6;
  return way;
}

// The job's options over the global ones.
struct Settings {
  const JsonValue& job;
  const JsonValue& document;
  std::string operator()(const std::string& key) const {
    for (const auto& path : {"job options/" + key, "job_options/" + key}) {
      const JsonValue* found = at_path(job, path);
      if (found != nullptr) return found->text;
    }
    for (const auto& path : {"global options/" + key, "global_options/" + key}) {
      const JsonValue* found = at_path(document, path);
      if (found != nullptr) return found->text;
    }
    return "";
  }
};

bool has_group_reporting(const JsonValue& job, const JsonValue& document) {
  return at_path(job, "job options/group_reporting") != nullptr ||
         at_path(document, "global options/group_reporting") != nullptr;
}

struct Group {
  std::string name;
  Way read, write;
  double block = 0, depth = 1, jobs = 0;
  bool random = false, direct = false;
  bool one_block = true;  // for reads and writes
};

void join(Way& sum, const Way& one, double jobs) {
  sum.bytes_per_s += one.bytes_per_s;
  sum.iops += one.iops;
  sum.most_off = std::max(sum.most_off, one.most_off);
  sum.latency_s = (sum.latency_s * jobs + one.latency_s) / (jobs + 1);
}

void add_group(const Group& group, bool reading, int line, MeasuredFile& out) {
  const Way& way = reading ? group.read : group.write;
  if (way.bytes_per_s == 0) return;
  double block = group.block;
  if (block <= 0 && way.iops > 0) block = way.bytes_per_s / way.iops;
  // Ramp times and pauses (rate limits, think time) are in neither or both; what differs by more is no run's.
  constexpr double most_off = 2;
  const double block_off =
      group.one_block && group.block > 0 && way.iops > 0 ? way.bytes_per_s / (way.iops * group.block) : 1;
  if (way.most_off > most_off || block_off > most_off || block_off < 1 / most_off) {
    out.warn(line, std::string(reading ? "read" : "write") +
                       ": the rate does not follow from bytes and time, or from iops and blocks, within a factor of 2: "
                       "left out");
    return;
  }
  Measured measured;
  measured.bytes = std::clamp(block, 0.0, 1e15);
  measured.streams = std::clamp(group.depth * std::max(1.0, group.jobs), 1.0, 1e9);
  measured.line = line;
  measured.how =
      std::string(group.random ? "random" : "sequential") + (group.direct ? ", direct" : ", through the cache");
  if (!group.direct) measured.confidence = Confidence::low;
  if (group.random && block < streaming_block) {
    measured.subject = reading ? Subject::storage_read_iops : Subject::storage_write_iops;
    measured.value = way.iops > 0 ? way.iops : way.bytes_per_s / std::max(1.0, block);
  } else {
    measured.subject = reading ? Subject::storage_read : Subject::storage_write;
    measured.value = way.bytes_per_s;
  }
  out.add(measured);
  if (group.depth <= 1 && way.latency_s > 0 && block < streaming_block) {
    measured.subject = reading ? Subject::storage_read_latency : Subject::storage_write_latency;
    measured.value = way.latency_s;
    out.add(measured);
  }
}

void read_document(const FoundJson& found, MeasuredFile& out) {
  const JsonValue* jobs = at_path(found.value, "jobs");
  if (jobs == nullptr || jobs->items.empty()) jobs = at_path(found.value, "client_stats");
  if (jobs == nullptr) return;
  const std::string version = text_at(found.value, "fio version");
  if (!version.empty() && version.size() < 24) out.program = version;
  const bool all_clients = std::any_of(jobs->items.begin(), jobs->items.end(),
                                       [](const JsonValue& j) { return text_at(j, "jobname") == "All clients"; });
  std::vector<Group> groups;
  for (const JsonValue& job : jobs->items) {
    if (job.kind != JsonValue::Kind::object) continue;
    const std::string name = text_at(job, "jobname");
    if (all_clients && name == "All clients") continue;  // the sum of the others
    if (const double error = number_at(job, "error").value_or(0); error != 0) {
      out.warn(found.line, "a job ended with error " +
                               std::to_string(static_cast<long long>(std::clamp(error, -1e9, 1e9))) + ": left out");
      continue;
    }
    const Settings setting{job, found.value};
    const std::string id =
        name + "/" +
        std::to_string(static_cast<long long>(std::clamp(number_at(job, "groupid").value_or(0), 0.0, 1e9)));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == id; });
    if (group == groups.end()) {
      if (groups.size() >= 1000) continue;
      group = groups.insert(groups.end(), Group{});
      group->name = id;
      const std::string rw = setting("rw").empty() ? setting("readwrite") : setting("rw");
      group->random = contains(rw, "rand");
      group->direct = setting("direct") == "1" || setting("direct") == "true";
      const std::string block = setting("bs").empty() ? setting("blocksize") : setting("bs");
      group->block = block_of(block);
      group->one_block = !contains(block, ",");
      group->depth = std::clamp(number_of(setting("iodepth")).value_or(1), 1.0, 1e6);
      if (rw.empty()) {  // small blocks are taken for random ones
        const Way way = way_of(job, "read").bytes_per_s > 0 ? way_of(job, "read") : way_of(job, "write");
        group->random = way.iops > 0 && way.bytes_per_s / way.iops < streaming_block;
        out.warn(found.line, "rw is not said: " + std::string(group->random ? "random" : "sequential") +
                                 " assumed by the block size");
      }
      if (!group->direct) out.warn(found.line, "not direct=1: the page cache may have answered");
    }
    join(group->read, way_of(job, "read"), group->jobs);
    join(group->write, way_of(job, "write"), group->jobs);
    if (group->jobs == 0 && has_group_reporting(job, found.value))
      group->jobs = std::clamp(number_of(setting("numjobs")).value_or(1), 1.0, 1e6) - 1;
    group->jobs += 1;
  }
  for (const Group& group : groups) {
    add_group(group, true, found.line, out);
    add_group(group, false, found.line, out);
  }
}

}  // namespace

bool is_fio(const std::string& text) {
  return contains(text, "\"fio version\"") || (contains(text, "\"jobname\"") && contains(text, "\"iops\""));
}

void read_fio(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "fio";
  int cut_off = 0;
  const auto documents = json_documents(text, &cut_off);
  if (cut_off > 0) out.warn(cut_off, "this document is cut off: left out");
  // Documents of one run share a start; the newest has the whole run. Runs that differ are all read.
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bool superseded = false;
    if (i + 1 < documents.size()) {
      const JsonValue *mine = at_path(documents[i].value, "jobs"), *other = at_path(documents[i + 1].value, "jobs");
      superseded = mine != nullptr && other != nullptr && !mine->items.empty() && !other->items.empty() &&
                   text_at(mine->items[0], "jobname") == text_at(other->items[0], "jobname") &&
                   number_at(mine->items[0], "read/io_bytes") <= number_at(other->items[0], "read/io_bytes") &&
                   number_at(mine->items[0], "write/io_bytes") <= number_at(other->items[0], "write/io_bytes") &&
                   number_at(mine->items[0], "elapsed") < number_at(other->items[0], "elapsed");
    }
    if (!superseded) read_document(documents[i], out);
  }
  if (out.values.empty() && out.warnings.empty()) out.warn(0, "no job moved any bytes");
}

}  // namespace clustersim
