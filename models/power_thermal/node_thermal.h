// How hot the GPUs of one node get, and the clock that power cap, clock limit and temperature leave them.
//
//   C_d dT_d/dt = P - (T_d - T_s)/R_ds;   C_s dT_s/dt = (T_d - T_s)/R_ds - (T_s - T_in)/(R_sa * fan^-0.8)
//   series:   T_in,k = T_inlet + (P_host + sum of P_j upstream of k) / (m c_p)
//   parallel: T_in   = T_inlet + P_host / (m c_p);   liquid: T_in = coolant;   1 CFM of air carries 0.57 W/K
//     T_d, T_s, T_in  die, heat sink, air reaching the card [degC];  P  power of the card [W], models/.../power_draw.h
//     R_ds, R_sa  die to sink, sink to air at full fan [K/W];  C  heat capacities [J/K];  fan  speed, 0.3..1
//
// Control, once a period of 1 s: a card with its own fan turns it up in proportion to the die temperature, full at the
// throttle temperature; above that temperature the clock falls one DVFS step a period, 2 K below it it rises one.
// Power cap and clock limit act at once. Above the slowdown temperature the hardware halves the clock until the die is
// 5 K below it. Reaching the shutdown temperature is noted and stays noted: the run ends there (sim/run.cc).
// Decisions follow from the state alone, so equal calls give equal answers.
//
// The network is driven by the power of the heavy kernels, not by the mean over a step: resistances are chosen by class
// for a sustained load, so temperatures are upper bounds by as much as the two differ (a tenth at most).
//
// R_total = R_ds + R_sa:
//   cards with own fan, passive PCIe cards   (T_throttle - 25 degC) / (TDP * 360/350): they just hold their limit at
//                                            TDP in 25 degC air (RTX 3090: 58 K / 360 W = 0.161 K/W)
//   SXM and OAM in air                       40 K / TDP up to 500 W (A100 0.10), 52.5 K / TDP above (H100 0.075)
//   liquid                                   0.04 K/W
// and where the GPU carries a measured one (thermal_resistance), that one.
// Assumes a power limit above TDP changes nothing, quasi-steady air (its heat capacity is small) and equal airflow at
// every load. Does not cover memory temperature, recirculation and heat passing between neighbours through the board.
// Accuracy about 3 K steady and a tenth of a throttled speed where resistances are measured; the resistances here are
// assumed by class. Checked by: tests/models/node_thermal_test.cc against closed forms and the derived four-card case;
// the time constants and resistances are not validated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clustersim/scenario.h"
#include "clustersim/units.h"
#include "models/power_thermal/power_draw.h"
#include "models/power_thermal/thermal_network.h"

namespace clustersim {

struct GpuLoad {
  double activity = 0;    // mean over time, 0..1, gaps included
  double spin_share = 0;  // of the time waiting inside a collective
  bool operator==(const GpuLoad&) const = default;
};

enum class ClockReason : std::uint8_t { none, power_cap, clock_limit, thermal, hardware_slowdown };
const char* to_string(ClockReason reason);

class NodeThermal {
 public:
  explicit NodeThermal(const NodeSpec& node);

  struct Gpu {
    Temperature die, sink;
    double fan = 1;
    double clock = 1;  // relative
    Power power;       // mean over the load: what the energy is counted from
    Power sustained;   // of the load's heavy kernels: what the cap holds down, and what heats
    ClockReason reason = ClockReason::none;
    int thermal_steps = 0;   // DVFS steps taken off by the thermal regulator
    bool slowed = false;     // hardware slowdown holds
    bool shut_down = false;  // the shutdown temperature was reached at some time
    Energy energy;           // drawn since start()
    bool operator==(const Gpu&) const = default;
  };
  struct State {
    std::vector<Gpu> gpus;
    Time elapsed;         // since start()
    Time until_control;   // to the next decision of fan and thermal regulator
    bool steady = false;  // set by settle(): clocks stopped changing before the horizon
  };

  class Course;

  // All GPUs idle and as warm as that makes them.
  State start() const;
  // The state `dt` later under constant loads, one a GPU.
  State advance(const State& state, const std::vector<GpuLoad>& loads, Time dt) const;
  // On until the clocks have stood still for two time constants of the heat sink and temperatures with them, or
  // until `horizon` has passed. The time it took is the growth of `elapsed`. Cost: one decision a second and GPU.
  State settle(const State& state, const std::vector<GpuLoad>& loads, Time horizon) const;

  // The clock without thermal limits, at the throttle temperature.
  double free_clock(const GpuLoad& load) const;
  // Air reaching each card, or the coolant.
  std::vector<Temperature> inlets(const std::vector<Power>& gpu_power) const;

  const GpuPowerModel& power_model() const { return power_; }
  ThermalResistance resistance() const { return resistance_; }
  // False where the user's clock limit lies at or above the boost clock.
  bool clock_limit_effective() const { return limit_.effective; }

 private:
  // How the cards of a node move: one whose state, load and air are those of the card before it goes where that one
  // goes, and stands where it last stood until it is told to catch up.
  struct Motion {
    Motion(const State& state, const std::vector<GpuLoad>& loads);
    bool leads(std::size_t k) const { return leader[k] == k; }
    void catch_up(State& state) const;

    std::vector<std::size_t> leader;  // by card: the one it follows, or itself
    std::vector<Power> powers;
    std::vector<Temperature> inlets;  // by card
    // Of the card that is being moved, kept for their room.
    std::vector<Power> heat;
    std::vector<Temperature> die_and_sink, air;
    std::vector<double> spare;
  };

  double activity_of(const GpuLoad& load) const;
  void choose_clock(Gpu& gpu, const GpuLoad& load) const;
  void control(Gpu& gpu) const;
  const ThermalNetwork& network_of(const Gpu& gpu) const;
  bool air_warms() const { return cooling_.kind != CoolingKind::liquid && cooling_.airflow.base() > 0; }
  Motion begin(State& state, const std::vector<GpuLoad>& loads) const;
  void move(State& now, const std::vector<GpuLoad>& loads, Time dt, Motion& motion) const;
  void find_air(State& now, Motion& motion) const;
  void warm(Gpu& gpu, Motion& motion, Temperature inlet, Time span) const;

  GpuPowerModel power_;
  Power cap_;
  ClockLimit limit_;
  int limit_steps_ = 0;
  Temperature throttle_, slowdown_, shutdown_;
  bool own_fan_ = false;
  int gpus_ = 1;
  Cooling cooling_;
  ThermalResistance resistance_;
  Time sink_time_constant_;
  std::vector<ThermalNetwork> networks_;  // one a fan level, lowest first
};

// A node under constant loads, moved span by span: state() is what advance() would give.
class NodeThermal::Course {
 public:
  // The node must outlive it.
  Course(const NodeThermal& node, State state, std::vector<GpuLoad> loads);
  void advance(Time dt);
  double clock(std::size_t gpu) const { return state_.gpus[motion_.leader[gpu]].clock; }
  State state() const;

 private:
  const NodeThermal* node_;
  State state_;
  std::vector<GpuLoad> loads_;
  Motion motion_;
};

}  // namespace clustersim
