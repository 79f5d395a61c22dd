#include "sim/import/import_topology.h"

#include "clustersim/clustersim.h"
#include "sim/import/nccl_xml.h"
#include "sim/import/node_document.h"
#include "sim/import/text_source.h"

namespace clustersim {

namespace {

// One line a format; the first that knows the text reads it.
struct NodeFormat {
  const char* name;
  bool (*knows)(const std::string& text);
  NodeFacts (*read)(const std::string& text, const std::string& path);
};

constexpr NodeFormat kFormats[] = {
    {"NCCL topology XML", is_nccl_xml, read_nccl_xml},
};

}  // namespace

NodeFacts read_node_facts(const std::string& path) {
  const std::string text = clean_text(read_source(path));
  std::string names;
  for (const NodeFormat& format : kFormats) {
    if (format.knows(text)) return format.read(text, path);
    names += std::string(names.empty() ? "" : ", ") + format.name;
  }
  throw InputError({{path, "", "one of: " + names, "text that starts " + shown(trimmed(text.substr(0, 200))), ""}});
}

Imported import_topology(const std::vector<std::string>& paths) {
  return node_document(Catalog(data_directory()), read_node_facts(paths.front()));
}

}  // namespace clustersim
