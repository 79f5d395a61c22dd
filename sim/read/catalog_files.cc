#include "sim/read/catalog_files.h"

#include "sim/read/catalog_file.h"

namespace clustersim {

namespace {

// FNV-1a.
void mix(std::uint64_t& hash, const std::string& text) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
}

}  // namespace

CatalogFile read_catalog_file(const std::string& path) {
  CatalogFile file;
  JsonValue document = load_json(path, file.problems);
  if (file.problems.empty()) check_sources(document, path, file.problems);
  if (file.problems.empty()) file.document = std::make_shared<const JsonValue>(std::move(document));
  return file;
}

CatalogFiles::CatalogFiles(const std::string& data_dir) {
  for (const CatalogKind& kind : catalog_kinds()) {
    std::vector<std::string>& ids = ids_[kind.name];
    ids = entry_ids(data_dir, kind);
    for (const std::string& id : ids) {
      const std::string path = entry_path(data_dir, kind, id);
      files_.emplace(path, read_catalog_file(path));
    }
  }
  fingerprint_ = 0xcbf29ce484222325ULL;
  for (const auto& [path, file] : files_) {
    mix(fingerprint_, path.substr(data_dir.size()));
    if (file.document) mix(fingerprint_, to_text(*file.document, 0));
  }
}

const CatalogFile* CatalogFiles::find(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

const std::vector<std::string>& CatalogFiles::ids(const CatalogKind& kind) const { return ids_.at(kind.name); }

}  // namespace clustersim
