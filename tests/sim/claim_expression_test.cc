#include "sim/claims/claim_expression.h"

#include <catch2/catch.hpp>

using namespace clustersim;

namespace {

double value_of(const std::string& name) {
  if (name == "fast.step_time") return 0.25;
  if (name == "slow.step_time") return 1;
  throw ExpressionError("no " + name);
}

double evaluated(const std::string& text) { return evaluate(text, value_of); }

}  // namespace

TEST_CASE("products bind before sums, both from the left") {
  CHECK(evaluated("2 + 3 * 4") == 2 + 3 * 4);
  CHECK(evaluated("10 - 4 - 3") == (10 - 4) - 3);
  CHECK(evaluated("64 / 4 / 2") == (64.0 / 4) / 2);
  CHECK(evaluated("-(1 + 2) * -2") == 6);
  CHECK(evaluated(" 1.5e3 ") == 1500);
}

TEST_CASE("names stand for numbers") {
  CHECK(evaluated("100 * (1 - fast.step_time / slow.step_time)") == 100 * (1 - 0.25 / 1));
}

TEST_CASE("what is no expression is refused") {
  for (const char* text : {"", "1 +", "(1", "1)", "1 2", "* 2", "medium.step_time", "1 ; 2", "--", "fast"})
    CHECK_THROWS_AS(evaluated(text), ExpressionError);
  CHECK_THROWS_AS(evaluated(std::string(1000, '(')), ExpressionError);
  CHECK_THROWS_AS(evaluated(std::string(1000, '-') + "1"), ExpressionError);
}
