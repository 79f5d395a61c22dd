// The shipped claims, and that a verdict follows from the runs and from nothing else.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/claims/claim_index.h"
#include "tests/sim/acceptance.h"

using namespace clustersim;
using namespace clustersim::acceptance;

namespace {

const Claims& shipped() {
  static const Claims all = claims();
  return all;
}

const Claim& claim(int number) {
  for (const Claim& c : shipped().claims)
    if (c.number == number) return c;
  throw std::runtime_error("no claim " + std::to_string(number));
}

double value(int number, const std::string& when) {
  for (const ClaimCase& c : claim(number).cases)
    if (has(c.when, when)) return c.value;
  throw std::runtime_error("no case " + when);
}

// A list of claims of our own, beside which the shipped scenarios lie.
class OwnList {
 public:
  explicit OwnList(const std::string& text)
      : folder_(std::filesystem::temp_directory_path() / "clustersim_claims_test") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const std::string& name : json_files(scenarios() / "claims"))
      if (name != "claims")
        std::filesystem::copy_file(scenarios() / "claims" / (name + ".json"), folder_ / (name + ".json"));
    std::ofstream(folder_ / "claims.json") << text;
  }
  ~OwnList() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "claims.json").string(); }

 private:
  std::filesystem::path folder_;
};

// Two cases whose values are 2 and 3, and what is claimed of them.
std::string list_of(const std::string& claimed) {
  return R"({"claims": [{"number": 1, "guide": "long", "claim": "c", "measured": "m", "unit": "x", "value": "two + more",
             "claimed": )" +
         claimed + R"(, "let": {"two": "2", "more": "0"},
             "conditions": [{"when": "as it is"}, {"when": "with more", "let": {"more": "1"}}]}]})";
}

std::string verdict_of(const std::string& claimed) {
  return claims(OwnList(list_of(claimed)).path()).claims[0].verdict;
}

}  // namespace

TEST_CASE("all rows of the guides are there, and only those without a model have none", "[claims]") {
  REQUIRE(shipped().claims.size() == 63);
  const std::vector<int> without = {19, 20, 21, 22, 23, 30, 34, 35, 36, 37, 54};
  for (int i = 0; i < 63; ++i) {
    const Claim& c = shipped().claims[static_cast<std::size_t>(i)];
    CHECK(c.number == i + 1);
    const bool modelled = std::find(without.begin(), without.end(), c.number) == without.end();
    INFO("claim " << c.number);
    CHECK((c.verdict != "no model") == modelled);
    CHECK(c.cases.empty() == !modelled);
    CHECK(!c.claim.empty());
  }
}

TEST_CASE("a verdict follows from the cases: all, some, none", "[claims]") {
  CHECK(verdict_of(R"({"at_least": 2, "at_most": 3})") == "reproduced");
  CHECK(verdict_of(R"({"about": 2.9, "within": 0.1})") == "bounded");
  CHECK(verdict_of(R"({"at_most": 2.5})") == "bounded");
  CHECK(verdict_of(R"({"about": 4})") == "refuted");  // 3 is 25 % off, 20 % may be
}

TEST_CASE("another cluster gives another verdict of the same claim", "[claims]") {
  // The time an all-reduce takes along a tree of log2(n) stages, twice, over that of a ring of 2 (n-1)/n: 1 at n = 2
  // and 3/1.75 = 1.71 at n = 8.
  const auto text = [](int nodes) {
    const std::string run =
        R"("scenario": "four-servers.json", "set": {"/cluster/nodes": ")" + std::to_string(nodes) +
        R"(", "/cluster/node/gpus": "1"}, "collective": {"operation": "all_reduce", "size": "241 MB",)";
    return R"({"claims": [{"number": 18, "guide": "long", "claim": "c", "measured": "m", "unit": "x",
               "value": "tree.time_us / ring.time_us", "claimed": {"about": 1}, "conditions": [{"when": "always"}],
               "runs": [{"name": "tree", )" +
           run + R"("algorithm": "naive_tree"}}, {"name": "ring", )" + run + R"("algorithm": "ring"}}]}]})";
  };
  const Claim two = claims(OwnList(text(2)).path()).claims[0], eight = claims(OwnList(text(8)).path()).claims[0];
  CHECK(two.verdict == "reproduced");
  CHECK(eight.verdict == "refuted");
  CHECK(eight.cases[0].value == Approx(3 / 1.75).epsilon(0.03));  // latencies and protocols beside the volume
}

