// Linear least squares that a few bad rows do not bend: measured times against columns that a model supplies.
//
//   minimise  sum_i v_i ( (sum_j c_j x_ij - y_i) / y_i )^2,   c_j >= 0
//   v_i = min(1, 2 s / |r_i|)   Huber's weights on the relative residual r_i, renewed until they settle;
//   s   1.48 x median |r_i|, the spread of the residuals, at least 0.5 %
// x_ij column j of row i; y_i > 0 what was measured. Dividing by y weighs a short time like a long one (MODELS 3.5:
// weights 1/t). A coefficient that would come out negative is left out and the rest fitted again.
//
// Range: up to 8 columns. Fewer rows than columns, or columns that are not independent: no fit (std::nullopt).
// Outside [from, to] of what was measured nothing is known: FitQuality::inside() says so, callers must ask.
// Source: Huber 1964; iteratively reweighted least squares. Checked by: tests/models/calibration_test.cc.
#pragma once

#include <optional>
#include <vector>

namespace clustersim {

// How well a fit meets its own rows. Residuals are |fitted / measured - 1|.
struct FitQuality {
  int rows = 0;
  double median_residual = 0, worst_residual = 0;
  double from = 0, to = 0;  // range of the abscissa (bytes, or whatever was swept)
  bool inside(double x) const { return x >= from && x <= to; }
};

// `measured` and `fitted` of equal length.
FitQuality quality_of(const std::vector<double>& at, const std::vector<double>& measured,
                      const std::vector<double>& fitted);

struct LinearFit {
  std::vector<double> coefficients;  // one a column, 0 where it was left out
  std::vector<double> fitted;        // by row
};

// rows[i] are the columns of row i, measured[i] > 0.
std::optional<LinearFit> robust_fit(const std::vector<std::vector<double>>& rows, const std::vector<double>& measured);

// Small corrections c of either sign, of constants whose effect on a logarithm is known:
//   minimise  sum_i v_i ( sum_j c_j a_ij - y_i )^2 + ridge sum_j c_j^2,   v_i as above
// a_ij: change of row i's logarithm by constant j; y_i: what row i lacks. The ridge keeps what no row informs at 0.
// Rows of equal length, ridge > 0.
std::vector<double> robust_correction(const std::vector<std::vector<double>>& rows, const std::vector<double>& lacking,
                                      double ridge);

double median_of(std::vector<double> values);  // of at least one

}  // namespace clustersim
