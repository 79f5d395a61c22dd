// The nodes of a Chakra execution trace, from either of its forms.
//
// Protobuf (name.N.et): messages, each after its length: first GlobalMetadata, then Nodes. Read field by field with
// libprotobuf's CodedInputStream; fields that are not known are skipped. JSON: {"workload_graph": [...]}, keys in any
// case. A PyTorch execution trace ("schema": "1.0.2-chakra...", "nodes") is what Chakra's converter reads: it has no
// times of kernels and is refused with what it says.
// A node is ready when what its data depend on is done, as Chakra's feeder has it; dependencies of control name
// callers, may close circles with those of data, and order nodes only in a file that has no others. Checked by:
// tests/sim/import_chakra_test.cc
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace clustersim {

// NodeType of the schema.
enum class ChakraType : std::uint8_t { invalid, metadata, load, store, compute, send, receive, collective, other };

struct ChakraNode {
  std::uint64_t id = 0;
  double start_us = -1, duration_us = -1;  // -1: not told
  double comm_bytes = -1, wire_us = -1;
  float operations = -1, tensor_bytes = -1;
  std::int32_t name = -1;                               // index into names
  std::int32_t first_dependency = 0, dependencies = 0;  // on data
  std::int32_t first_control = 0, controls = 0;         // of control: who called whom
  std::int32_t group = 0, stride = 0;
  std::int32_t queue = -1;  // of communication: index into names of its process group
  std::int16_t stream = -1;
  std::int16_t comm_type = -1;
  ChakraType type = ChakraType::invalid;
  std::int8_t on_cpu = -1;                      // -1: not told
  std::int8_t launch = -1, kind = -1, op = -1;  // of our own export
};

struct ChakraFile {
  std::vector<ChakraNode> nodes;
  std::vector<std::uint64_t> dependencies, controls;  // ids
  std::vector<std::string> names;
  std::map<std::string, std::int32_t> name_ids;
  std::map<std::string, std::string> texts;  // attributes of the whole
  std::map<std::string, double> numbers;
  std::string version;
  std::string trouble;  // where the file broke off
};

// InputError where it is no such file.
ChakraFile read_chakra_file(const std::string& path);

// Whether a file is no JSON text by its first character.
bool looks_like_chakra(const std::string& path);

// Chakra can be read and written here: the program was built with libprotobuf.
bool has_chakra();

}  // namespace clustersim