TEST_CASE("what a list gets wrong is told with its place, all of it", "[claims]") {
  const OwnList list(R"({"claims": [
    {"number": 2, "guide": "long", "claim": "c", "measured": "m", "unit": "x", "value": "1 +", "claimed": {"about": 1},
     "conditions": [{"when": "a"}]},
    {"number": 3, "guide": "long", "claim": "c", "measured": "m", "unit": "x", "value": "a", "claimed": {"about": 1},
     "let": {"a": "b", "b": "a"}, "conditions": [{"when": "a circle"}]},
    {"number": 4, "guide": "short", "claim": "c", "measured": "m", "unit": "x", "value": "job.speed",
     "claimed": {"about": 1}, "runs": [{"name": "job", "scenario": "one-server.json"}], "conditions": [{"when": "a"}]}]})");
  try {
    claims(list.path());
    FAIL("not refused");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 3);
    CHECK(error.problems()[0].pointer == "/claims/0/conditions/0");
    CHECK(has(error.problems()[1].expected, "circle"));
    CHECK(has(error.problems()[2].expected, "speed"));
  }
  CHECK_THROWS_AS(claims(OwnList(R"({"claims": [{"number": 1, "guide": "long", "claim": "c"}]})").path()), InputError);
  CHECK_THROWS_AS(claims(OwnList("{").path()), InputError);
}

TEST_CASE("16: the network saves 21 to 26 % of one V100's step in FP32 without overlap, and otherwise not",
          "[claims]") {
  // 241 MB of gradients through 2 (n-1)/n of 10 Gbit/s and of 100 Gbit/s, beside a step of about a second.
  CHECK(claim(16).verdict == "bounded");
  const double plain = value(16, "one V100 a server, FP32, batch 128, no overlap");
  CHECK(plain >= 21);
  CHECK(plain <= 26);
  CHECK(value(16, "the same with overlap") < 0.3 * plain);
  CHECK(value(16, "four A100 a server, AMP, batch 128, overlap") > 2 * plain);
}

TEST_CASE("8, 46: cores follow from images, not from GPUs", "[claims]") {
  CHECK(value(8, "JPEG decoded on the CPU") < 30);
  CHECK(value(8, "tokens") > 90);
  CHECK(value(46, "one RTX 4090") > 90);
  CHECK(value(46, "eight RTX 4090") < 60);
}

TEST_CASE("13: four devices times their rate times 0.92 of RAID 0", "[claims]") {
  CHECK(value(13, "PCIe 3") == Approx(4 * 3.5 * 0.92));
  CHECK(value(13, "PCIe 4") == Approx(4 * 7.0 * 0.92));
  CHECK(claim(13).verdict == "bounded");
}

TEST_CASE("17, 18: an all-reduce saturates with the servers, and the logarithm holds at two alone", "[claims]") {
  // 2 (n-1)/n: from 8 to 16 servers 1.875 / 1.75.
  CHECK(value(17, "ring, 8 to 16") == Approx(1.875 / 1.75).epsilon(0.03));
  CHECK(claim(17).verdict == "refuted");
  CHECK(value(18, "2 servers") == Approx(1).epsilon(0.05));
  CHECK(value(18, "4 servers") == Approx(2 / 1.5).epsilon(0.05));
}

TEST_CASE("38: a limit at the A100's own clock changes nothing", "[claims]") {
  CHECK(value(38, "A100") == 0);
  CHECK(value(39, "A100") == 0);
  CHECK(value(38, "H100") > 20);
}

TEST_CASE("40, 44: eight cores or a SATA disk starve eight GPUs, memory that caches the set cures it", "[claims]") {
  CHECK(value(40, "8 cores") < 20);
  CHECK(value(44, "64 GB of RAM") > 10);
  CHECK(value(44, "512 GB") < 5);
}

TEST_CASE("29, 49: mixed precision and heat have a range, not a number", "[claims]") {
  CHECK(claim(29).verdict == "bounded");
  CHECK(claim(49).verdict == "bounded");
  CHECK(value(49, "two adjacent") < 10);
}

TEST_CASE("the table fits, and JSON says the same", "[claims]") {
  const std::string table = write(shipped(), "table");
  std::size_t begin = 0;
  for (std::size_t end; (end = table.find('\n', begin)) != std::string::npos; begin = end + 1) {
    INFO(table.substr(begin, end - begin));
    CHECK(end - begin <= 100);
  }
  const auto json = nlohmann::json::parse(write(shipped(), "json"));
  CHECK(json["claims"].size() == 63);
  CHECK(json["claims"][15]["verdict"] == claim(16).verdict);
  int sum = 0;
  for (const auto& count : json["summary"]) sum += count.get<int>();
  CHECK(sum == 63);
  CHECK_THROWS_AS(write(shipped(), "csv"), InputError);
}
