// Clock and power: three kinds of work at six clock limits, and the course of the temperature over a step of heat.
//
//   P = p0(T) + pd f V(f)^2 activity;  t = t0 ((1 - phi) max(1, f_m / f) + phi / f)
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "tools/gpubench/convolution.h"
#include "tools/gpubench/gemm.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"

namespace clustersim::gpubench {
namespace {

struct Kind {
  const char* name;
  std::function<void()> enqueue;
};

std::vector<Kind> kinds_of(Session& session, const Cudnn& library) {
  const cudaStream_t stream = session.stream();
  std::vector<Kind> kinds;
  try {
    const auto gemm = std::make_shared<Gemm>(GemmRequest{8192, 8192, 8192}, stream);
    kinds.push_back({"gemm", [=] { gemm->enqueue(stream); }});
    const ConvRequest request = {{256, 256, 14, 3, 1, 5}, 256};
    const auto convolution = std::make_shared<Convolution>(request, library, stream);
    kinds.push_back({"convolution", [=] { convolution->enqueue(); }});
  } catch (const Unavailable&) {  // a library is not installed: the group of its own says so
  }
  constexpr std::size_t bytes = std::size_t{512} << 20;
  const SharedBuffer a = allocate(bytes), b = allocate(bytes), out = allocate(bytes);
  fill_normal(a->as(), bytes / 4, Element::fp32, 1, 1, stream);
  fill_normal(b->as(), bytes / 4, Element::fp32, 1, 2, stream);
  kinds.push_back(
      {"stream", [=] { stream_triad(a->as<float>(), b->as<float>(), out->as<float>(), 3.0f, bytes / 4, stream); }});
  return kinds;
}

// The limit is taken back whatever happens.
class ClockLimit {
 public:
  ClockLimit(Sensors& sensors, unsigned mhz) : sensors_(sensors), refusal_(sensors.limit_clock(mhz)) {}
  ~ClockLimit() { sensors_.release_clock(); }
  ClockLimit(const ClockLimit&) = delete;
  ClockLimit& operator=(const ClockLimit&) = delete;
  const std::string& refusal() const { return refusal_; }

 private:
  Sensors& sensors_;
  std::string refusal_;
};

void sweep_clocks(Session& session) {
  const std::optional<double> highest = session.sensors().max_sm_clock_mhz();
  if (!highest)
    return session.skip("clock_sweep", {}, "the GPU's clocks are not known: " + session.sensors().why_not());
  const Cudnn library(session.stream());
  std::vector<Kind> kinds;  // made once it is known that limits are permitted
  const double seconds = session.quick() ? 0.5 : 0.8;
  for (double share : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}) {
    if (session.quick() && share != 1.0 && share != 0.7) continue;
    const auto mhz = static_cast<unsigned>(*highest * share);
    const ClockLimit limit(session.sensors(), mhz);
    if (!limit.refusal().empty()) return session.skip("clock_sweep", {}, limit.refusal());
    if (kinds.empty()) kinds = kinds_of(session, library);
    for (const Kind& kind : kinds) {
      const Parameters parameters = {{"work", std::string(kind.name)},
                                     {"clock_limit_mhz", static_cast<std::int64_t>(mhz)}};
      session.attempt("clock_sweep", parameters, [&] {
        // The first third: until the clock is what was asked for and the reading of the power has come after it.
        session.time_for(kind.enqueue, seconds / 3);
        const double begin_s = now_s();
        const std::vector<double> samples = session.time_for(kind.enqueue, seconds * 2 / 3);
        Record record = measurement::measured("clock_sweep", parameters, samples);
        record.conditions = session.conditions_since(begin_s);
        return record;
      });
    }
  }
}

// Readings twice a second as columns.
void add_series(Record& record, const std::vector<Reading>& readings, double begin_s, double cooling_s) {
  std::vector<double> time_s, heating, temperature_c, power_w, clock_mhz;
  double next_s = begin_s;
  for (const Reading& reading : readings) {
    if (reading.time_s < next_s || !reading.temperature_c || !reading.power_w || !reading.sm_clock_mhz) continue;
    next_s = reading.time_s + 0.5;
    time_s.push_back(reading.time_s - begin_s);
    heating.push_back(reading.time_s < cooling_s ? 1 : 0);
    temperature_c.push_back(*reading.temperature_c);
    power_w.push_back(*reading.power_w);
    clock_mhz.push_back(*reading.sm_clock_mhz);
  }
  record.series = {{"time_s", time_s},
                   {"heating", heating},
                   {"temperature_c", temperature_c},
                   {"power_w", power_w},
                   {"sm_clock_mhz", clock_mhz}};
}

void step_of_heat(Session& session) {
  // Long enough for a heat sink in air (a time constant of a minute) where the run is of this group alone.
  constexpr double long_heating_s = 130, long_cooling_s = 60;
  const bool whole = session.remaining_s() > long_heating_s + long_cooling_s;
  const double heating_s = whole ? long_heating_s : 20, cooling_s = whole ? long_cooling_s : 10;
  const Parameters parameters = {{"heating_s", heating_s}, {"cooling_s", cooling_s}};
  if (session.quick()) return session.skip("thermal_step", parameters, "left out by --quick");
  if (session.remaining_s() < heating_s + cooling_s)
    return session.skip("thermal_step", parameters, "the time for this group was used up");
  session.attempt("thermal_step", parameters, [&] {
    if (!session.sensors().read().temperature_c) throw Unavailable("no temperature: " + session.sensors().why_not());
    const double begin_s = now_s();
    {
      const Gemm gemm(GemmRequest{8192, 8192, 8192}, session.stream());
      session.time_for([&] { gemm.enqueue(session.stream()); }, heating_s);
    }
    const double hot_s = now_s();
    while (now_s() < hot_s + cooling_s) {
      check_interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    const std::vector<Reading> readings = session.sensors().readings_since(begin_s);
    std::vector<double> power_w;
    for (const Reading& reading : readings) {
      if (reading.power_w && reading.time_s > hot_s - 3 && reading.time_s < hot_s) power_w.push_back(*reading.power_w);
    }
    if (power_w.empty()) throw Unavailable("this GPU does not tell its power");
    Record record = measurement::measured("thermal_step", parameters, power_w, "W");
    add_series(record, readings, begin_s, hot_s);
    return record;
  });
}

}  // namespace

void run_power(Session& session) {
  try {
    sweep_clocks(session);
  } catch (const Unavailable& reason) {
    session.skip("clock_sweep", {}, reason.what());
  } catch (const std::exception& fault) {
    session.add(measurement::failed("clock_sweep", {}, fault.what()));
  }
  step_of_heat(session);
}

}  // namespace clustersim::gpubench
