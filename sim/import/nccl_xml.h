// An NCCL or RCCL topology XML (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE): sockets, the PCIe tree, GPUs, NICs, NVLink.
//
//   <system> > <cpu> > (<pci> | <nic>); <pci> nests and may hold one <gpu> (with <nvlink>, <xgmi>) or one <nic> (<net>)
// Read as NCCL reads it: width 0 is 16, an unknown speed is Gen3, an unknown class with something below is a bridge.
// Of several machines that NVLink joins (other host_hash) the first is read.
// NVLink to an address of no GPU whose class is a bridge leads to NVSwitch; a link to itself is left out.
// Source: NCCL's src/graph/xml.cc and topo.cc; files of AWS and Azure images.
// Checked by: tests/sim/import_nccl_xml_test.cc.
#pragma once

#include <string>

#include "sim/import/node_facts.h"

namespace clustersim {

bool is_nccl_xml(const std::string& text);
// `path` stands for the file in faults.
NodeFacts read_nccl_xml(const std::string& text, const std::string& path);

}  // namespace clustersim
