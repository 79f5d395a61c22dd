// The two kinds of fault: the user's (a list of Problems, thrown once as InputError) and ours (require).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clustersim {

// One fault of an input file.
struct Problem {
  std::string file;
  std::string pointer;  // JSON pointer inside the file, "" for the whole
  std::string expected;
  std::string got;
  std::string hint;  // how to mend it, may be empty
};

// All faults of a read, found together.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems)
      : std::runtime_error("the input has faults"), problems_(std::move(problems)) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// A broken promise of our own code; never the user's doing.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool condition, std::string_view promise) {
  if (!condition) throw InternalError("this is a bug: broken promise: " + std::string(promise));
}

}  // namespace clustersim
