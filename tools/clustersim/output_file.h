// A result that goes to a file: whole under its name, or not at all.
#pragma once

#include <string>

namespace clustersim {

// Writes beside the file, then renames. What is no plain file (/dev/null, a pipe) is written directly.
// InputError where the path cannot be written.
void write_file(const std::string& path, const std::string& text);

}  // namespace clustersim
