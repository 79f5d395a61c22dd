// What iperf3 and fio print for people, where nobody asked them for JSON.
//
// iperf3: "[  5]   0.00-10.00  sec   109 GBytes  93.5 Gbits/sec   receiver"; [SUM] of several streams counts instead of
// them. Of UDP what was lost, "12/800 (1.5%)", is taken off. The client's and the server's ends both print it: once.
// fio: "name: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., iodepth=64", then "name: (groupid=0, jobs=4): ..." and
// "read: IOPS=85.1k, BW=333MiB/s (349MB/s)(19.5GiB/60001msec)" or, of version 2, "read : io=20480MB, bw=348743KB/s,
// iops=85139". fio's KB, KiB, MB of version 2 and MiB are powers of two. It does not print whether it read past the
// page cache: low confidence, unless the command was pasted along with direct=1. Checked by:
// tests/sim/measurement_readers_test.cc.
#include <algorithm>
#include <map>

#include "sim/import/measurement_formats.h"
#include "sim/import/measurement_text.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

double bits_of(const std::string& unit) {
  if (unit == "Gbits/sec") return 1e9;
  if (unit == "Mbits/sec") return 1e6;
  if (unit == "Kbits/sec") return 1e3;
  return unit == "bits/sec" ? 1 : 0;
}

// The share that arrived: 1 - 0.015 of "(1.5%)".
double arrived(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.starts_with("(") || !word.ends_with("%)")) continue;
    const auto lost = number_of(word.substr(1, word.size() - 3));
    if (lost && *lost >= 0 && *lost < 100) return 1 - *lost / 100;
  }
  return 1;
}

struct Stream {
  double rate = 0;
  int line = 0;
  bool udp = false;
};

void close_run(std::map<std::string, Stream>& streams, MeasuredFile& out) {
  const auto sum = streams.find("[SUM]");
  const bool one = streams.size() == 1;
  if (!streams.empty() && (sum != streams.end() || one)) {
    const Stream& found = sum != streams.end() ? sum->second : streams.begin()->second;
    Measured measured;
    measured.subject = found.udp ? Subject::udp_rate : Subject::tcp_rate;
    measured.value = found.rate;
    measured.streams = one ? 1 : static_cast<double>(streams.size() - 1);
    measured.line = found.line;
    measured.how = found.udp ? "UDP" : "TCP";
    out.add(measured);
  }
  streams.clear();
}

// A number and what stands directly behind it: "85.1k", "333MiB/s", "4096B".
struct Quantity {
  double number = 0;
  std::string unit;
};
std::optional<Quantity> quantity_of(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const auto number = number_of(text.substr(0, end));
  if (!number) return std::nullopt;
  const std::size_t stop = end == std::string::npos ? end : text.find_first_of(" ,()-", end);
  return Quantity{*number, end == std::string::npos ? "" : text.substr(end, stop - end)};
}

// What follows "key=" in the line, "" where it is not there.
std::string after(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key + "=");
  return at == std::string::npos ? "" : trimmed(line.substr(at + key.size() + 1));
}

double power_of_two(const std::string& unit) {
  const char first = unit.empty() ? ' ' : unit[0];
  if (first == 'K' || first == 'k') return 1024;
  if (first == 'M' || first == 'm') return 1024.0 * 1024;
  return first == 'G' || first == 'g' ? 1024.0 * 1024 * 1024 : 1;
}

struct PrintedJob {
  std::string rw;
  double block = 0, depth = 1;
};

double block_in(const std::string& line) {
  std::string text = after(line, "bs");
  if (text.starts_with("(R) ")) text = text.substr(4);
  const auto block = quantity_of(text);
  return block ? std::clamp(block->number * power_of_two(block->unit), 0.0, 1e15) : 0;
}

