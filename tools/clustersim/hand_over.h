// Commands that need libraries which would slow down every start live in programs beside this one.
#pragma once

#include <string>

namespace clustersim {

// The same command line goes on in a program of that name in this program's folder. Returns only where it cannot: the
// path that was tried.
std::string hand_over(const std::string& program);

}  // namespace clustersim
