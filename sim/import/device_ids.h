// Which GPU a PCI vendor and device number stand for.
#pragma once

#include <string>

namespace clustersim {

struct DeviceId {
  const char* device;  // "10de:20b2"
  const char* gpu;     // of the catalog, "" where it does not have it
  const char* name;    // then: what it is
};

// nullptr where it is none that is known.
const DeviceId* find_device(const std::string& device);

}  // namespace clustersim
