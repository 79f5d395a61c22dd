// What every step of resolving a scenario shares: the catalog, and where faults and assumptions go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/report.h"
#include "sim/read/hardware_part.h"

namespace clustersim {

class CalibrationFile;

struct ReadContext {
  Lookup lookup;
  std::vector<Assumption> assumptions;
  const CalibrationFile* calibration = nullptr;  // measured numbers of the nodes' parts, where the scenario names some

  const Catalog& catalog() const { return lookup.catalog; }
  Asked at(const std::string& pointer) const { return lookup.at(pointer); }

  void fault(const std::string& pointer, const std::string& expected, const std::string& got,
             const std::string& hint = "") {
    lookup.problems.push_back({lookup.file, pointer, expected, got, hint});
  }
  void assume(const std::string& pointer, const std::string& value, const std::string& why) {
    assumptions.push_back({Assumption::Kind::default_value, pointer, value, why});
  }
  void estimate(const std::string& pointer, const std::string& value, const std::string& why) {
    assumptions.push_back({Assumption::Kind::estimate, pointer, value, why});
  }
  // A remark on what was asked for, such as a limit that changes nothing.
  void remark(const std::string& pointer, const std::string& value, const std::string& why) {
    assumptions.push_back({Assumption::Kind::model, pointer, value, why});
  }
};

// The guesses among the catalog's numbers of this part, of the fields named (all where none are). Said once.
void note_estimates(ReadContext& context, const std::string& kind, const Entry& entry,
                    const std::vector<std::string>& fields = {});
// A fault where the catalog lacks numbers that every run needs, all but the dispensable ones.
void refuse_unknown(ReadContext& context, const std::string& pointer, const Entry& entry,
                    const std::vector<std::string>& dispensable = {});

// "100", "0.6": a number as a user would write it.
std::string number_text(double value);
inline std::string flag_text(bool value) { return value ? "true" : "false"; }

}  // namespace clustersim
