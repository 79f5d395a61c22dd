// The front door of `clustersim import`: what a user's files say, in a form of ours.
//
// The format of a file is found by its content, never by its name. An importer tells what it knows and what it does
// not: what a file does not say is listed as unknown, never put at zero or at a default without a word.
// Files are untrusted: their size, depth and counts are bounded; a fault is an InputError.
// Checked by: tests/sim/import_*_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clustersim {

struct Imported {
  std::string format;                 // "NCCL topology XML"; of several files, one after the other
  std::string document;               // the file of ours, as JSON text
  std::vector<std::string> known;     // a line each: what was found, with its number and unit
  std::vector<std::string> unknown;   // what the files do not say and a run needs, or needs to assume
  std::vector<std::string> warnings;  // what is odd, contradictory or not used
};

// Reads the files as one thing of `kind` ("topology", "node", ...).
Imported import_files(const std::string& kind, const std::vector<std::string>& paths);
// Name and meaning of each kind.
std::vector<std::pair<std::string, std::string>> import_kinds();

}  // namespace clustersim
