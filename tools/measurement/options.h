// The command line of a benchmark program.
//
// Throws OptionError with one sentence that says what is wrong and what is accepted. Checked by
// tests/tools/options_test.cc.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace clustersim::measurement {

struct Options {
  std::string output;             // -o FILE
  bool quick = false;             // --quick
  bool help = false;              // --help, -h
  std::string directory = ".";    // --directory DIR, where accepted
  int device = 0;                 // --device N, where accepted
  std::vector<std::string> only;  // --only NAME, repeatable: groups to run; empty = all
};

struct Accepted {
  bool directory = false, device = false;
  std::vector<std::string> groups;  // what --only may name
};

struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Options read_options(const std::vector<std::string>& arguments, const Accepted& accepted);

// Whether the group is asked for.
bool wanted(const Options& options, const std::string& group);

}  // namespace clustersim::measurement
