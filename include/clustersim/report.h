// What a run means: numbers with unit and meaning, what limits it, and what it leaned on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim {

// One number of the report, in the base unit named beside it. Names are those of the report format.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  std::string meaning;
};

// Something the answer leans on that the user did not state.
struct Assumption {
  enum class Kind : std::uint8_t { default_value, estimate, model } kind = Kind::default_value;
  std::string pointer;  // scenario key or catalog field it concerns
  std::string value;    // as a user would write it
  std::string why;
};

struct Bottleneck {
  std::string resource;  // e.g. "node0.nic0"
  std::string kind;      // compute, memory, fabric, input, host, storage, thermal, power
  double share = 0;      // of the step time, 0..1
  std::string advice;
};

struct Provenance {
  std::string version;
  double wall_time_s = 0;
  std::uint64_t events = 0;
  std::string fingerprint;  // 16 hex digits
};

// A labelled row of context for the reader ("collective": "ring, 4 nodes x 1 GPU, 11.5 GB/s", ...).
struct Note {
  std::string topic;
  std::string text;
};

struct Report {
  std::string scenario;
  std::string headline;  // what was run, in one line
  std::vector<Metric> metrics;
  Bottleneck bottleneck;
  std::vector<Assumption> assumptions;
  std::vector<Note> notes;
  Provenance provenance;
};

}  // namespace clustersim
