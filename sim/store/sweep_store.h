// Keeps a study's rows in a file as they are done, so that a study that was stopped goes on where it was.
//
// An SQLite database: `study` says what the rows belong to, `points` has a row for each point, and the view `results`
// the same with a column for each axis and metric. Each batch is one transaction that is on the disk when `keep`
// returns: after a kill what was kept is whole, and nothing else is there. One process at a time has the file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clustersim/sweep.h"

namespace clustersim {

struct StudyIdentity {
  std::string name;
  std::string text;  // all that the rows depend on
  std::vector<StudyAxis> axes;
  bool grid = true;
  std::vector<std::string> metrics;  // columns of the view
};

class SweepStore {
 public:
  virtual ~SweepStore() = default;
  virtual std::vector<SweepRow> rows() = 0;
  virtual void keep(const std::vector<SweepRow>& rows) = 0;  // in place of earlier rows of the same points
};

// Whether this build can keep rows at all.
bool has_sweep_store();

// Opens or begins the database. InputError where the file is no such database, of another study, in use, or cannot be
// written.
std::unique_ptr<SweepStore> open_sweep_store(const std::string& path, const StudyIdentity& study);

}  // namespace clustersim
