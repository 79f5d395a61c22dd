#include "sim/read/file_kind.h"

#include <algorithm>
#include <iterator>

namespace clustersim {

namespace {

struct Known {
  FileKind kind;
  const char* key;
  const char* name;
  const char* reader;  // what to do with it; FILE stands for its name
};

constexpr Known known[] = {
    {FileKind::scenario, "clustersim", "a scenario", "this is a scenario: clustersim run FILE"},
    {FileKind::study, "clustersim_study", "a study", "this is a study: clustersim sweep FILE"},
    {FileKind::question, "clustersim_question", "a question", "this is a question: clustersim plan FILE"},
    {FileKind::calibration, "clustersim_calibration", "a calibration",
     "this is a calibration: a scenario names it, \"cluster\": {\"calibration\": \"FILE\"}"},
    {FileKind::topology, "clustersim_topology", "a topology",
     "this is a topology: a scenario names it, \"node\": {\"topology\": \"FILE\"}"},
};

std::string with_name(std::string text, const std::string& file) {
  const std::size_t at = text.find("FILE");
  return at == std::string::npos ? text : text.replace(at, 4, file);
}

}  // namespace

bool is_another_kind(const JsonValue& document, FileKind wanted, const std::string& file,
                     std::vector<Problem>& problems) {
  if (document.kind != JsonValue::Kind::object) return false;
  const Known* said = nullptr;
  for (const Known& candidate : known) {
    if (document.find(candidate.key) == nullptr) continue;
    if (said != nullptr || candidate.kind == wanted) return false;
    said = &candidate;
  }
  if (said == nullptr) return false;
  const Known* asked =
      std::find_if(std::begin(known), std::end(known), [&](const Known& k) { return k.kind == wanted; });
  problems.push_back({file, "", asked->name, said->name, with_name(said->reader, file)});
  return true;
}

}  // namespace clustersim
