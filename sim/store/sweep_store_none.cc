// A build without SQLite keeps no rows.
#include "sim/store/sweep_store.h"

namespace clustersim {

bool has_sweep_store() { return false; }

std::unique_ptr<SweepStore> open_sweep_store(const std::string& path, const StudyIdentity&) {
  throw InputError({{"command line", "--db", "a build with SQLite", "one without",
                     "install libsqlite3-dev and build again to keep \"" + path + "\""}});
}

}  // namespace clustersim
