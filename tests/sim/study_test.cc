#include "sim/sweep/study.h"

#include <catch2/catch.hpp>
#include <set>

#include "sim/sweep/axes.h"
#include "tests/sim/study_files.h"

using namespace clustersim;
using study_files::study;

namespace {

const study_files::Folder& folder() {
  static const study_files::Folder one("study");
  return one;
}

Study read(const std::string& text) { return Study(folder().write("study.json", text)); }

// Every pointer at fault.
std::set<std::string> faults(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    std::set<std::string> pointers;
    for (const Problem& p : error.problems()) pointers.insert(p.pointer);
    return pointers;
  }
  return {};
}

std::vector<std::string> values(const StudyAxis& axis) {
  std::vector<std::string> out;
  for (const auto& value : axis.values) out.push_back(value.at(0));
  return out;
}

}  // namespace

TEST_CASE("A study names every fault at once") {
  const auto found = faults(R"({"clustersim_study": 2, "base": "nowhere.json", "axis": [], "sampling": "random",
    "axes": [{"pointer": "/a"}, {"values": [1]}, {"pointer": "job", "values": []},
             {"pointer": "/b", "range": {"from": 4, "to": 2, "steps": 3}},
             {"pointers": ["/c", "/d"], "values": [[1]]}],
    "filters": [{"product": ["/nowhere"], "at_most": 3}],
    "objective": {"minimize": "time", "maximize": "throughput"},
    "constraints": [{"metric": "energy", "at_most": 3}, {"metric": "enery", "at_most": "3 kWh"}]})");
  for (const char* pointer : {"/clustersim_study", "", "/axis", "/sampling", "/axes/0", "/axes/1", "/axes/2/pointer",
                              "/axes/2/values", "/axes/3/range/to", "/axes/4/values/0", "/filters/0/product",
                              "/objective", "/constraints/0/at_most", "/constraints/1/metric"}) {
    INFO(pointer);
    CHECK(found.count(pointer) == 1);
  }
}

TEST_CASE("Ranges by steps hold both ends, by factor what is not above the end, in the unit of the ends") {
  const Study s = read(study(R"({"pointer": "/a", "range": {"from": 1, "to": 3, "steps": 5}},
    {"pointer": "/b", "range": {"from": "10 Gbit/s", "to": "90 Gbit/s", "factor": 2}},
    {"pointer": "/c", "range": {"from": 8, "to": 64, "factor": 2}})"));
  CHECK(values(s.axes()[0]) == std::vector<std::string>{"1", "1.5", "2", "2.5", "3"});
  CHECK(values(s.axes()[1]) ==
        std::vector<std::string>{"\"10 Gbit/s\"", "\"20 Gbit/s\"", "\"40 Gbit/s\"", "\"80 Gbit/s\""});
  CHECK(values(s.axes()[2]) == std::vector<std::string>{"8", "16", "32", "64"});
  CHECK(s.points().size() == 5 * 4 * 4);
}

TEST_CASE("The last axis moves fastest, keys of one axis move together, null leaves the base") {
  const Study s =
      read(study(R"({"pointers": ["/job/accumulation", "/job/target/steps"], "values": [[1, 10], [null, 20]]},
    {"pointer": "/seed", "values": [5, 6, 7]})"));
  REQUIRE(s.points().size() == 6);
  // point 4 = 1 * 3 + 1: second value of the first axis, second of the last
  CHECK(s.overrides(4) == std::vector<Override>{{"/job/target/steps", "20"}, {"/seed", "6"}});
  CHECK(s.overrides(0) ==
        std::vector<Override>{{"/job/accumulation", "1"}, {"/job/target/steps", "10"}, {"/seed", "5"}});
}

TEST_CASE("As a list the axes move together and must be of one length") {
  const std::string two =
      R"({"pointer": "/seed", "values": [5, 6]}, {"pointer": "/job/accumulation", "values": [1, 2]})";
  const Study s = read(study(two, R"(, "sampling": "list")"));
  REQUIRE(s.points().size() == 2);
  CHECK(s.overrides(1) == std::vector<Override>{{"/seed", "6"}, {"/job/accumulation", "2"}});
  CHECK(faults(study(two + R"(, {"pointer": "/a", "values": [1]})", R"(, "sampling": "list")")).count("/axes/2") == 1);
}

TEST_CASE("Filters compare products of values with a number or another axis") {
  const std::string axes = R"({"pointer": "/a", "values": [1, 2, 4]}, {"pointer": "/b", "values": [3, 5]})";
  const auto left = [&](const std::string& filter) {
    return read(study(axes, R"(, "filters": [)" + filter + "]")).points();
  };
  // points a*b: 3 5 6 10 12 20
  CHECK(left(R"({"product": ["/a", "/b"], "at_most": 10})") == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(left(R"({"product": ["/a"], "at_least": "/b"})") == std::vector<std::size_t>{4});
  CHECK(left(R"({"product": ["/a"], "equal": 2})") == std::vector<std::size_t>{2, 3});
  CHECK(left(R"({"product": ["/a"], "unequal": 2})") == std::vector<std::size_t>{0, 1, 4, 5});
  CHECK(faults(study(axes, R"(, "filters": [{"product": ["/a"], "at_most": 0}])")).count("/filters") == 1);
  CHECK(faults(study(axes, R"(, "filters": [{"product": ["/a"], "at_most": "3 W"}])")).count("/filters/0/at_most") ==
        1);
  CHECK(
      faults(study(R"({"pointer": "/a", "values": ["x", "y"]})", R"(, "filters": [{"product": ["/a"], "at_most": 1}])"))
          .count("/filters/0/product") == 1);
}

TEST_CASE("A study has bounds: combinations, axes, keys that may not move, values that differ") {
  std::string axes;
  for (int i = 0; i < 3; ++i)
    axes += (i ? "," : "") + std::string(R"({"pointer": "/a)") + std::to_string(i) +
            R"(", "range": {"from": 1, "to": 1000, "steps": 1000}})";
  CHECK(faults(study(axes)).count("/axes") == 1);  // 10^9 combinations
  std::string many;
  for (int i = 0; i < 17; ++i)
    many += (i ? "," : "") + std::string(R"({"pointer": "/a)") + std::to_string(i) + R"(", "values": [1]})";
  CHECK(faults(study(many)).count("/axes") == 1);
  CHECK(faults(study(R"({"pointer": "/cost/currency", "values": ["EUR"]})")).count("/axes/0/pointer") == 1);
  CHECK(
      faults(study(R"({"pointer": "/a", "values": [1]}, {"pointer": "/a", "values": [2]})")).count("/axes/1/pointer") ==
      1);
  CHECK(faults(study(R"({"pointer": "/a", "values": [1, 1]})")).count("/axes/0/values") == 1);
  CHECK(faults(study(R"({"pointer": "/cluster/nodes/x", "values": [1]})")).count("/axes/0/pointer") == 1);
}

TEST_CASE("What the rows depend on is the study's identity; what is asked of them is not") {
  const std::string axis = R"({"pointer": "/seed", "values": [5, 6]})";
  const std::string one = read(study(axis)).identity();
  CHECK(read(study(axis, R"(, "objective": {"minimize": "energy"})")).identity() == one);
  CHECK(read(study(R"({"pointer": "/seed", "values": [5, 7]})")).identity() != one);
  CHECK(read(study(axis, "", R"({"clustersim": 1})")).identity() != one);
}
