#include "models/fabric/fabric_plan.h"

#include "clustersim/error.h"

namespace clustersim {

const char* to_string(LinkKind kind) {
  switch (kind) {
    case LinkKind::pcie:
      return "pcie";
    case LinkKind::nvlink:
      return "nvlink";
    case LinkKind::socket:
      return "socket";
    case LinkKind::memory:
      return "memory";
    case LinkKind::nic:
      return "nic";
    case LinkKind::network:
      return "network";
    case LinkKind::storage:
      return "storage";
  }
  throw InternalError("this is a bug: a link of no kind");
}

}  // namespace clustersim
