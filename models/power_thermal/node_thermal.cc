#include "models/power_thermal/node_thermal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clustersim/error.h"

namespace clustersim {
namespace {

// Heat that a cubic metre of air carries per kelvin: 0.57 W/K for each CFM [published: air at 20-25 degC, 1 bar].
constexpr double air_j_per_m3_k = 0.57 / 4.719474432e-4;

constexpr double rating_inlet_c = 25.0;               // [assumed: air in which a card just holds its limit at TDP]
constexpr double rating_margin = 360.0 / 350.0;       // [assumed: an RTX 3090 of 350 W reaches 83 degC at 360 W]
constexpr double sxm_rise_k = 40.0;                   // [assumed: A100 SXM, 65 degC at 400 W]
constexpr double big_sxm_rise_k = 52.5;               // [assumed: H100 SXM, 78 degC at 700 W]
constexpr double big_sxm_w = 500.0;                   // [assumed: between the two]
constexpr double liquid_k_per_w = 0.04;               // [assumed: cold plates 0.03-0.05]
constexpr double die_share_of_resistance = 0.35;      // [assumed]
constexpr double die_time_constant_s = 2.0;           // [assumed: 1-3 s]
constexpr double air_sink_time_constant_s = 65.0;     // [assumed: 60-150 s; measured warm starts argue for the low end]
constexpr double liquid_sink_time_constant_s = 20.0;  // [assumed]

constexpr double control_period_s = 1.0;          // [assumed]
constexpr double release_below_throttle_k = 2.0;  // [assumed; must exceed the effect of one DVFS step, 1-2 K]
constexpr double release_below_slowdown_k = 5.0;  // [assumed]
constexpr double slowdown_factor = 0.5;           // [published: hardware slowdown halves the clock or more]
constexpr double fan_exponent = -0.8;             // [published: turbulent convection, h ~ v^0.8]
constexpr double fan_lowest = 0.3;                // [assumed]
constexpr double fan_range_k = 25.0;              // [assumed: from lowest to full speed below the throttle temperature]
constexpr int fan_levels = 15;
constexpr double fan_level = (1 - fan_lowest) / (fan_levels - 1);
// One level moves a full-power die by about 1.5 K, worth one level of `wanted`: falling needs more, or the fan hunts.
constexpr double fan_rise_band = 0.8 * fan_level;
constexpr double fan_fall_band = 1.8 * fan_level;

constexpr double still_k = 0.25;                   // how much a settled die may still drift in two time constants
constexpr double unknown_slowdown_margin_k = 4.0;  // [published: A100 slows down 4 K above its operating limit]
constexpr double unknown_shutdown_margin_k = 3.0;  // [published: A100 shuts down 3 K above that]

double total_resistance_k_per_w(const NodeSpec& node, Temperature throttle) {
  if (node.gpu.thermal_resistance) return node.gpu.thermal_resistance->base();
  if (node.cooling.kind == CoolingKind::liquid) return liquid_k_per_w;
  const double tdp_w = node.gpu.tdp.base();
  const std::string& form = node.gpu.form_factor;
  if (form.find("SXM") != std::string::npos || form.find("OAM") != std::string::npos) {
    return (tdp_w <= big_sxm_w ? sxm_rise_k : big_sxm_rise_k) / tdp_w;
  }
  return (throttle.in_celsius() - rating_inlet_c) / (tdp_w * rating_margin);
}

ThermalNetwork card(double die_sink_k_per_w, double sink_air_k_per_w, double sink_time_constant_s, double fan) {
  const auto capacity = [](double time_constant_s, double k_per_w) {
    return HeatCapacity::from_base(time_constant_s / k_per_w);
  };
  return ThermalNetwork(
      {{capacity(die_time_constant_s, die_sink_k_per_w)}, {capacity(sink_time_constant_s, sink_air_k_per_w)}},
      {{0, 1, ThermalResistance::from_base(die_sink_k_per_w)}},
      {{1, 0, ThermalResistance::from_base(sink_air_k_per_w * std::pow(fan, fan_exponent))}});
}

}  // namespace

const char* to_string(ClockReason reason) {
  switch (reason) {
    case ClockReason::none:
      return "none";
    case ClockReason::power_cap:
      return "power cap";
    case ClockReason::clock_limit:
      return "clock limit";
    case ClockReason::thermal:
      return "temperature";
    case ClockReason::hardware_slowdown:
      return "hardware slowdown";
  }
  throw InternalError("a clock reason has a name");
}

NodeThermal::NodeThermal(const NodeSpec& node)
    : power_(gpu_power_model(node.gpu)),
      cap_(std::min(node.gpu_power_limit.value_or(node.gpu.tdp), node.gpu.tdp)),
      throttle_(throttle_temperature(node.gpu)),
      slowdown_(node.gpu.slowdown),
      shutdown_(node.gpu.shutdown),
      own_fan_(has_own_fan(node.gpu) && node.cooling.kind == CoolingKind::air),
      gpus_(node.gpus),
      cooling_(node.cooling) {
  require(node.gpus > 0 && node.gpu.tdp.base() > 0, "a node with heat has GPUs of a known power");
  if (slowdown_ <= throttle_) {
    slowdown_ = throttle_ + TemperatureDifference::from_base(unknown_slowdown_margin_k);
  }
  if (shutdown_ <= slowdown_) {
    shutdown_ = slowdown_ + TemperatureDifference::from_base(unknown_shutdown_margin_k);
  }
  if (node.gpu_clock_limit) limit_ = clock_limit(power_, *node.gpu_clock_limit);
  limit_steps_ = static_cast<int>(std::lround((1 - limit_.clock) / power_.clock_step));

  const bool liquid = cooling_.kind == CoolingKind::liquid;
  const double sink_s = liquid ? liquid_sink_time_constant_s : air_sink_time_constant_s;
  const double total = total_resistance_k_per_w(node, throttle_);
  require(total > 0, "a card loses heat to its surroundings");
  resistance_ = ThermalResistance::from_base(total);
  sink_time_constant_ = seconds(sink_s);
  const double die_sink = die_share_of_resistance * total;
  for (int level = own_fan_ ? 0 : fan_levels - 1; level < fan_levels; ++level) {
    networks_.push_back(card(die_sink, total - die_sink, sink_s, fan_lowest + level * fan_level));
  }
}

std::vector<Temperature> NodeThermal::inlets(const std::vector<Power>& gpu_power) const {
  std::vector<Temperature> inlets(static_cast<std::size_t>(gpus_), cooling_.inlet);
  if (!air_warms()) return inlets;
  const double air_w_per_k = cooling_.airflow.base() * air_j_per_m3_k;
  double upstream_w = cooling_.host_heat.base();
  for (std::size_t k = 0; k < inlets.size(); ++k) {
    inlets[k] = cooling_.inlet + TemperatureDifference::from_base(upstream_w / air_w_per_k);
    if (cooling_.arrangement == Arrangement::series) upstream_w += gpu_power[k].base();
  }
  return inlets;
}

double NodeThermal::activity_of(const GpuLoad& load) const {
  return std::min(1.0, load.activity + load.spin_share * power_.spin_activity);
}

double NodeThermal::free_clock(const GpuLoad& load) const {
  return clock_at_step(power_, std::max(steps_under_cap(power_, cap_, activity_of(load), throttle_), limit_steps_));
}

// Lowest of cap, limit and temperature; the reason is the one that binds, on a tie the user's wish, then temperature.
void NodeThermal::choose_clock(Gpu& gpu, const GpuLoad& load) const {
  const bool idle = load.activity <= 0 && load.spin_share <= 0;
  const double activity = activity_of(load);
  const int cap_steps = idle ? 0 : steps_under_cap(power_, cap_, activity, gpu.die);
  const int steps = std::max({cap_steps, limit_steps_, gpu.thermal_steps});
  gpu.reason = steps == 0                   ? ClockReason::none
               : steps == limit_steps_      ? ClockReason::clock_limit
               : steps == gpu.thermal_steps ? ClockReason::thermal
                                            : ClockReason::power_cap;
  gpu.clock = clock_at_step(power_, steps);
  if (gpu.slowed) {
    gpu.clock = std::max(power_.lowest_clock, gpu.clock * slowdown_factor);
    gpu.reason = ClockReason::hardware_slowdown;
  }
  gpu.sustained = idle ? idle_power(power_) : gpu_power(power_, gpu.clock, activity, gpu.die);
  gpu.power = mean_power(power_, gpu.sustained, load.activity);
}

// The decisions taken once a period: fan level and thermal step.
void NodeThermal::control(Gpu& gpu) const {
  if (own_fan_) {
    const double below_k = (throttle_ - gpu.die).base();
    const double wanted = std::clamp(1 - (1 - fan_lowest) * below_k / fan_range_k, fan_lowest, 1.0);
    if (wanted > gpu.fan + fan_rise_band || wanted < gpu.fan - fan_fall_band) {
      gpu.fan = fan_lowest + std::round((wanted - fan_lowest) / fan_level) * fan_level;
    }
  }
  const int present = static_cast<int>(std::lround((1 - gpu.clock) / power_.clock_step));
  if (gpu.die > throttle_) {
    const int from = gpu.slowed ? gpu.thermal_steps : std::max(gpu.thermal_steps, present);
    gpu.thermal_steps = std::min(from + 1, lowest_step(power_));
  } else if (gpu.die < throttle_ - TemperatureDifference::from_base(release_below_throttle_k)) {
    gpu.thermal_steps = std::max(0, gpu.thermal_steps - 1);
  }
}

const ThermalNetwork& NodeThermal::network_of(const Gpu& gpu) const {
  if (networks_.size() == 1) return networks_.front();
  return networks_[static_cast<std::size_t>(std::lround((gpu.fan - fan_lowest) / fan_level))];
}

NodeThermal::State NodeThermal::start() const {
  State state;
  state.until_control = seconds(control_period_s);
  const std::vector<Power> idle(static_cast<std::size_t>(gpus_), idle_power(power_));
  for (const Temperature inlet : inlets(idle)) {
    Gpu gpu;
    gpu.fan = own_fan_ ? fan_lowest : 1;
    gpu.power = gpu.sustained = idle_power(power_);
    const std::vector<Temperature> settled = network_of(gpu).steady({gpu.sustained, Power()}, {inlet});
    gpu.die = settled[0];
    gpu.sink = settled[1];
    state.gpus.push_back(gpu);
  }
  return state;
}

NodeThermal::Motion::Motion(const State& state, const std::vector<GpuLoad>& loads) {
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const bool alike = k > 0 && state.gpus[k] == state.gpus[k - 1] && loads[k] == loads[k - 1];
    leader.push_back(alike ? leader.back() : k);
  }
}

