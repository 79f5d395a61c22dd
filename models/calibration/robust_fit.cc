#include "models/calibration/robust_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr int most_rounds = 50;
constexpr double least_spread = 0.005, huber = 2.0, to_sigma = 1.4826;  // sigma over median |r| of a normal
constexpr double settled = 1e-10, dependent = 1e-10;

// Weighted least squares over the columns in use; nothing where they depend on each other.
std::optional<Eigen::VectorXd> solve(const Eigen::MatrixXd& x, const Eigen::VectorXd& target,
                                     const Eigen::VectorXd& weights, const std::vector<int>& used) {
  Eigen::MatrixXd a(x.rows(), static_cast<Eigen::Index>(used.size()));
  Eigen::VectorXd b(x.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const double w = std::sqrt(weights(i));
    b(i) = w * target(i);
    for (std::size_t j = 0; j < used.size(); ++j) a(i, static_cast<Eigen::Index>(j)) = w * x(i, used[j]);
  }
  Eigen::VectorXd scale(a.cols());
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    scale(j) = a.col(j).norm();
    if (!(scale(j) > 0) || !std::isfinite(scale(j))) return std::nullopt;
    a.col(j) /= scale(j);
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  qr.setThreshold(dependent);
  if (qr.rank() < a.cols()) return std::nullopt;
  const Eigen::VectorXd scaled = qr.solve(b);
  return scaled.cwiseQuotient(scale);
}

// As above with every coefficient at least 0: the most negative column leaves, one at a time.
std::optional<Eigen::VectorXd> solve_not_negative(const Eigen::MatrixXd& x, const Eigen::VectorXd& target,
                                                  const Eigen::VectorXd& weights) {
  std::vector<int> used;
  for (int j = 0; j < x.cols(); ++j) used.push_back(j);
  while (!used.empty()) {
    const auto c = solve(x, target, weights, used);
    if (!c) return std::nullopt;
    Eigen::Index worst = 0;
    if (c->minCoeff(&worst) >= 0) {
      Eigen::VectorXd all = Eigen::VectorXd::Zero(x.cols());
      for (std::size_t j = 0; j < used.size(); ++j) all(used[j]) = (*c)(static_cast<Eigen::Index>(j));
      return all;
    }
    used.erase(used.begin() + worst);
  }
  return std::nullopt;
}

}  // namespace

double median_of(std::vector<double> values) {
  require(!values.empty(), "a median of something");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

FitQuality quality_of(const std::vector<double>& at, const std::vector<double>& measured,
                      const std::vector<double>& fitted) {
  require(at.size() == measured.size() && at.size() == fitted.size() && !at.empty(), "a quality of rows");
  FitQuality quality;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < at.size(); ++i) residuals.push_back(std::fabs(fitted[i] / measured[i] - 1));
  quality.rows = static_cast<int>(at.size());
  quality.worst_residual = *std::max_element(residuals.begin(), residuals.end());
  quality.median_residual = median_of(residuals);
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  quality.from = *low, quality.to = *high;
  return quality;
}

std::optional<LinearFit> robust_fit(const std::vector<std::vector<double>>& rows, const std::vector<double>& measured) {
  require(rows.size() == measured.size(), "a measured value for each row");
  if (rows.empty() || rows.front().empty()) return std::nullopt;
  const auto count = static_cast<Eigen::Index>(rows.size()), columns = static_cast<Eigen::Index>(rows.front().size());
  if (count < columns) return std::nullopt;
  Eigen::MatrixXd x(count, columns);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double y = measured[static_cast<std::size_t>(i)];
    if (!(y > 0) || !std::isfinite(y)) return std::nullopt;
    for (Eigen::Index j = 0; j < columns; ++j)
      x(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] / y;
  }
  if (!x.allFinite()) return std::nullopt;
  const Eigen::VectorXd target = Eigen::VectorXd::Ones(count);
  Eigen::VectorXd weights = target, coefficients;
  for (int round = 0; round < most_rounds; ++round) {
    const auto next = solve_not_negative(x, target, weights);
    if (!next) return std::nullopt;
    const bool done = round > 0 && (*next - coefficients).norm() <= settled * next->norm();
    coefficients = *next;
    if (done) break;
    if (count <= columns) continue;
    const Eigen::VectorXd residuals = (x * coefficients - target).cwiseAbs();
    const double spread =
        std::max(least_spread, to_sigma * median_of({residuals.data(), residuals.data() + residuals.size()}));
    for (Eigen::Index i = 0; i < count; ++i)
      weights(i) = residuals(i) <= huber * spread ? 1.0 : huber * spread / residuals(i);
  }
  LinearFit fit;
  fit.coefficients.assign(coefficients.data(), coefficients.data() + coefficients.size());
  for (const std::vector<double>& row : rows) {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += fit.coefficients[j] * row[j];
    fit.fitted.push_back(sum);
  }
  return fit;
}

std::vector<double> robust_correction(const std::vector<std::vector<double>>& rows, const std::vector<double>& lacking,
                                      double ridge) {
  require(rows.size() == lacking.size() && !rows.empty() && ridge > 0, "rows, what each lacks, and a ridge");
  const auto count = static_cast<Eigen::Index>(rows.size()), columns = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd a(count, columns);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) a(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(lacking.data(), count);
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(count), c = Eigen::VectorXd::Zero(columns);
  for (int round = 0; round < most_rounds; ++round) {
    const Eigen::MatrixXd weighed = a.transpose() * weights.asDiagonal();
    const Eigen::MatrixXd normal = weighed * a + ridge * Eigen::MatrixXd::Identity(columns, columns);
    const Eigen::VectorXd next = normal.ldlt().solve(weighed * y);
    const bool done = round > 0 && (next - c).norm() <= settled * (1 + next.norm());
    c = next;
    if (done) break;
    const Eigen::VectorXd residuals = (a * c - y).cwiseAbs();
    const double spread =
        std::max(least_spread, to_sigma * median_of({residuals.data(), residuals.data() + residuals.size()}));
    for (Eigen::Index i = 0; i < count; ++i)
      weights(i) = residuals(i) <= huber * spread ? 1.0 : huber * spread / residuals(i);
  }
  return {c.data(), c.data() + c.size()};
}

}  // namespace clustersim
