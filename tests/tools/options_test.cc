#include "tools/measurement/options.h"

#include <catch2/catch.hpp>

using namespace clustersim::measurement;

namespace {

const Accepted everything = {true, true, {"memory", "disk"}};

}  // namespace

TEST_CASE("options of a benchmark program", "[measurement]") {
  const Options options =
      read_options({"-o", "x.json", "--quick", "--directory", "/data", "--device", "3", "--only", "disk"}, everything);
  CHECK(options.output == "x.json");
  CHECK(options.quick);
  CHECK(options.directory == "/data");
  CHECK(options.device == 3);
  CHECK(wanted(options, "disk"));
  CHECK_FALSE(wanted(options, "memory"));
}

TEST_CASE("without --only every group is wanted", "[measurement]") {
  const Options options = read_options({"-o", "x.json"}, everything);
  CHECK(wanted(options, "memory"));
  CHECK_FALSE(options.quick);
  CHECK(options.directory == ".");
}

TEST_CASE("a wrong argument is one sentence", "[measurement]") {
  CHECK_THROWS_WITH(read_options({}, everything), Catch::Contains("-o FILE"));
  CHECK_THROWS_WITH(read_options({"-o"}, everything), Catch::Contains("-o needs a value"));
  CHECK_THROWS_WITH(read_options({"-o", ""}, everything), Catch::Contains("-o needs a value"));
  CHECK_THROWS_WITH(read_options({"-o", "x", "--slow"}, everything), Catch::Contains("'--slow'"));
  CHECK_THROWS_WITH(read_options({"-o", "x", "--device", "1x"}, everything), Catch::Contains("number of a GPU"));
  CHECK_THROWS_WITH(read_options({"-o", "x", "--device", "-1"}, everything), Catch::Contains("number of a GPU"));
  CHECK_THROWS_WITH(read_options({"-o", "x", "--only", "disc"}, everything), Catch::Contains("memory, disk"));
  CHECK_THROWS_AS(read_options({"-o", "x", "--directory", "d"}, Accepted{}), OptionError);
}

TEST_CASE("help needs no output file", "[measurement]") { CHECK(read_options({"--help"}, everything).help); }
