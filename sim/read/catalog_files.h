// The files of the catalog read once, to be asked by many threads: constant after it is made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clustersim/error.h"
#include "sim/read/json_value.h"

namespace clustersim {

struct CatalogKind;

// One file: its document, or what is wrong with it.
struct CatalogFile {
  std::shared_ptr<const JsonValue> document;
  std::vector<Problem> problems;
};

// The document of a path, with its sources checked.
CatalogFile read_catalog_file(const std::string& path);

class CatalogFiles {
 public:
  // Reads every entry of every kind; a faulty one keeps its problems until somebody asks for it.
  explicit CatalogFiles(const std::string& data_dir);

  const CatalogFile* find(const std::string& path) const;  // null where there is none
  const std::vector<std::string>& ids(const CatalogKind& kind) const;
  // Of the texts of all files, in the order of their paths: the same for the same catalog.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  std::map<std::string, CatalogFile> files_;
  std::map<std::string, std::vector<std::string>> ids_;  // by the kind's name
  std::uint64_t fingerprint_ = 0;
};

}  // namespace clustersim