void NodeThermal::Motion::catch_up(State& state) const {
  for (std::size_t k = 0; k < leader.size(); ++k)
    if (!leads(k)) state.gpus[k] = state.gpus[leader[k]];
}

void NodeThermal::find_air(State& now, Motion& motion) const {
  if (!air_warms() && !motion.inlets.empty()) return;
  motion.powers.clear();
  for (const std::size_t leader : motion.leader) motion.powers.push_back(now.gpus[leader].sustained);
  motion.inlets = inlets(motion.powers);
  for (std::size_t k = 1; k < now.gpus.size(); ++k) {
    if (motion.leads(k)) continue;
    if (motion.inlets[k] == motion.inlets[k - 1]) {
      motion.leader[k] = motion.leader[k - 1];
    } else {  // from here on it goes its own way
      now.gpus[k] = now.gpus[motion.leader[k]];
      motion.leader[k] = k;
    }
  }
}

void NodeThermal::move(State& now, const std::vector<GpuLoad>& loads, Time dt, Motion& motion) const {
  for (Time left = dt; left.base() > 0;) {
    const Time span = std::min(left, now.until_control);
    find_air(now, motion);
    now.elapsed += span;
    now.until_control = now.until_control - span;
    left = left - span;
    const bool decide = now.until_control.base() <= 0;
    for (std::size_t k = 0; k < loads.size(); ++k) {
      if (!motion.leads(k)) continue;
      Gpu& gpu = now.gpus[k];
      warm(gpu, motion, motion.inlets[k], span);
      if (decide) control(gpu);
      choose_clock(gpu, loads[k]);
    }
    if (decide) now.until_control = seconds(control_period_s);
  }
}

