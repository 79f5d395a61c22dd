// Arithmetic over named numbers: "100 * (1 - fast.time_to_train / slow.time_to_train)".
//
//   sum = product {(+|-) product};  product = factor {(*|/) factor};  factor = -factor | number | name | (sum)
// A name is letters, digits, underscores and at most one point between two such words.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace clustersim {

// The text is no expression, or a name in it has no value; what() says which.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `value_of` gives a name's number or throws.
double evaluate(const std::string& text, const std::function<double(const std::string&)>& value_of);

}  // namespace clustersim
