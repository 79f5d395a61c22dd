// A key that names hardware: an id of the catalog, or an object in place that may start from one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/read/catalog.h"
#include "sim/read/catalog_fields.h"

namespace clustersim {

// The catalog, with whom to tell of a fault in it.
struct Lookup {
  const Catalog& catalog;
  std::string file;
  std::vector<Problem>& problems;

  Asked at(const std::string& pointer) const { return {file, pointer, problems}; }
};

inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, GpuSpec& part) {
  part = in.catalog.gpu(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, CpuSpec& part) {
  part = in.catalog.cpu(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, LinkSpec& part) {
  part = in.catalog.link(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, NicSpec& part) {
  part = in.catalog.nic(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, SwitchSpec& part) {
  part = in.catalog.switch_(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, StorageSpec& part) {
  part = in.catalog.storage(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, ServerSpec& part) {
  part = in.catalog.server(id, in.at(pointer));
}
inline void find_part(const Lookup& in, const std::string& id, const std::string& pointer, CloudSpec& part) {
  part = in.catalog.cloud(id, in.at(pointer));
}

inline constexpr const char* kInPlace = "in-place";  // id of a part that is in no catalog

// What the object in place says over `part`; what it gives is no longer a guess or unknown.
template <class Spec>
void change_part(FieldVisitor& in, Spec& part) {
  visit_fields(in, part);
  std::erase_if(part.estimated, [&](const EstimatedField& e) { return in.given(e.field); });
  std::erase_if(part.unknown, [&](const std::string& key) { return in.given(key); });
  if (part.id.empty()) part.id = kInPlace;
}

// The ids of a kind, to check a key against; a folder is not listed for a key that is not given.
inline std::vector<std::string> ids_for(const FieldVisitor& v, const std::string& key, const std::string& kind,
                                        const Lookup& lookup) {
  return v.given(key) ? lookup.catalog.ids(kind) : std::vector<std::string>();
}

template <class Spec>
void hardware_part(FieldVisitor& v, const Field& field, const std::string& kind, std::optional<Spec>& slot,
                   const Lookup& lookup) {
  const std::string pointer = v.pointer() + "/" + field.name;
  v.part(
      field, kind, ids_for(v, field.name, kind, lookup),
      [&](const std::string& id) { find_part(lookup, id, pointer, slot.emplace()); },
      [&](FieldVisitor& in, const std::string& base) {
        Spec& part = slot.emplace();
        if (!base.empty()) find_part(lookup, base, pointer + "/base", part);
        change_part(in, part);
      });
}

}  // namespace clustersim
