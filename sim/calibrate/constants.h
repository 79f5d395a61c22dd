// Measured values -> constants of a hardware entry: which values count, how they become one number, and of which key.
//
//   rate over sizes      t = fixed + bytes / rate, three sizes or more (models/calibration/rates.h); else the median of
//                        the largest size
//   rate over streams    the number of streams whose median is best: a part is rated by what it can do, not by one
//   reader efficiency           that rate over the line rate of the catalog entry it is of the rest             median
// Values of low confidence count only where there are no others, and make the constant a guess.
// Checked by: tests/sim/calibrate_test.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/units_text.h"
#include "models/calibration/rates.h"
#include "sim/import/measurement.h"
#include "sim/read/catalog.h"

namespace clustersim {

struct Constant {
  std::string part, key;
  double value = 0;                    // base units; of an efficiency: a ratio
  std::optional<Dimension> dimension;  // empty: a bare number
  FitQuality quality;
  std::string swept;   // what quality.from and .to are: "B", "Hz", "streams", "FLOP", "of K", ""
  std::string source;  // "measured, ib_write_bw of perftest, 2026-11-30"
  std::string where;   // files and lines
  std::string doubt;   // why it is a guess, "" if it is not
};

// Catalog entries that the measurements are of; an empty id is unknown.
struct MeasuredParts {
  GpuSpec gpu;
  CpuSpec cpu;
  NicSpec nic;
  LinkSpec link;
  StorageSpec storage;
};

// Also says, in `notes`, what was measured and became no constant.
std::vector<Constant> constants_of(const std::vector<MeasuredFile>& files, const MeasuredParts& parts,
                                   std::vector<std::string>& notes);

// "measured, PROGRAM, DATE", and the files with their lines; names of folders are left out.
std::string source_text(const std::vector<const MeasuredFile*>& files);
std::string base_name(const std::string& path);

}  // namespace clustersim
