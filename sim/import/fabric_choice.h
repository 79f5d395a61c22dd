// How GPUs of a node are joined: from the wires that files show, the links that the driver says are up, else the
// product's table. Part of node_document.h, which lists the rules.
//
//   links in a number that no GPU has   told as a warning by the reader; unknown, and what is assumed is said:
//                                       a pair as many as the fewest of other pairs, else the product's table
//   more than this product has          the product's number, told
//   a GPU with fewer links up           all are taken to have as few: what goes to all GPUs passes that one
#pragma once

#include "sim/import/node_choices.h"

namespace clustersim {

// Needs out.gpu, writes out.fabric and what is known, unknown, odd and assumed of it. Mends the wires in `facts`.
void choose_fabric(const Catalog& catalog, NodeFacts& facts, NodeChoices& out);

}  // namespace clustersim
