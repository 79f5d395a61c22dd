// The files of the catalog: where an entry of a kind lies, and that every number in it says where it comes from.
//
//   "sources":   [{"what": ..., "where": ..., "fields": ["tdp", ...]}]   without "fields": of the whole file
//   "estimated": {"idle_power": "why it is a guess"}
//
// A field is named by its path ("node/gpus"); what a path names covers everything below it. Fields inside "facts",
// which nothing but `clustersim catalog` reads, are named without that word.
#pragma once

#include <string>
#include <vector>

#include "clustersim/error.h"
#include "sim/read/json_value.h"

namespace clustersim {

// One kind of entry.
struct CatalogKind {
  const char* name;
  const char* folder;  // under the data directory
  const char* meaning;
  std::vector<const char*> telling;  // the keys that a table of the kind shows
};

const std::vector<CatalogKind>& catalog_kinds();
const CatalogKind* find_catalog_kind(const std::string& name);  // null if there is none

std::string entry_path(const std::string& data_dir, const CatalogKind& kind, const std::string& id);
bool entry_exists(const std::string& data_dir, const CatalogKind& kind, const std::string& id);
// Sorted. The only function that lists a folder.
std::vector<std::string> entry_ids(const std::string& data_dir, const CatalogKind& kind);

// A Problem for each number without a source and each source or guess that names a field the file does not have.
void check_sources(const JsonValue& document, const std::string& file, std::vector<Problem>& problems);

// Why the number at `path` is a guess, "" if it is not.
std::string why_estimated(const JsonValue& document, const std::string& path);
// Which of the file's sources (counted from 1) speak for `path`: those that name it, else those of the whole file.
std::vector<int> sources_of(const JsonValue& document, const std::string& path);

}  // namespace clustersim
