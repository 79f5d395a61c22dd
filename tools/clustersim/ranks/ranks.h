// A sweep whose points run on the ranks of an MPI launcher. Implemented twice: hand_over.cc is in the program,
// mpi.cc in its sibling with MPI.
#pragma once

#include <string>

#include "clustersim/sweep.h"

namespace clustersim {

// Started by mpirun, srun --mpi=pmix or another launcher, with more than one rank.
bool under_launcher();

// The first rank gives points out, keeps the rows and returns the answer in `format`; "" on all others.
std::string sweep_across_ranks(const std::string& study, SweepOptions options, const std::string& format);

}  // namespace clustersim
