// The batches that a question's job may train in on some machines.
#pragma once

#include <vector>

#include "clustersim/scenario.h"
#include "sim/plan/question.h"

namespace clustersim {

struct BatchChoice {
  int per_gpu = 0, accumulation = 1;  // as the keys of a job; per_gpu 0: the job as it is
};

// `base`: the job on these machines in the batch that the question, or a default, gives it. Smallest first, and at
// least one, unless the samples of a step that the question asks for are too few for so many GPUs.
//
// Free is the batch where it does not change what is learnt, or where the samples to a quality follow from it:
//   given by the job, recorded, or a target without a known quality: that one
//   `batch/per_gpu`: those of the list that fit in memory
//   `batch/global`: powers of two that fit, each with the accumulation that comes nearest
//   a quality: powers of two from a quarter to four times the usual one, and those that make a published batch of all
//              GPUs, as far as they fit; outside the published batches only where none is inside
std::vector<BatchChoice> batch_choices(const Question& question, const Scenario& base);

// Whether the samples to the quality are beyond the published batches.
bool beyond_published(const Job& job, const Cluster& cluster);

}  // namespace clustersim
