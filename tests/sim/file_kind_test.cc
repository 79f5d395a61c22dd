#include "sim/read/file_kind.h"

#include <catch2/catch.hpp>

#include "clustersim/clustersim.h"
#include "tests/sim/study_files.h"

using namespace clustersim;

namespace {

const study_files::Folder& folder() {
  static const study_files::Folder one("file_kind");
  return one;
}

// The one fault of a file, "expected, got, hint"; "" where it has another number of faults.
template <class Verb>
std::string fault(const Verb& verb, const std::string& text) {
  try {
    verb(folder().write("given.json", text));
  } catch (const InputError& error) {
    if (error.problems().size() != 1) return "";
    const Problem& p = error.problems()[0];
    return p.expected + ", " + p.got + ", " + p.hint;
  }
  return "";
}

}  // namespace

TEST_CASE("A file that is given to the wrong command is told the right one, and nothing else") {
  const auto run_it = [](const std::string& path) { read_scenario(path, {}); };
  const auto sweep_it = [](const std::string& path) { sweep(path, {}); };
  const auto plan_it = [](const std::string& path) { plan(path); };
  const std::string scenario = R"({"clustersim": 1, "cluster": {}})", study = R"({"clustersim_study": 1, "axes": 3})",
                    question = R"({"clustersim_question": 1, "job": {}})";
  CHECK(fault(run_it, study).find("clustersim sweep") != std::string::npos);
  CHECK(fault(run_it, question).find("clustersim plan") != std::string::npos);
  CHECK(fault(sweep_it, scenario).find("clustersim run") != std::string::npos);
  CHECK(fault(sweep_it, question).find("clustersim plan") != std::string::npos);
  CHECK(fault(plan_it, scenario).find("clustersim run") != std::string::npos);
  CHECK(fault(plan_it, study).find("clustersim sweep") != std::string::npos);
  CHECK(fault(run_it, R"({"clustersim_calibration": 1})").find("\"calibration\"") != std::string::npos);
}

TEST_CASE("A file that says no kind, its own, or several is read as what was asked for") {
  for (const char* text : {R"({"cluster": {}})", R"({"clustersim": 1})", R"({"clustersim": 1, "clustersim_study": 1})",
                           R"({"clustersim_study": 1, "clustersim_question": 1})", "[1]", "3"}) {
    std::vector<Problem> problems;
    const JsonValue document = parse_json(text, "file", problems);
    INFO(text);
    CHECK(!is_another_kind(document, FileKind::scenario, "file", problems));
    CHECK(problems.empty());
  }
}
