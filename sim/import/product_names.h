// Which catalog entry a name or a number in a user's file stands for; "" where the catalog has none.
//
// GPUs: the catalog's own names, compared word by word. "NVIDIA H100 80GB HBM3" is "h100-sxm5-80gb": the words beside
// brand, form, capacity and kind of memory must be the same, and those that the file gives must not contradict.
// Checked by: tests/sim/import_names_test.cc.
#pragma once

#include <optional>
#include <string>

#include "sim/import/node_facts.h"
#include "sim/read/catalog.h"

namespace clustersim {

// From its name, else its PCI numbers; capacity and capability must agree where the file tells them.
std::string gpu_id_of(const Catalog& catalog, const NodePart& gpu);

// What a PCI number stands for that the catalog does not have, "" if it is none of ours.
std::string name_of_device(const std::string& device);

// 'did you mean ...?' for a name that is unknown.
std::string near_gpu(const Catalog& catalog, const std::string& name);

// "ib-hdr" for 200 Gbit/s of InfiniBand; the rate must be one of the catalog's.
std::string nic_id_of(const Catalog& catalog, const NodePart& nic);

// Of "AMD EPYC 7742 64-Core Processor": "epyc-7742".
std::string cpu_id_of(const Catalog& catalog, const std::string& name);

// What stands for "GenuineIntel 6/85" or "AuthenticAMD 143/49" (family and model, as NCCL writes them): the link
// between its sockets, and a processor of that family; nullptr if it is none of ours.
struct ProcessorFamily {
  const char* numbers;
  const char* name;
  const char* cpu;
  const char* socket_link;
};
const ProcessorFamily* family_of(const std::string& architecture);

// NVLink or xGMI of a GPU: by its product, else by its compute capability.
std::string gpu_link_of(const GpuSpec& gpu, std::optional<int> capability);

}  // namespace clustersim
