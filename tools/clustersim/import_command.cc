// clustersim import: a user's file in a form of ours.
#include <iostream>

#include "clustersim/import.h"
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

void list_lines(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::cerr << title << "\n";
  for (const std::string& line : lines) std::cerr << "  " << line << "\n";
}

std::string run_import(const Arguments& arguments) {
  const std::vector<std::string> paths(arguments.positional.begin() + 1, arguments.positional.end());
  const Imported imported = import_files(arguments.positional[0], paths);
  std::cerr << "read as " << imported.format << "\n";
  list_lines("known", imported.known);
  list_lines("unknown", imported.unknown);
  list_lines("warnings", imported.warnings);
  const std::string path = arguments.value("output", "");
  if (path.empty()) return imported.document;
  write_file(path, imported.document);
  std::cerr << "written to " << path << "\n";
  return "";
}

std::string kinds_text() {
  std::string text = "What is read; its format is found by its content, and gzip is unpacked.\n\nKIND is one of";
  for (const auto& [name, meaning] : import_kinds())
    text += "\n  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + meaning;
  return text;
}

}  // namespace

Command import_command() {
  constexpr int most_positional = 64;
  return {"import",
          "KIND FILE... [-o FILE]",
          "A topology, trace or log of yours in a form of ours.",
          {output_option()},
          2,
          most_positional,
          run_import,
          kinds_text()};
}

}  // namespace clustersim
