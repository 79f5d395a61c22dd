// How the temperatures of lumped masses move under constant heat: a network of capacities and resistances.
//
//   C_i dT_i/dt = P_i - sum_j (T_i - T_j)/R_ij - sum_b (T_i - T_b)/R_ib
//     C  heat capacity [J/K];  R  thermal resistance [K/W];  P  heat released in mass i [W];  T_b  held temperature
// Written with theta = C^(1/2) T this is a symmetric linear system; it is taken apart once into its modes, each of
// which decays as exp(-lambda t), so a step of any length is exact for constant heat and held temperatures.
//
// Assumes constant C and R; whatever changes them (a fan, say) needs another network. A network without a held
// temperature only stores heat: it has no steady state.
// Source: textbook lumped-capacitance method. Checked by: tests/models/thermal_network_test.cc
#pragma once

#include <vector>

#include "clustersim/units.h"

namespace clustersim {

class ThermalNetwork {
 public:
  struct Mass {
    HeatCapacity capacity;
  };
  struct Link {  // between two masses
    int a = 0, b = 0;
    ThermalResistance resistance;
  };
  struct BoundaryLink {  // from a mass to a held temperature
    int mass = 0, boundary = 0;
    ThermalResistance resistance;
  };

  ThermalNetwork(std::vector<Mass> masses, std::vector<Link> links, std::vector<BoundaryLink> boundaries);

  struct Step {
    std::vector<Temperature> end;   // of each mass
    std::vector<Temperature> mean;  // of each mass over the step
    Energy released;                // to all held temperatures together
  };
  // One span of length `dt` with heat `heat` (one a mass) and held temperatures `boundary` (one an index used).
  Step advance(const std::vector<Temperature>& start, const std::vector<Power>& heat,
               const std::vector<Temperature>& boundary, Time dt) const;
  // The same for the temperatures alone, in place; nothing is allocated but in `spare`, which keeps its room.
  void advance(std::vector<Temperature>& temperatures, const std::vector<Power>& heat,
               const std::vector<Temperature>& boundary, Time dt, std::vector<double>& spare) const;
  // Where the temperatures end after a long time. Needs a path from every mass to a held temperature.
  std::vector<Temperature> steady(const std::vector<Power>& heat, const std::vector<Temperature>& boundary) const;

  int masses() const { return static_cast<int>(capacity_j_per_k_.size()); }

 private:
  std::vector<double> inflow_w(const std::vector<Power>& heat, const std::vector<Temperature>& boundary) const;
  void add_inflow_w(const std::vector<Power>& heat, const std::vector<Temperature>& boundary, double* inflow) const;

  std::vector<double> capacity_j_per_k_;
  std::vector<double> root_capacity_;
  std::vector<BoundaryLink> boundaries_;
  std::vector<double> decay_per_s_;  // lambda of each mode
  std::vector<double> mode_;         // column-major: mode_[m * n + i], part of mass i in mode m
};

}  // namespace clustersim
