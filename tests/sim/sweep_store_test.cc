#include "sim/store/sweep_store.h"

#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "tests/sim/study_files.h"

using namespace clustersim;
using study_files::study;

namespace {

const std::string axes = R"({"pointer": "/job/target/steps", "range": {"from": 1, "to": 40, "steps": 40}},
  {"pointer": "/cluster/node/gpus", "values": [1, 0]})";

// Runs the study with a runner that stops after `most` points, as a kill would.
Sweep start(const std::string& path, const std::string& database, std::size_t most, std::size_t& ran) {
  SweepOptions options;
  options.database = database;
  options.runner = [&](const auto& points, const auto& run, const auto& take) {
    for (const std::size_t point : points) {
      if (ran == most) throw std::runtime_error("stopped");
      take({run(point)});
      ++ran;
    }
  };
  return sweep(path, options);
}

std::string fault(const std::string& path, const std::string& database) {
  SweepOptions options;
  options.database = database;
  try {
    sweep(path, options);
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].file == database);
    return error.problems()[0].got;
  }
  return "";
}

}  // namespace

TEST_CASE("A study that was stopped goes on where it was, and ends as one that was not") {
  if (!has_sweep_store()) return;
  const study_files::Folder folder("store");
  const std::string path = folder.write("study.json", study(axes));
  SweepOptions undisturbed;
  undisturbed.database = ":memory:";
  const std::string expected = write(sweep(path, undisturbed), "csv");
  std::size_t total = 0;
  for (const std::size_t most : {1, 20, 33}) {
    std::size_t ran = 0;
    CHECK_THROWS_AS(start(path, folder.path("a.sqlite"), most, ran), std::runtime_error);
    CHECK(ran == most);
    total += ran;
  }
  std::size_t ran = 0;
  CHECK(write(start(path, folder.path("a.sqlite"), 1000, ran), "csv") == expected);
  CHECK(total + ran == 80);  // nothing ran twice
  ran = 0;
  CHECK(write(start(path, folder.path("a.sqlite"), 0, ran), "csv") == expected);  // all kept: nothing runs
}

TEST_CASE("Kept rows read back to the same bits, faults and all") {
  if (!has_sweep_store()) return;
  const study_files::Folder folder("store");
  SweepRow done;
  done.metrics = {{"step_time", 0.1 + 0.2}, {"energy", 1e-300}, {"throughput", 12345.678901234567}};
  done.currency = "EUR";
  done.limit_kind = "fabric";
  done.limit_resource = "node0.\"nic\"0";
  done.limit_share = 1.0 / 3;
  SweepRow invalid;
  invalid.point = 1;
  invalid.status = SweepRow::Status::invalid;
  invalid.problems = {{"f", "/ä/0", "e\n", "'g'", "h"}};
  const StudyIdentity identity{"s", "text", {{"a", {"/a"}, {{"1"}, {""}}, {"1", "2"}}}, true, {"step_time"}};
  {
    const auto store = open_sweep_store(folder.path("b.sqlite"), identity);
    store->keep({invalid, done});
  }
  const auto store = open_sweep_store(folder.path("b.sqlite"), identity);
  const std::vector<SweepRow> rows = store->rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].metrics == done.metrics);
  CHECK(rows[0].limit_share == done.limit_share);
  CHECK(rows[0].limit_resource == done.limit_resource);
  CHECK(rows[0].currency == "EUR");
  CHECK(rows[1].status == SweepRow::Status::invalid);
  REQUIRE(rows[1].problems.size() == 1);
  CHECK(rows[1].problems[0].pointer == "/ä/0");
  CHECK(rows[1].problems[0].expected == "e\n");
  store->keep({done});
  CHECK(store->rows().size() == 2);  // a point has one row
}

TEST_CASE("A database of something else is refused and left as it is") {
  if (!has_sweep_store()) return;
  const study_files::Folder folder("store");
  const std::string path = folder.write("study.json", study(R"({"pointer": "/seed", "values": [1, 2]})"));
  const std::string database = folder.path("c.sqlite");
  CHECK(fault(path, database) == "");
  // another axis: not the same study; another objective: the same rows
  CHECK(fault(folder.write("other.json", study(R"({"pointer": "/seed", "values": [1, 3]})")), database)
            .starts_with("one that was begun with another"));
  CHECK(fault(folder.write("same.json", study(R"({"pointer": "/seed", "values": [1, 2]})",
                                              R"(, "objective": {"minimize": "energy"})")),
              database) == "");
  const std::string text = std::string(5000, 'x');
  CHECK(fault(path, folder.write("text.sqlite", text)) == "a file of another kind");
  CHECK(std::filesystem::file_size(folder.path("text.sqlite")) == text.size());
  CHECK(fault(path, folder.path("nowhere/d.sqlite")) != "");
  const auto held = open_sweep_store(folder.path("e.sqlite"), {"s", "text", {}, true, {}});
  CHECK(fault(path, folder.path("e.sqlite")) == "another program has it");
}
