// The keys of every piece of hardware, once: for the files of the catalog, for objects in place in a scenario, and for
// `clustersim explain`.
//
// `whole`: what every such part must have is required. The catalog reads with whole = false, and notes what is
// missing in Entry::unknown instead, since a few parts were never measured.
#pragma once

#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/fields.h"
#include "clustersim/hardware.h"

namespace clustersim {

// What every entry has: its name, and the keys that only `clustersim catalog` reads.
void visit_entry(FieldVisitor& v, Entry& entry);

void visit_fields(FieldVisitor& v, GpuSpec& gpu, bool whole = true);
void visit_fields(FieldVisitor& v, CpuSpec& cpu, bool whole = true);
void visit_fields(FieldVisitor& v, LinkSpec& link, bool whole = true);
void visit_fields(FieldVisitor& v, NicSpec& nic, bool whole = true);
void visit_fields(FieldVisitor& v, SwitchSpec& part, bool whole = true);
void visit_fields(FieldVisitor& v, StorageSpec& tier, bool whole = true);

// Usable devices' worth of an array of n devices: per_device * n + plus.
struct DeviceCount {
  double per_device = 1;
  double plus = 0;
  double of(int devices) const { return per_device * devices + plus; }
};
struct RaidFile : Entry {
  double sequential_efficiency = 1;
  DeviceCount capacity, read_scaling, write_scaling;
};
void visit_fields(FieldVisitor& v, RaidFile& raid);

// Parts of a server that an imported topology has too.
void visit_pcie_tree(FieldVisitor& v, std::vector<PcieVertex>& tree);
void visit_nics(FieldVisitor& v, std::vector<PartCount>& nics);
// What makes a tree unusable, said once each: parents that do not come before, ids that repeat, words that are none.
void check_pcie_tree(const std::vector<PcieVertex>& tree, const std::string& file, const std::string& pointer,
                     std::vector<Problem>& problems);

// Ids stay ids: links of the tree carry link_id, Catalog::server fills in their rates.
void visit_fields(FieldVisitor& v, ServerSpec& server);
// Prices come out in USD if the reader knows the rates.
void visit_fields(FieldVisitor& v, CloudSpec& cloud);

}  // namespace clustersim
