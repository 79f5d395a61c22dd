// The events of PyTorch profiler files (Kineto), kept small: only what a step is made of.
//
// An object with "traceEvents", or a bare list (PyTorch 1.13 and before without Kineto); times in microseconds, whole
// or with a fraction, read exactly to the nanosecond. Flow arrows, names of threads, Python frames and instants are
// counted and dropped; so is everything personal: file names, hosts, users, command lines.
// Checked by: tests/sim/import_kineto_test.cc
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "clustersim/collective_op.h"

namespace clustersim {

enum class KinetoKind : std::uint8_t {
  step,        // ProfilerStep#n
  optimizer,   // Optimizer.step
  annotation,  // any other range that a program names
  cpu_op,
  runtime,  // CUDA's API
  kernel,   // anything on a GPU
};

struct KinetoEvent {
  std::int64_t start_ns = 0, duration_ns = 0;
  std::int64_t correlation = -1, external = -1;
  std::int32_t name = -1;     // index into names
  std::int32_t thread = 0;    // of the host
  std::int32_t payload = -1;  // index into payloads
  std::int16_t stream = -1;   // of a kernel, numbered from 0
  KinetoKind kind = KinetoKind::cpu_op;
  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// What the arguments of an event say of a collective.
struct KinetoPayload {
  std::string op;  // as written
  double in_elements = -1, out_elements = -1, element_bytes = -1;
  int group = 0, stride = 0;
};

struct KinetoFile {
  std::deque<KinetoEvent> events;  // in the order of their starts; grows without copies of itself
  std::vector<std::string> names;
  std::vector<KinetoPayload> payloads;
  std::string gpu;  // deviceProperties[0].name
  int rank = -1, world = 0;
  double first_dimension = 0;  // of the input of the first convolution or product whose shape is told
  std::string first_operator;
  std::map<std::string, std::size_t> left_out;  // by reason: number of events that no step needs
  std::map<std::string, std::size_t> faulty;    // "kernels with a duration ...": number of those that one would need
  std::string first_faulty;                     // such a kernel: its name and duration as written
  std::size_t devices = 0;                      // GPUs that the kernels name
  std::size_t overlaps = 0;  // kernels that were said to run while the next of their stream did: cut where it starts
  std::string trouble;       // where the file broke off; "" if it is whole
};

// InputError where there is no event at all.
KinetoFile read_kineto_events(const std::string& path);

// Bytes of one element of "Float", "c10::Half", "bfloat16", ...; -1 for another word.
double element_bytes(const std::string& type);

}  // namespace clustersim
