// clustersim catalog: what hardware is known.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string show_catalog(const Arguments& arguments) {
  return catalog(arguments.positional.empty() ? "" : arguments.positional[0]);
}

}  // namespace

Command catalog_command() {
  return {"catalog",   "[KIND|ID]", "Lists the kinds of hardware, the entries of a kind, or an entry and its sources.",
          {},          0,           1,
          show_catalog};
}

}  // namespace clustersim
