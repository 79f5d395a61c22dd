// Whether a path is something that a reader may open: named pipes block until somebody writes, devices need not end.
// Checked by: tests/sim/import_text_test.cc
#pragma once

#include <string>

namespace clustersim {

// "" for a file; else what it is instead: "a folder", "a pipe", "a device", "no file of this name". An unnamed pipe (of
// a shell: `... |` with /dev/stdin, `<(...)`) can be read once, from its beginning: `once` says that this is enough.
std::string no_source(const std::string& path, bool once);

}  // namespace clustersim
