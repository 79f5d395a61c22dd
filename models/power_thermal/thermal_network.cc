#include "models/power_thermal/thermal_network.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "clustersim/error.h"

namespace clustersim {
namespace {

// Integrals over 0..t of exp(-lambda u), and of that integral again; finite as lambda goes to 0.
double decayed_time(double lambda, double t) { return lambda * t < 1e-12 ? t : -std::expm1(-lambda * t) / lambda; }
double decayed_time_twice(double lambda, double t) {
  const double x = lambda * t;
  return x < 1e-4 ? t * t * (0.5 - x / 6 + x * x / 24) : (t - decayed_time(lambda, t)) / lambda;
}

}  // namespace

ThermalNetwork::ThermalNetwork(std::vector<Mass> masses, std::vector<Link> links, std::vector<BoundaryLink> boundaries)
    : boundaries_(std::move(boundaries)) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  for (const Mass& mass : masses) {
    require(mass.capacity.base() > 0, "a thermal mass has a capacity");
    capacity_j_per_k_.push_back(mass.capacity.base());
    root_capacity_.push_back(std::sqrt(mass.capacity.base()));
  }
  Eigen::MatrixXd conductance_w_per_k = Eigen::MatrixXd::Zero(n, n);
  for (const Link& link : links) {
    require(link.resistance.base() > 0, "a thermal link has a resistance");
    const double g = 1 / link.resistance.base();
    conductance_w_per_k(link.a, link.a) += g;
    conductance_w_per_k(link.b, link.b) += g;
    conductance_w_per_k(link.a, link.b) -= g;
    conductance_w_per_k(link.b, link.a) -= g;
  }
  for (const BoundaryLink& link : boundaries_) {
    require(link.resistance.base() > 0, "a thermal link has a resistance");
    conductance_w_per_k(link.mass, link.mass) += 1 / link.resistance.base();
  }
  const Eigen::Map<const Eigen::VectorXd> capacity(capacity_j_per_k_.data(), n);
  const Eigen::VectorXd scale = capacity.cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(scale.asDiagonal() * conductance_w_per_k *
                                                             scale.asDiagonal());
  for (Eigen::Index m = 0; m < n; ++m) {
    decay_per_s_.push_back(std::max(0.0, modes.eigenvalues()(m)));
    for (Eigen::Index i = 0; i < n; ++i) mode_.push_back(modes.eigenvectors()(i, m));
  }
}

// `inflow` holds a zero for each mass.
void ThermalNetwork::add_inflow_w(const std::vector<Power>& heat, const std::vector<Temperature>& boundary,
                                  double* inflow) const {
  require(heat.size() == capacity_j_per_k_.size(), "one heat a thermal mass");
  for (std::size_t i = 0; i < heat.size(); ++i) inflow[i] += heat[i].base();
  for (const BoundaryLink& link : boundaries_) {
    inflow[link.mass] += boundary.at(static_cast<std::size_t>(link.boundary)).in_celsius() / link.resistance.base();
  }
}

std::vector<double> ThermalNetwork::inflow_w(const std::vector<Power>& heat,
                                             const std::vector<Temperature>& boundary) const {
  std::vector<double> inflow(capacity_j_per_k_.size(), 0.0);
  add_inflow_w(heat, boundary, inflow.data());
  return inflow;
}

void ThermalNetwork::advance(std::vector<Temperature>& temperatures, const std::vector<Power>& heat,
                             const std::vector<Temperature>& boundary, Time dt, std::vector<double>& spare) const {
  const std::size_t n = capacity_j_per_k_.size();
  require(temperatures.size() == n, "one temperature a thermal mass");
  require(dt.base() >= 0, "time does not run backwards");
  spare.assign(2 * n, 0.0);
  double* const inflow = spare.data();
  double* const end_c = inflow + n;
  add_inflow_w(heat, boundary, inflow);
  const double t = dt.base();
  for (std::size_t m = 0; m < n; ++m) {
    const double* const mode = mode_.data() + m * n;
    double z = 0, q = 0;
    for (std::size_t i = 0; i < n; ++i) {
      z += mode[i] * root_capacity_[i] * temperatures[i].in_celsius();
      q += mode[i] * inflow[i] / root_capacity_[i];
    }
    const double lambda = decay_per_s_[m];
    const double z_end = z * std::exp(-lambda * t) + q * decayed_time(lambda, t);
    for (std::size_t i = 0; i < n; ++i) end_c[i] += mode[i] / root_capacity_[i] * z_end;
  }
  for (std::size_t i = 0; i < n; ++i) temperatures[i] = Temperature::celsius(end_c[i]);
}

ThermalNetwork::Step ThermalNetwork::advance(const std::vector<Temperature>& start, const std::vector<Power>& heat,
                                             const std::vector<Temperature>& boundary, Time dt) const {
  const std::size_t n = capacity_j_per_k_.size();
  require(start.size() == n, "one temperature a thermal mass");
  require(dt.base() >= 0, "time does not run backwards");
  const std::vector<double> inflow = inflow_w(heat, boundary);
  const double t = dt.base();
  std::vector<double> end_c(n, 0.0), integral_c_s(n, 0.0);
  for (std::size_t m = 0; m < n; ++m) {
    double z = 0, q = 0;  // amplitude of the mode at the start, and what drives it
    for (std::size_t i = 0; i < n; ++i) {
      z += mode_[m * n + i] * root_capacity_[i] * start[i].in_celsius();
      q += mode_[m * n + i] * inflow[i] / root_capacity_[i];
    }
    const double lambda = decay_per_s_[m];
    const double once = decayed_time(lambda, t);
    const double z_end = z * std::exp(-lambda * t) + q * once;
    const double z_integral = z * once + q * decayed_time_twice(lambda, t);
    for (std::size_t i = 0; i < n; ++i) {
      const double share = mode_[m * n + i] / root_capacity_[i];
      end_c[i] += share * z_end;
      integral_c_s[i] += share * z_integral;
    }
  }
  Step step;
  for (std::size_t i = 0; i < n; ++i) {
    step.end.push_back(Temperature::celsius(end_c[i]));
    step.mean.push_back(t > 0 ? Temperature::celsius(integral_c_s[i] / t) : start[i]);
  }
  for (const BoundaryLink& link : boundaries_) {
    const Temperature outside = boundary[static_cast<std::size_t>(link.boundary)];
    step.released += (step.mean[static_cast<std::size_t>(link.mass)] - outside) / link.resistance * dt;
  }
  return step;
}

std::vector<Temperature> ThermalNetwork::steady(const std::vector<Power>& heat,
                                                const std::vector<Temperature>& boundary) const {
  const std::size_t n = capacity_j_per_k_.size();
  const std::vector<double> inflow = inflow_w(heat, boundary);
  std::vector<double> steady_c(n, 0.0);
  for (std::size_t m = 0; m < n; ++m) {
    require(decay_per_s_[m] > 1e-12, "a steady temperature needs a way out for the heat");
    double q = 0;
    for (std::size_t i = 0; i < n; ++i) q += mode_[m * n + i] * inflow[i] / root_capacity_[i];
    for (std::size_t i = 0; i < n; ++i) {
      steady_c[i] += mode_[m * n + i] / root_capacity_[i] * q / decay_per_s_[m];
    }
  }
  std::vector<Temperature> steady;
  for (double c : steady_c) steady.push_back(Temperature::celsius(c));
  return steady;
}

}  // namespace clustersim