void take_way(const std::string& line, const PrintedJob& job, double jobs, bool direct, int number, MeasuredFile& out) {
  const bool reading = line.starts_with("read");
  const auto rate = quantity_of(after(line, contains(line, "BW=") ? "BW" : "bw"));
  auto iops = quantity_of(after(line, contains(line, "IOPS=") ? "IOPS" : "iops"));
  if (!rate || rate->number == 0) return;
  if (iops) iops->number *= iops->unit == "k" ? 1e3 : iops->unit == "M" ? 1e6 : 1;
  constexpr double streaming_block = 65536;
  const bool random = contains(job.rw, "rand") && job.block < streaming_block;
  Measured measured;
  measured.subject = random    ? reading ? Subject::storage_read_iops : Subject::storage_write_iops
                     : reading ? Subject::storage_read
                               : Subject::storage_write;
  measured.value = random && iops ? iops->number : rate->number * power_of_two(rate->unit);
  if (random && !iops) measured.value /= std::max(1.0, job.block);
  measured.bytes = job.block;
  measured.streams = std::clamp(job.depth * jobs, 1.0, 1e9);
  measured.line = number;
  measured.confidence = direct ? Confidence::high : Confidence::low;
  measured.how = std::string(random ? "random" : "sequential") + (direct ? ", direct" : ", perhaps the page cache");
  out.add(measured);
}

}  // namespace

bool is_iperf3_text(const std::string& text) {
  for (const std::string& line : lines_of(text))
    if (contains(line, "bits/sec") && trimmed(line).ends_with("receiver")) return true;
  return false;
}

void read_iperf3_text(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "iperf3";
  std::map<std::string, Stream> streams;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = trimmed(without_prefix(raw));
    const std::size_t close = line.find(']');
    if (contains(line, " connected to ") || contains(line, "Accepted connection")) close_run(streams, out);
    if (const std::size_t at = raw.find("iperf3: error");
        at != std::string::npos) {  // of the run before; what it printed until then is of an unknown part
      out.warn(number, "iperf3 reports an error, " + shown(trimmed(raw.substr(at + 13))) + ": left out");
      streams.clear();
    }
    if (!line.starts_with("[") || close == std::string::npos || !line.ends_with("receiver")) continue;
    const auto words = words_of(line.substr(close + 1));
    for (std::size_t i = 1; i < words.size(); ++i) {
      const double bits = bits_of(words[i]);
      const auto value = number_of(words[i - 1]);
      if (bits <= 0 || !value) continue;
      std::string id = line.substr(0, close + 1);
      std::erase(id, ' ');
      const bool udp = line.find("%)") != std::string::npos;
      if (streams.size() < 1000) streams[id] = {*value * bits / 8 * arrived(words), number, udp};
    }
  }
  close_run(streams, out);
  if (out.values.empty()) out.warn(0, "no line of a receiver with its rate");
}

bool is_fio_text(const std::string& text) {
  return contains(text, "(groupid=") && contains(text, "jobs=") && (contains(text, "BW=") || contains(text, "bw="));
}

void read_fio_text(const std::string& text, const ReaderOptions&, MeasuredFile& out) {
  out.program = "fio";
  const bool direct = contains(text, "direct=1");
  std::map<std::string, PrintedJob> jobs;
  const PrintedJob none;
  const PrintedJob* open = nullptr;
  double processes = 1;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string line = trimmed(without_prefix(raw));
    const std::size_t colon = line.find(": (");
    if (line.starts_with("fio-") && line.size() < 24) out.program = line;
    if (colon != std::string::npos && contains(line, "(g=") && contains(line, "rw=") && jobs.size() < 1000) {
      const auto depth = quantity_of(after(line, "iodepth"));
      const std::string rw = after(line, "rw");
      jobs[line.substr(0, colon)] = {rw.substr(0, rw.find(',')), block_in(line),
                                     depth ? std::clamp(depth->number, 1.0, 1e6) : 1};
    } else if (colon != std::string::npos && contains(line, "(groupid=")) {
      const auto found = jobs.find(line.substr(0, colon));
      open = found == jobs.end() ? &none : &found->second;
      const auto count = quantity_of(after(line, "jobs"));
      processes = count ? std::clamp(count->number, 1.0, 1e6) : 1;
      const auto error = quantity_of(after(line, "err"));
      if (error && error->number > 0) out.warn(number, "a job ended with an error: left out"), open = nullptr;
    } else if (open != nullptr && (line.starts_with("read") || line.starts_with("write")) &&
               (contains(line, "BW=") || contains(line, "bw="))) {
      take_way(line, *open, processes, direct, number, out);
    } else if (line.starts_with("Run status")) {
      open = nullptr;
    }
  }
  if (!direct) out.warn(0, "fio's text does not say direct=1: the page cache may have answered");
}

}  // namespace clustersim
