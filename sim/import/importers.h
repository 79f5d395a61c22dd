// The table of what can be imported: a kind, its meaning, how many files it takes, and the function that reads them.
// To add one: a file here that reads it, and a line in importers.cc.
#pragma once

#include <string>
#include <vector>

#include "clustersim/import.h"

namespace clustersim {

struct Importer {
  const char* kind;
  const char* meaning;
  int most_files;
  Imported (*function)(const std::vector<std::string>& paths);
};

const std::vector<Importer>& importers();

}  // namespace clustersim
