#include "sim/import/load_trace.h"

#include "sim/import/chakra.h"
#include "sim/import/chakra_nodes.h"
#include "sim/import/kineto.h"
#include "sim/import/step_trace_file.h"
#include "sim/import/text_source.h"

namespace clustersim {

namespace {

// A Chakra trace as JSON starts with its graph.
bool names_chakra(const std::string& path) {
  const auto source = open_source(path, std::size_t{1} << 40);
  std::string start(400, '\0');
  try {
    source->read(start.data(), static_cast<std::streamsize>(start.size()));
  } catch (const std::exception&) {
    return false;
  }
  start.resize(static_cast<std::size_t>(source->gcount()));
  return start.find("\"workload_graph\"") != std::string::npos;
}

}  // namespace

StepTrace load_trace(const std::string& path) {
  if (is_step_trace(path)) return read_step_trace(path);
  if (looks_like_chakra(path) || names_chakra(path)) return read_chakra({path}).trace;
  return read_kineto({path}).trace;
}

Imported imported_trace(TraceImport found) {
  Imported imported;
  imported.format = std::move(found.format);
  imported.known = trace_summary(found.trace);
  imported.known.insert(imported.known.end(), found.known.begin(), found.known.end());
  imported.unknown = std::move(found.unknown);
  imported.warnings = std::move(found.warnings);
  imported.document = step_trace_text(found.trace);
  return imported;
}

}  // namespace clustersim
