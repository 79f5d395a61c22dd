// What must hold of any timeline; used by its tests and by those of the formats that show it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/timeline.h"

namespace clustersim {

// Times are sums of whole picoseconds turned into doubles.
inline constexpr double timeline_tolerance_s = 1e-11;

// Tracks are named once, slices are ordered, neither overlap nor leave the window, and flows join what is there.
inline void check_timeline(const Timeline& timeline) {
  std::set<std::pair<std::string, std::string>> names;
  for (const TimelineTrack& track : timeline.tracks) {
    CHECK_FALSE(track.process.empty());
    CHECK(names.insert({track.process, track.name}).second);
  }
  int track = 0;
  double end = 0;
  for (const TimelineSlice& slice : timeline.slices) {
    REQUIRE(slice.track >= track);
    REQUIRE(slice.track < static_cast<int>(timeline.tracks.size()));
    if (slice.track != track) end = 0;
    track = slice.track;
    CHECK(slice.duration_s > 0);
    CHECK(slice.start_s >= end - timeline_tolerance_s);
    end = slice.start_s + slice.duration_s;
    CHECK(end <= timeline.window_s + timeline_tolerance_s);
    CHECK_FALSE(slice.name.empty());
  }
  const int slices = static_cast<int>(timeline.slices.size());
  for (const TimelineFlow& flow : timeline.flows) {
    REQUIRE((flow.from_slice >= 0 && flow.from_slice < slices && flow.to_slice >= 0 && flow.to_slice < slices));
    const TimelineSlice &from = timeline.slices[static_cast<std::size_t>(flow.from_slice)],
                        &to = timeline.slices[static_cast<std::size_t>(flow.to_slice)];
    CHECK(timeline.tracks[static_cast<std::size_t>(from.track)].kind == "compute");
    CHECK(timeline.tracks[static_cast<std::size_t>(to.track)].kind == "communication");
    CHECK(from.start_s + from.duration_s <= to.start_s + timeline_tolerance_s);
  }
  for (const TimelineCounter& counter : timeline.counters) {
    REQUIRE(counter.time_s.size() == counter.value.size());
    CHECK(std::is_sorted(counter.time_s.begin(), counter.time_s.end()));
    for (const double value : counter.value) CHECK(value >= 0);
  }
}

// Seconds of a step by part: compute tracks, weighted by the GPUs they stand for.
inline std::map<std::string, double> parts_of(const Timeline& timeline) {
  double gpus = 0;
  for (const TimelineTrack& track : timeline.tracks)
    if (track.kind == "compute") gpus += track.stands_for;
  std::map<std::string, double> parts;
  for (const TimelineSlice& slice : timeline.slices) {
    const TimelineTrack& track = timeline.tracks[static_cast<std::size_t>(slice.track)];
    if (track.kind == "compute")
      parts[slice.part] += slice.duration_s * track.stands_for / gpus * timeline.step_s / timeline.window_s;
  }
  parts["host_overhead"] += std::exchange(parts["other"], 0.0);
  return parts;
}

}  // namespace clustersim
