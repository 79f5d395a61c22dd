// What the operating system says of this machine: the processor's model, cores, memory, file system.
//
// Unknown is absent. Nothing that names the host or the user is read. Checked by tests/tools/hostbench_test.cc.
#pragma once

#include <string>
#include <vector>

#include "tools/measurement/record.h"

namespace clustersim::hostbench {

// The value after "key : " in a text such as /proc/cpuinfo; empty where there is none. The first of several.
std::string value_of(const std::string& text, const std::string& key);

// One processor of each physical core, in their order; all of them where the system does not tell.
std::vector<int> one_cpu_a_core(const std::vector<int>& cpus);

// Bytes that can be had without swapping; 0 where the system does not tell.
std::int64_t available_memory_bytes();

// ext4, xfs, tmpfs, ...; a hexadecimal number where the name is not known, empty where the directory cannot be asked.
std::string filesystem_of(const std::string& directory);

measurement::Parameters describe_machine(const std::string& directory);

}  // namespace clustersim::hostbench
