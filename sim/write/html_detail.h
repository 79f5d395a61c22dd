// What a run looks like inside, as JSON for a page: columns instead of objects, times in whole nanoseconds.
#pragma once

#include <string>
#include <vector>

#include "clustersim/timeline.h"

namespace clustersim {

std::string timeline_as_json(const Timeline& timeline);
std::string heat_as_json(const std::vector<HeatHistory>& heat);
std::string picture_as_json(const ClusterPicture& picture);

}  // namespace clustersim
