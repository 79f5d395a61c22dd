// clustersim-gpubench: micro-benchmarks of one GPU, into one file.
#include <cublasLt.h>
#include <cudnn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tools/gpubench/groups.h"
#include "tools/gpubench/libraries.h"
#include "tools/measurement/options.h"
#include "tools/measurement/record.h"
#include "tools/measurement/summary.h"

namespace {

using namespace clustersim;
using gpubench::Session;

constexpr int exit_input = 2, exit_fault = 70, exit_interrupted = 130;

struct Group {
  const char* name;
  const char* benchmark;  // under which a fault of the whole group is recorded
  double limit_s;         // of a whole run; --quick has a sixth
  void (*run)(Session&);
  const char* says;
};

// In the order of a fit: launches and memory, products, what is made of them; heat last.
constexpr Group groups[] = {
    {"memory", "stream_triad", 18, gpubench::run_memory, "copy, read, triad and sum through DRAM and L2"},
    {"launch", "launch_back_to_back", 8, gpubench::run_launch, "empty kernels in streams and graphs"},
    {"gemm", "gemm", 45, gpubench::run_gemm, "matrix products of many shapes and precisions"},
    {"sustained", "gemm_sustained", 26, gpubench::run_sustained, "large products until clock and power settle"},
    {"attention", "attention_products", 20, gpubench::run_attention, "batched products, softmax, fused attention"},
    {"convolution", "convolution", 60, gpubench::run_convolution, "the convolutions of ResNet-50 and their gradients"},
    {"normalisation", "batch_norm", 14, gpubench::run_normalisation, "batch and layer norm, softmax, GELU, dropout"},
    {"optimizer", "optimizer", 10, gpubench::run_optimizer, "SGD, Adam, LAMB; tensor by tensor and at once"},
    {"amp", "amp_step", 4, gpubench::run_amp, "casts, unscaling and the wait of mixed precision"},
    {"overlap", "gemm_beside_held_sms", 14, gpubench::run_overlap, "products beside held SMs and copies"},
    {"copies", "copy", 12, gpubench::run_copies, "between host and GPU, pinned and pageable"},
    {"jpeg", "jpeg_decode_gpu", 10, gpubench::run_jpeg, "decode by nvJPEG"},
    {"step", "step_chain", 24, gpubench::run_step, "chains of kernels, one by one and as a graph"},
    {"collectives", "nccl", 12, gpubench::run_collectives, "NCCL between all GPUs, where there are several"},
    {"power", "clock_sweep", 50, gpubench::run_power, "clock limits (where permitted) and a step of heat"},
};

std::string help_text() {
  std::string text =
      "clustersim-gpubench -o FILE [--quick] [--device N] [--only GROUP]...\n\n"
      "Measures one NVIDIA GPU and writes the records to FILE (docs/MEASUREMENTS.md);\n"
      "`clustersim calibrate` reads them. Takes under 5 minutes, with --quick under 1.\n"
      "Leave the GPU to it alone meanwhile. Limits of the clock need root, the rest does not.\n\n"
      "  -o FILE        where the measurements go; written anew after each group\n"
      "  --quick        fewer sizes and samples\n"
      "  --device N     which GPU, counted from 0 (default: 0)\n"
      "  --only GROUP   only this group, may be repeated:\n";
  for (const Group& group : groups) {
    std::string name = group.name;
    name.resize(15, ' ');
    text += "                   " + name + group.says + "\n";
  }
  return text;
}

// A runtime's or driver's version number: 13000 is 13.0.
std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// A library's: 91900 is 9.19.0.
std::string dotted(std::size_t number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

std::string cpu_model() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

measurement::Parameters describe(Session& session) {
  const cudaDeviceProp& properties = session.properties();
  measurement::Parameters machine = {
      {"gpu", std::string(properties.name)},
      {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
      {"sm_count", std::int64_t{properties.multiProcessorCount}},
      {"memory_bytes", static_cast<std::int64_t>(properties.totalGlobalMem)},
      {"l2_bytes", std::int64_t{properties.l2CacheSize}}};
  if (const auto limit = session.sensors().power_limit_w()) machine.emplace_back("power_limit_w", *limit);
  if (const auto clock = session.sensors().max_sm_clock_mhz()) machine.emplace_back("max_sm_clock_mhz", *clock);
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) machine.emplace_back(name, text);
  };
  if (const auto ecc = session.sensors().ecc()) add("ecc", *ecc ? "on" : "off");
  int runtime = 0, gpus = 0;
  gpubench::check(cudaRuntimeGetVersion(&runtime), "read the version of CUDA");
  gpubench::check(cudaGetDeviceCount(&gpus), "count the GPUs");
  machine.emplace_back("gpus", std::int64_t{gpus});
  add("driver", session.sensors().driver_version());
  add("cuda", version_text(runtime));
  if (gpubench::cublas_lt().missing().empty()) add("cublas", dotted(FROM(cublas_lt, cublasLtGetVersion)()));
  if (gpubench::cudnn().missing().empty()) add("cudnn", dotted(FROM(cudnn, cudnnGetVersion)()));
  add("nccl", gpubench::nccl_version());
  add("cpu", cpu_model());
  return machine;
}

// A driver, and a GPU of that number; else a sentence.
void require_gpu(int device) {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    throw measurement::OptionError("no GPU to measure: no NVIDIA driver is installed (nvidia-smi comes with it)");
  }
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    const cudaError_t shown = status == cudaSuccess ? cudaErrorNoDevice : status;
    throw measurement::OptionError(std::string("no GPU to measure: ") + cudaGetErrorString(shown) + "; " +
                                   gpubench::advice(shown));
  }
  if (device >= count) {
    throw measurement::OptionError("--device " + std::to_string(device) + ": this machine has " +
                                   std::to_string(count) + " GPU(s), counted from 0");
  }
}

