// The columns of a table of nccl-tests by the names in its header, where somebody has put them in another order or left
// some out:
//
//   #  size  time  busbw
// A header holds "size", "time" and one of "algbw" and "busbw", and nothing but names of columns. A second "time" is of
// another side: out of place, then in place. Rows of more or fewer words than names are none. Times are in us, or in ms
// where only that agrees with algbw. Checked by: tests/sim/measurement_nccl_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clustersim {

class NcclColumns {
 public:
  struct Side {
    double time = 0;
    std::optional<double> algbw, busbw;
    bool wrong = false;
  };
  struct Row {
    double bytes = 0, count = 0;
    std::string type, operator_word;
    std::optional<int> root;
    std::vector<Side> sides;
  };

  // size count type [redop] [root] time algbw busbw ...: nccl-tests' own, whose rows leave blank columns out.
  bool usual = false;
  std::vector<std::string> names;

  std::optional<Row> row(const std::vector<std::string>& words) const;
};

// The header that a line is, if it is one.
std::optional<NcclColumns> nccl_columns(const std::vector<std::string>& words);

}  // namespace clustersim
