#include "sim/import/load_trace.h"

#include "sim/import/kineto.h"
#include "sim/import/step_trace_file.h"

namespace clustersim {

StepTrace load_trace(const std::string& path) {
  if (is_step_trace(path)) return read_step_trace(path);
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
