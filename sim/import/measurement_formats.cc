#include "sim/import/measurement_formats.h"

namespace clustersim {

const std::vector<MeasurementFormat>& measurement_formats() {
  static const std::vector<MeasurementFormat> formats = {
      {"clustersim measurements", "clustersim-gpubench and clustersim-hostbench", is_own_records, read_own_records},
      {"nccl-tests JSON", "nccl-tests and rccl-tests with -J", is_nccl_json, read_nccl_json},
      {"nccl-tests text", "nccl-tests and rccl-tests", is_nccl_text, read_nccl_text},
      {"DeepSpeed log", "the table of deepspeed.comm.log_summary()", is_deepspeed_log, read_deepspeed_log},
      {"fio JSON", "fio --output-format=json or json+", is_fio, read_fio},
      {"iperf3 JSON", "iperf3 --json", is_iperf3, read_iperf3},
      {"fio text", "what fio prints by itself; JSON tells more", is_fio_text, read_fio_text},
      {"iperf3 text", "what iperf3 prints by itself", is_iperf3_text, read_iperf3_text},
      {"perftest", "ib_write_bw, ib_read_bw, ib_send_bw, ib_write_lat, ib_read_lat, ib_send_lat; text or JSON",
       is_perftest, read_perftest},
      {"nvbandwidth", "nvbandwidth, text or JSON", is_nvbandwidth, read_nvbandwidth},
      {"p2pBandwidthLatencyTest", "the CUDA sample", is_p2p_test, read_p2p_test},
      {"bandwidthTest", "the CUDA sample, text or CSV", is_bandwidth_test, read_bandwidth_test},
      {"copy test", "gpu_copy of SuperBench, hipBusBandwidth of ROCm", is_copy_test, read_copy_test},
      {"STREAM", "the memory test, and SuperBench's of a GPU", is_stream, read_stream},
      {"dd", "the lines that dd prints", is_dd, read_dd},
  };
  return formats;
}

MeasuredFile read_measurements(const std::string& file, const std::string& text, const ReaderOptions& options) {
  MeasuredFile out;
  out.file = file;
  for (const MeasurementFormat& format : measurement_formats()) {
    if (!format.recognises(text)) continue;
    out.format = format.name;
    format.read(text, options, out);
    break;
  }
  return out;
}

}  // namespace clustersim
