#include "sim/import/import_topology.h"

#include "clustersim/clustersim.h"
#include "sim/import/dcgm.h"
#include "sim/import/device_properties.h"
#include "sim/import/hwloc_xml.h"
#include "sim/import/join_facts.h"
#include "sim/import/nccl_xml.h"
#include "sim/import/node_document.h"
#include "sim/import/rocm_smi.h"
#include "sim/import/smi_query.h"
#include "sim/import/smi_report.h"
#include "sim/import/text_source.h"
#include "sim/import/topo_matrix.h"
#include "sim/import/xml_file.h"

namespace clustersim {

namespace {

// Whole files of one format; the first that knows the text reads it.
struct FileFormat {
  const char* name;
  bool (*knows)(const std::string& text);
  NodeFacts (*read)(const std::string& text, const std::string& path);
};
constexpr FileFormat kFiles[] = {
    {"an NCCL topology XML", is_nccl_xml, read_nccl_xml},
    {"hwloc XML", is_hwloc_xml, read_hwloc_xml},
    {"nvidia-smi -q -x", is_smi_xml, read_smi_xml},
};

// Reports that stand in a text among others, as a terminal's log holds them; all that are found are joined.
struct ReportFormat {
  const char* name;
  std::optional<NodeFacts> (*read)(const std::vector<std::string>& lines, const std::string& path);
};
constexpr ReportFormat kReports[] = {
    {"nvidia-smi topo -m", read_topo_matrix},
    {"nvidia-smi --query-gpu (CSV)", read_smi_query},
    {"nvidia-smi -q", read_smi_report},
    {"nvidia-smi nvlink -s or -L", read_smi_links},
    {"nvidia-smi", read_smi_table},
    {"rocm-smi --showtopo", read_rocm_smi},
    {"DCGM's metrics", read_dcgm},
};

constexpr std::size_t kBeginning = std::size_t{1} << 18;

}  // namespace

std::optional<NodeFacts> find_node_facts(const std::string& text, const std::string& path) {
  for (const FileFormat& format : kFiles)
    if (format.knows(text)) return format.read(text, path);
  const std::vector<std::string> lines = lines_of(text);
  std::vector<NodeFacts> found;
  for (const ReportFormat& format : kReports)
    if (auto facts = format.read(lines, path)) found.push_back(std::move(*facts));
  if (found.empty()) return std::nullopt;
  NodeFacts facts = join_facts(found);
  for (const std::string& line : lines) {
    const std::size_t at = line.find("Unable to determine the device handle for");
    if (at == std::string::npos) continue;
    facts.warnings.push_back("a GPU that does not answer the driver is left out of its reports (" +
                             shown(trimmed(line.substr(at)), 120) + "): the node may have one more");
    break;
  }
  return facts;
}

NodeFacts read_node_facts(const std::string& path) {
  if (auto facts = read_device_properties(beginning_of(path, kBeginning))) return std::move(*facts);
  const std::string text = clean_text(read_source(path, kMostXmlBytes));
  if (auto facts = find_node_facts(text, path)) return std::move(*facts);
  std::string names;
  for (const FileFormat& format : kFiles) names += std::string(format.name) + ", ";
  for (const ReportFormat& format : kReports) names += std::string(format.name) + ", ";
  names.resize(names.size() - 2);
  throw InputError({{path, "", "one of: " + names, "text that starts " + shown(trimmed(text.substr(0, 200))), ""}});
}

std::vector<NodeFacts> read_all_facts(const std::vector<std::string>& paths) {
  std::vector<NodeFacts> files;
  std::vector<Problem> problems;
  for (const std::string& path : paths) {
    try {
      files.push_back(read_node_facts(path));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);
  return files;
}

Imported import_topology(const std::vector<std::string>& paths) {
  return node_document(Catalog(data_directory()), join_facts(read_all_facts(paths)));
}

}  // namespace clustersim
