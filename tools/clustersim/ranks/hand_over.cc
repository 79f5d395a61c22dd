// Without MPI in this program: the same command goes on in clustersim-mpi, which lies beside it.
#include "tools/clustersim/hand_over.h"

#include "tools/clustersim/command.h"
#include "tools/clustersim/ranks/ranks.h"

namespace clustersim {

std::string sweep_across_ranks(const std::string&, SweepOptions, const std::string&) {
  throw UsageError("started by an MPI launcher, but this build has no MPI (" + hand_over("clustersim-mpi") +
                   "): install libopenmpi-dev and libboost-mpi-dev and build again, or start it without");
}

}  // namespace clustersim
