// How many watts a GPU draws at a clock and an activity, and the fastest clock that fits under a power cap.
//
//   P = P_full * [p0 * (1 + beta*(T - T_ref)) + pd * f * V(f)^2 * a],   V(f) = max(v_min, 1 - s*(1 - f)),   pd = 1 - p0
//     f     relative clock; 1 is the clock sustained in the reference workloads at the default power limit with ample
//           cooling, shown to users as the boost clock
//     P_full  TDP, but for GPUs whose power limit does not bind at their highest clock (Pascal: 0.8 TDP)
//     a     activity, 0..1, mean over the time looked at, gaps included
//     p0    static share of P_full (leakage, memory, board);  beta  its growth per kelvin;  T  die temperature
//     V     voltage relative to that at f = 1;  v_min  its floor;  s  its slope
// Hence P(f = 1, a = 1, T = T_ref) = P_full. T_ref is the throttle temperature: a GPU at its default limit that is not
// thermally throttled never loses clock to leakage. The result is never below the idle power.
//
// Range: f in (0, 1], a in [0, 1]. Does not cover memory clock steps and transients shorter than the 20-100 ms of the
// power controller. With activity and clock-bound share chosen per job, the curves reproduce the epoch times of the
// published power-limit sweeps within 1.2 % rms (V100, worst 4 %), 1.7 % (Quadro RTX 6000, worst 7 %) and 6 % (A40,
// worst 20 %). They were fitted on those sweeps. The curve of every other GPU is assumed (`assumed` is set), unless
// it carries one of its own (GpuSpec::measured_power), which stands.
// Source: fits on the Zeus power-limit traces (ml-energy/zeus, nsdi23).
// Checked by: tests/models/power_draw_test.cc
#pragma once

#include <string>

#include "clustersim/hardware.h"
#include "clustersim/units.h"

namespace clustersim {

struct GpuPowerModel {
  Power tdp, idle;
  Power full;                     // P_full
  double static_share = 0;        // p0
  double voltage_floor = 0;       // v_min
  double voltage_slope = 0;       // s
  double leakage_per_kelvin = 0;  // beta
  Temperature reference;          // T_ref
  double spin_activity = 0;       // activity of a GPU that only waits inside a collective
  Frequency boost_clock;          // what relative clock 1 is called
  double clock_step = 0;          // relative size of one DVFS step
  double lowest_clock = 0;
  double lowest_measured = 0;  // of a curve that was calibrated: the lowest clock of its sweep; else 0
  bool assumed = false;        // no measured curve for this GPU
  std::string basis;           // where the curve comes from, for the report
};

GpuPowerModel gpu_power_model(const GpuSpec& gpu);

// The temperature at which software starts to lower the clock: the target of a card with its own fan (83 degC where it
// is not known), the highest operating temperature of the others.
Temperature throttle_temperature(const GpuSpec& gpu);
// Whether the card carries its own regulated fan (as opposed to a passive part in the air of a server).
bool has_own_fan(const GpuSpec& gpu);

Power gpu_power(const GpuPowerModel& model, double clock, double activity, Temperature die);
// Mean over training steps whose heavy kernels draw `heavy`, busy for that share of the time: the light kernels of a
// step, bound by memory, draw no more than 0.64 P_full for a quarter of it. The cap answers to the heavy ones, since a
// phase lasts longer than the controller's period.
Power mean_power(const GpuPowerModel& model, Power heavy, double busy);
// Nothing scheduled on the GPU.
Power idle_power(const GpuPowerModel& model);
// Kernels of a collective that wait for other ranks: far above idle.
Power spinning_power(const GpuPowerModel& model, double clock, Temperature die);

// The number of whole DVFS steps below relative clock 1, and the clock there.
int lowest_step(const GpuPowerModel& model);
double clock_at_step(const GpuPowerModel& model, int steps_below);
// Fewest steps below 1 whose power is at most `cap`; the lowest clock if none is.
int steps_under_cap(const GpuPowerModel& model, Power cap, double activity, Temperature die);
double clock_under_cap(const GpuPowerModel& model, Power cap, double activity, Temperature die);

// What a clock limit set by the user comes to: the largest DVFS step at or below it.
struct ClockLimit {
  double clock = 1.0;
  bool effective = false;  // false: the limit is at or above the boost clock and changes nothing
};
ClockLimit clock_limit(const GpuPowerModel& model, Frequency limit);

}  // namespace clustersim
