// Every offer of a plan against the best one: how far behind, by what, and whether the error hides it.
#pragma once

#include "sim/plan/question.h"

namespace clustersim {

// The best is the first proven offer, else the first that is not proven.
//   rented against rented   outlay ratio = (price of an hour and GPU ratio) x (GPU-hours ratio)
//   errors of outlays       of what is rented that of its time; a purchase has none of its own
void compare_with_best(const Question& question, Plan& plan);

}  // namespace clustersim
