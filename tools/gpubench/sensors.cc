#include "tools/gpubench/sensors.h"

#include <dlfcn.h>

#include <chrono>
#include <csignal>
#include <fstream>

namespace clustersim::gpubench {
namespace {

// The part of NVML's interface that is used here; it has been stable since driver 375. Source: NVML API reference.
using Handle = void*;
using Status = int;
constexpr Status success = 0;
constexpr unsigned clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

constexpr unsigned power_instant = 186;  // NVML_FI_DEV_POWER_INSTANT, milliwatt

struct FieldValue {  // nvmlFieldValue_t
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  int type = 0;
  Status status = 0;
  union {
    unsigned number;
    unsigned long long wide = 0;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

struct Utilisation {  // nvmlUtilization_t
  unsigned gpu = 0, memory = 0;
};

volatile std::sig_atomic_t limited = 0;

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

struct Sensors::Library {
  void* library = nullptr;
  Handle device = nullptr;
  std::string fault;

  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*handle_by_bus)(const char*, Handle*) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*clock)(Handle, unsigned, unsigned*) = nullptr;
  Status (*max_clock)(Handle, unsigned, unsigned*) = nullptr;
  Status (*power)(Handle, unsigned*) = nullptr;
  Status (*power_limit)(Handle, unsigned*) = nullptr;
  Status (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  Status (*lock_clocks)(Handle, unsigned, unsigned) = nullptr;
  Status (*reset_clocks)(Handle) = nullptr;
  Status (*fields)(Handle, int, FieldValue*) = nullptr;
  Status (*utilisation)(Handle, Utilisation*) = nullptr;
  Status (*ecc)(Handle, unsigned*, unsigned*) = nullptr;

  Library(const std::string& pci_bus_id, bool slice) {
    if (slice) {
      fault = "a slice of a GPU (MIG): clock and power are those of the whole";
      return;
    }
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fault = "libnvidia-ml.so.1 is not installed (it comes with the driver)";
      return;
    }
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlShutdown", shutdown);
    find(library, "nvmlErrorString", error_string);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", handle_by_bus);
    find(library, "nvmlSystemGetDriverVersion", driver_version);
    find(library, "nvmlDeviceGetClockInfo", clock);
    find(library, "nvmlDeviceGetMaxClockInfo", max_clock);
    find(library, "nvmlDeviceGetPowerUsage", power);
    find(library, "nvmlDeviceGetEnforcedPowerLimit", power_limit);
    find(library, "nvmlDeviceGetTemperature", temperature);
    find(library, "nvmlDeviceSetGpuLockedClocks", lock_clocks);
    find(library, "nvmlDeviceResetGpuLockedClocks", reset_clocks);
    find(library, "nvmlDeviceGetFieldValues", fields);
    find(library, "nvmlDeviceGetUtilizationRates", utilisation);
    find(library, "nvmlDeviceGetEccMode", ecc);
    if (init == nullptr || handle_by_bus == nullptr) {
      fault = "libnvidia-ml.so.1 is older than this program knows";
      return;
    }
    Status status = init();
    if (status == success) status = handle_by_bus(pci_bus_id.c_str(), &device);
    if (status != success) {
      device = nullptr;
      fault = "NVML: " + text(status);
    }
  }

  ~Library() {
    if (device != nullptr && shutdown != nullptr) shutdown();
    if (library != nullptr) dlclose(library);
  }

  std::string text(Status status) const {
    return error_string != nullptr ? error_string(status) : "NVML error " + std::to_string(status);
  }

  template <class Function, class... Arguments>
  std::optional<double> number(Function* function, Arguments... arguments) const {
    unsigned value = 0;
    if (device == nullptr || function == nullptr || function(device, arguments..., &value) != success) return {};
    return value;
  }
};

bool clock_limit_in_force() { return limited != 0; }

Sensors::Sensors(const std::string& pci_bus_id, bool slice) : library_(std::make_unique<Library>(pci_bus_id, slice)) {
  if (library_->device != nullptr) thread_ = std::thread([this] { watch(); });
}

Sensors::~Sensors() {
  release_clock();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_asked_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Sensors::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    const Reading reading = read();
    lock.lock();
    readings_.push_back(reading);
    stop_asked_.wait_for(lock, std::chrono::milliseconds(100));
  }
}

std::string Sensors::why_not() const { return library_->fault; }

std::string Sensors::driver_version() const {
  char text[96] = {};
  if (library_->device != nullptr && library_->driver_version != nullptr &&
      library_->driver_version(text, sizeof text) == success) {
    return text;
  }
  std::string version;  // without NVML, as in some containers
  std::getline(std::ifstream("/sys/module/nvidia/version"), version);
  return version;
}

std::optional<double> Sensors::power_limit_w() const {
  const auto milliwatt = library_->number(library_->power_limit);
  return milliwatt ? std::optional(*milliwatt * 1e-3) : std::nullopt;
}

std::optional<double> Sensors::max_sm_clock_mhz() const { return library_->number(library_->max_clock, clock_sm); }

std::optional<bool> Sensors::ecc() const {
  unsigned now = 0, after_reboot = 0;
  if (library_->device == nullptr || library_->ecc == nullptr) return {};
  if (library_->ecc(library_->device, &now, &after_reboot) != success) return {};
  return now != 0;
}

std::optional<double> Sensors::utilisation() const {
  Utilisation utilisation;
  if (library_->device == nullptr || library_->utilisation == nullptr) return {};
  if (library_->utilisation(library_->device, &utilisation) != success) return {};
  return utilisation.gpu;
}

Reading Sensors::read() const {
  Reading reading;
  reading.time_s = now_s();
  reading.sm_clock_mhz = library_->number(library_->clock, clock_sm);
  reading.memory_clock_mhz = library_->number(library_->clock, clock_memory);
  FieldValue field;
  field.field = power_instant;
  if (library_->device != nullptr && library_->fields != nullptr &&
      library_->fields(library_->device, 1, &field) == success && field.status == success && field.value.number > 0) {
    reading.power_w = field.value.number * 1e-3;
  } else if (const auto milliwatt = library_->number(library_->power)) {
    reading.power_w = *milliwatt * 1e-3;
  }
  reading.temperature_c = library_->number(library_->temperature, temperature_gpu);
  return reading;
}

std::vector<Reading> Sensors::readings_since(double begin_s) const {
  const double end_s = now_s();
  std::vector<Reading> readings;
  {
    const std::lock_guard lock(mutex_);
    readings = within(readings_, begin_s, end_s);
  }
  if (readings.empty()) readings = within({read()}, begin_s, begin_s);
  return readings;
}

std::string Sensors::limit_clock(unsigned mhz) {
  if (library_->device == nullptr) return library_->fault;
  if (library_->lock_clocks == nullptr) return "this driver cannot limit clocks";
  const Status status = library_->lock_clocks(library_->device, mhz, mhz);
  if (status != success) return library_->text(status) + "; limiting clocks needs root (run it with sudo)";
  limited = 1;
  return "";
}

void Sensors::release_clock() {
  if (limited != 0 && library_->reset_clocks != nullptr) library_->reset_clocks(library_->device);
  limited = 0;
}

}  // namespace clustersim::gpubench
