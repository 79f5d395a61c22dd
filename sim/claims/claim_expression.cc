#include "sim/claims/claim_expression.h"

#include <cctype>
#include <charconv>

namespace clustersim {
namespace {

constexpr int deepest = 50;  // brackets and signs inside one another

class Evaluation {
 public:
  Evaluation(const std::string& text, const std::function<double(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  double run() {
    const double value = sum();
    if (!at_end()) throw ExpressionError("nothing after \"" + text_.substr(0, at_) + "\"");
    return value;
  }

 private:
  bool at_end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ == text_.size();
  }

  bool take(char sign) {
    if (at_end() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = factor();
    for (;;) {
      if (take('*'))
        value *= factor();
      else if (take('/'))
        value /= factor();
      else
        return value;
    }
  }

  double factor() {
    if (++depth_ > deepest)
      throw ExpressionError("at most " + std::to_string(deepest) + " brackets inside one another");
    const double value = signed_factor();
    --depth_;
    return value;
  }

  double signed_factor() {
    if (take('-')) return -factor();
    if (take('(')) {
      const double value = sum();
      if (!take(')')) throw ExpressionError("a closing bracket in \"" + text_ + "\"");
      return value;
    }
    if (!at_end() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) return number();
    return value_of_(name());
  }

  double number() {
    double value = 0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (read.ec != std::errc()) throw ExpressionError("a number in \"" + text_.substr(at_) + "\"");
    at_ = static_cast<std::size_t>(read.ptr - text_.data());
    return value;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  (text_[at_] == '.' && at_ > begin)))
      ++at_;
    if (at_ == begin) throw ExpressionError("a number or a name at the end of \"" + text_.substr(0, begin) + "\"");
    return text_.substr(begin, at_ - begin);
  }

  const std::string& text_;
  const std::function<double(const std::string&)>& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(const std::string& text, const std::function<double(const std::string&)>& value_of) {
  return Evaluation(text, value_of).run();
}

}  // namespace clustersim
