// hwloc's XML (lstopo topology.xml) of versions 1, 2 and 3: sockets with their processor, memory, the PCIe tree with
// link rates, GPUs and network cards, and the matrix "NVLinkBandwidth" where the driver gave it.
//
// Devices of the system (cuda0, nvml0, mlx5_0) belong to the PCI device around them. osdev_type is a number of a list
// up to version 2 and a mask of bits in version 3. A bridge's link is that of its upper side; a rate of 0 is unknown.
// A rate stands for the widest slot that gives it: 15.75 GB/s is Gen3 x16 (also Gen4 x8, which is as fast).
// Read without libhwloc, so that files of any version are read by whatever version is installed.
// Source: hwloc's documentation, "Importing and exporting topologies from/to XML files"; hwloc/pci-common.h for rates.
// Checked by: tests/sim/import_hwloc_test.cc.
#pragma once

#include <string>

#include "sim/import/node_facts.h"

namespace clustersim {

bool is_hwloc_xml(const std::string& text);
NodeFacts read_hwloc_xml(const std::string& text, const std::string& path);

}  // namespace clustersim