void NodeThermal::warm(Gpu& gpu, Motion& motion, Temperature inlet, Time span) const {
  motion.die_and_sink = {gpu.die, gpu.sink};
  motion.heat = {gpu.sustained, Power()};
  motion.air = {inlet};
  network_of(gpu).advance(motion.die_and_sink, motion.heat, motion.air, span, motion.spare);
  gpu.energy += gpu.power * span;
  gpu.die = motion.die_and_sink[0];
  gpu.sink = motion.die_and_sink[1];
  gpu.shut_down = gpu.shut_down || gpu.die >= shutdown_;
  gpu.slowed = gpu.die > slowdown_ ||
               (gpu.slowed && gpu.die > slowdown_ - TemperatureDifference::from_base(release_below_slowdown_k));
}

// The clocks that the loads ask for; constant until the next decision.
NodeThermal::Motion NodeThermal::begin(State& state, const std::vector<GpuLoad>& loads) const {
  require(loads.size() == state.gpus.size(), "one load a GPU");
  state.steady = false;
  Motion motion(state, loads);
  for (std::size_t k = 0; k < loads.size(); ++k)
    if (motion.leads(k)) choose_clock(state.gpus[k], loads[k]);
  return motion;
}

NodeThermal::State NodeThermal::advance(const State& state, const std::vector<GpuLoad>& loads, Time dt) const {
  Course course(*this, state, loads);
  course.advance(dt);
  return course.state();
}