// What a reader of the numbers should know before they are taken, on standard error and in the file.
void warn_of_company(Session& session, measurement::MeasurementFile& file) {
  const std::optional<double> busy = session.sensors().utilisation();
  if (busy) file.machine.emplace_back("busy_before_percent", *busy);
  if (busy.value_or(0) >= 10) {
    std::fprintf(stderr,
                 "clustersim-gpubench: the GPU is %.0f %% busy with other work; end that, or the rates are low\n",
                 *busy);
  }
  std::string missing;
  for (const gpubench::LateLibrary* library : {&gpubench::cublas_lt(), &gpubench::cudnn()}) {
    if (!library->missing().empty()) missing += "clustersim-gpubench: skipped what needs " + library->missing() + "\n";
  }
  std::fputs(missing.c_str(), stderr);
}

// What is set for debugging or for one framework would change what is measured.
void forget_settings() {
  for (const char* name : {"CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "NVIDIA_TF32_OVERRIDE"}) {
    unsetenv(name);
  }
}

int run(int count, char** arguments) {
  const double begin_s = gpubench::now_s();
  forget_settings();
  measurement::Accepted accepted;
  accepted.device = true;
  for (const Group& group : groups) accepted.groups.emplace_back(group.name);
  const measurement::Options options = measurement::read_options({arguments + 1, arguments + count}, accepted);
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  measurement::require_writable(options.output);
  require_gpu(options.device);
  gpubench::note_interrupts();

  measurement::MeasurementFile file;
  file.program = "clustersim-gpubench";
  file.version = CLUSTERSIM_VERSION;
  file.date = measurement::today();
  file.quick = options.quick;
  {
    Session session(options.device, options.quick);
    file.machine = describe(session);
    warn_of_company(session, file);
    const double end_s = begin_s + (options.quick ? 52 : 270);
    session.begin_group("warm-up", end_s);
    session.warm_up();
    for (const Group& group : groups) {
      if (!measurement::wanted(options, group.name)) continue;
      // A group that runs alone has the time of all.
      const bool alone = options.only.size() == 1;
      const double left_s = end_s - gpubench::now_s(), limit_s = options.quick ? group.limit_s / 6 : group.limit_s;
      session.begin_group(group.name, alone ? left_s : std::min(limit_s, left_s));
      try {
        group.run(session);
      } catch (const gpubench::Unavailable& reason) {
        session.skip(group.benchmark, {}, reason.what());
      } catch (const std::exception& fault) {
        session.add(measurement::failed(group.benchmark, {}, fault.what()));
      }
      for (measurement::Record& record : session.take_records()) file.records.push_back(std::move(record));
      // After each group: should the GPU or the driver take the program down, what was measured stands.
      measurement::write_whole(options.output, measurement::to_json(file));
    }
  }
  std::fputs(measurement::to_text(file).c_str(), stdout);
  std::printf("written to %s; clustersim calibrate %s makes constants of it\n", options.output.c_str(),
              options.output.c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const gpubench::Interrupted&) {
    std::fputs("clustersim-gpubench: interrupted; the file holds the groups that were finished, if any\n", stderr);
    return exit_interrupted;
  } catch (const std::runtime_error& fault) {  // of the command line, the output file or the GPU
    std::fprintf(stderr, "clustersim-gpubench: %s\n", fault.what());
    return exit_input;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "clustersim-gpubench: a fault of the program: %s\n", fault.what());
    return exit_fault;
  }
}
