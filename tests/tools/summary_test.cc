#include "tools/measurement/summary.h"

#include <catch2/catch.hpp>

using namespace clustersim::measurement;

TEST_CASE("a record as a line", "[measurement]") {
  Record record = measured("copy", {{"bytes", std::int64_t{4096}}, {"memory", std::string("pinned")}}, {3.1e-4});
  record.derived = {{"bytes_per_s", 1.25e10}};
  // 3.1e-4 s = 310 us; 1.25e10 = 12.5 G.
  CHECK(to_text(record) == "copy bytes=4096 memory=pinned: 310 us +- 0.0 %, bytes_per_s 12.5 G");
  CHECK(to_text(failed("gemm", {}, "no memory")) == "gemm: FAILED, no memory");
  CHECK(to_text(skipped("gemm", {}, "no GPU")) == "gemm: skipped, no GPU");
}

TEST_CASE("values outside the prefixes, and zero", "[measurement]") {
  CHECK(to_text(measured("x", {}, {0})) == "x: 0 s +- 0.0 %");
  CHECK(to_text(measured("x", {}, {2e-12})) == "x: 0.002 ns +- 0.0 %");
  CHECK(to_text(measured("x", {}, {3e15}, "B")) == "x: 3e+03 TB +- 0.0 %");
}

TEST_CASE("the last line counts", "[measurement]") {
  MeasurementFile file;
  file.records = {measured("a", {}, {1}), failed("b", {}, "r"), failed("c", {}, "r"), skipped("d", {}, "r")};
  CHECK(to_text(file).find("1 measured, 2 failed, 1 skipped\n") != std::string::npos);
}
