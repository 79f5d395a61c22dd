// The table of benchmark outputs that can be read. A format is recognised by what a text holds, never by a file's name.
#pragma once

#include <string>
#include <vector>

#include "sim/import/measurement.h"

namespace clustersim {

struct ReaderOptions {
  std::optional<CollectiveOp> op;  // of a log that does not say; else what the log says
};

struct MeasurementFormat {
  const char* name;
  const char* meaning;
  bool (*recognises)(const std::string& text);
  void (*read)(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
};

// In the order in which they are tried.
const std::vector<MeasurementFormat>& measurement_formats();

// The first format that recognises the text, read; `format` stays empty where none does.
MeasuredFile read_measurements(const std::string& file, const std::string& text, const ReaderOptions& options = {});

// One for each format: a file of its own.
bool is_own_records(const std::string& text);
bool is_nccl_json(const std::string& text);
bool is_nccl_text(const std::string& text);
bool is_deepspeed_log(const std::string& text);
bool is_perftest(const std::string& text);
bool is_iperf3(const std::string& text);
bool is_fio(const std::string& text);
bool is_dd(const std::string& text);
bool is_iperf3_text(const std::string& text);
bool is_fio_text(const std::string& text);
bool is_nvbandwidth(const std::string& text);
bool is_bandwidth_test(const std::string& text);
bool is_p2p_test(const std::string& text);
bool is_copy_test(const std::string& text);
bool is_stream(const std::string& text);
void read_own_records(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_nccl_json(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_nccl_text(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_deepspeed_log(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_perftest(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_iperf3(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_fio(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_iperf3_text(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_fio_text(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_dd(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_nvbandwidth(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_bandwidth_test(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_p2p_test(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_copy_test(const std::string& text, const ReaderOptions& options, MeasuredFile& out);
void read_stream(const std::string& text, const ReaderOptions& options, MeasuredFile& out);

}  // namespace clustersim
