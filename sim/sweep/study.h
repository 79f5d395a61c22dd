// A study file, read: which keys of the base move, over what, and what is asked of the points.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clustersim/clustersim.h"
#include "sim/read/catalog.h"
#include "sim/read/json_value.h"

namespace clustersim {

inline constexpr std::size_t most_points = 1'000'000;  // of the grid, before the filters
inline constexpr std::size_t most_rows = 200'000;      // after them
inline constexpr std::size_t most_axes = 16;

class Study {
 public:
  // Reads the file and its base; every fault at once.
  explicit Study(const std::string& path);

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }
  const std::vector<StudyAxis>& axes() const { return axes_; }
  bool grid() const { return grid_; }
  const std::vector<std::size_t>& points() const { return points_; }  // those that the filters leave
  std::size_t filtered() const { return filtered_; }
  const std::string& objective() const { return objective_; }
  bool maximize() const { return maximize_; }
  const std::vector<SweepConstraint>& constraints() const { return constraints_; }
  const Catalog& catalog() const { return catalog_; }

  // All that the rows depend on, as text: base, axes, program and catalog. The order of points follows from it.
  std::string identity() const;

  std::vector<Override> overrides(std::size_t point) const;
  SweepRow run(std::size_t point) const;

 private:
  void read(const JsonValue& document, std::vector<Problem>& problems);
  void choose_points(const std::vector<struct StudyFilter>& filters, std::vector<Problem>& problems);

  std::string file_, name_, base_name_;
  JsonValue base_;
  std::vector<StudyAxis> axes_;
  bool grid_ = true;
  std::vector<std::size_t> points_;
  std::size_t filtered_ = 0;
  std::string objective_ = "time_to_train";
  bool maximize_ = false;
  std::vector<SweepConstraint> constraints_;
  Catalog catalog_;
  std::uint64_t catalog_fingerprint_ = 0;
};

// Which value each axis has at a point.
std::vector<std::size_t> values_at(const std::vector<StudyAxis>& axes, bool grid, std::size_t point);

// One scenario as a row: its report's metrics, or its faults.
SweepRow run_row(const JsonValue& base, const std::string& name, const std::vector<Override>& overrides,
                 const Catalog& catalog);

// A catalog read once, for as many threads as there are; its fingerprint where asked for.
Catalog shared_catalog(std::uint64_t* fingerprint = nullptr);

}  // namespace clustersim