NodeThermal::Course::Course(const NodeThermal& node, State state, std::vector<GpuLoad> loads)
    : node_(&node), state_(std::move(state)), loads_(std::move(loads)), motion_(node.begin(state_, loads_)) {}

void NodeThermal::Course::advance(Time dt) {
  require(dt.base() >= 0, "time does not run backwards");
  node_->move(state_, loads_, dt, motion_);
}

NodeThermal::State NodeThermal::Course::state() const {
  State state = state_;
  motion_.catch_up(state);
  return state;
}

NodeThermal::State NodeThermal::settle(const State& state, const std::vector<GpuLoad>& loads, Time horizon) const {
  const Time window = sink_time_constant_ * 2;
  const Time end = state.elapsed + horizon;
  if (!(state.elapsed < end)) return state;
  State now = state;
  State reference = state;  // clocks and temperatures that must hold through a window
  Motion motion = begin(now, loads);
  while (now.elapsed < end) {
    bool still = true;
    const Time window_end = std::min(reference.elapsed + window, end);
    while (now.elapsed < window_end && still) {
      move(now, loads, std::min(now.until_control, window_end - now.elapsed), motion);
      for (std::size_t k = 0; k < loads.size(); ++k) {
        still = still && (!motion.leads(k) || (now.gpus[k].clock == reference.gpus[k].clock &&
                                               std::abs((now.gpus[k].die - reference.gpus[k].die).base()) < still_k));
      }
    }
    motion.catch_up(now);
    if (still && now.elapsed - reference.elapsed >= window) {
      now.steady = true;
      return now;
    }
    reference = now;
  }
  return now;
}

}  // namespace clustersim
