// What `clustersim calibrate` wrote, as a file that a scenario names or in place: measured numbers that replace those
// of the nodes' parts.
//
//   {"clustersim_calibration": 1, "gpu": {...}, "cpu": {...}, "nic": {...}, "pcie": {...}, "storage": {...},
//    "collectives": [...]}
// Each part has the keys of its kind (clustersim catalog), each of them may be left out, and holds for every node.
// Storage is the node's array as a whole: what was measured stands for all its devices together.
// Checked by: tests/sim/calibrate_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/read/json_value.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

class CalibrationFile {
 public:
  CalibrationFile(JsonValue document, std::string path) : document_(std::move(document)), path_(std::move(path)) {}

  // Every fault of the file; the keys of its collectives.
  void check(std::vector<Problem>& problems);

  void apply(GpuSpec& gpu) const;
  void apply(CpuSpec& cpu) const;
  void apply(NicSpec& nic) const;
  void apply(StorageArray& array) const;
  // The GPUs' slot, and the vertices of the tree that are such slots.
  void apply_slot(LinkSpec& slot, std::vector<PcieVertex>& tree) const;

  const std::vector<CollectiveKeys>& collectives() const { return collectives_; }
  std::string summary() const;  // "gpu: measured_stream (clustersim-gpubench 0.1.0, 2026-12-01); ..."
  // Of the numbers of the GPU, what was swept: "norm_passes from 51 MB to 411 MB"; "" where nothing says it.
  std::string ranges() const;

 private:
  template <class Spec>
  void change(const char* part, Spec& spec) const;

  JsonValue document_;
  std::string path_;
  std::vector<CollectiveKeys> collectives_;
};

// The keys of the file.
void visit_calibration(FieldVisitor& v, std::vector<CollectiveKeys>& collectives);

// `json`: the name of a file beside the scenario, or its content. Faults go to the context, and so does one line of
// what it says.
std::optional<CalibrationFile> load_calibration(ReadContext& context, const std::string& json);

}  // namespace clustersim
