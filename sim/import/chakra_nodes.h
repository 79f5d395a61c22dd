// The nodes of a Chakra execution trace, from either of its forms.
//
// Protobuf (name.N.et): messages, each after its length: first GlobalMetadata, then Nodes. Read field by field with
// libprotobuf's CodedInputStream; fields that are not known are skipped. JSON: {"workload_graph": [...]}, keys in any
// case. A PyTorch execution trace ("schema": "1.0.2-chakra...", "nodes") is what Chakra's converter reads: it has no
// times of kernels and is refused with what it says.
// A node is ready when what its data depend on is done, as Chakra's feeder has it. Dependencies of control name
// callers, may close circles with those of data, and order nodes only in a file that has no others. Checked by:
// tests/sim/import_chakra_test.cc
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clustersim/collective_op.h"

namespace clustersim {

// NodeType of the schema.
enum class ChakraType : std::uint8_t { invalid, metadata, load, store, compute, send, receive, collective, other };

// What each node has; traces of millions are usual. -1: not told.
struct ChakraNode {
  double duration_us = -1;
  std::int32_t name = -1;             // index into names
  std::int32_t first_dependency = 0;  // into ChakraFile::dependencies, up to the next node's
  std::int32_t more = -1;             // index into ChakraFile::more
  std::int16_t stream = -1;
  ChakraType type : 4 = ChakraType::invalid;
  std::int8_t on_cpu : 2 = -1;
  std::int8_t launch : 3 = -1, kind : 5 = -1;  // of our own export
};

// What few have.
struct ChakraMore {
  double comm_bytes = -1, wire_us = -1;
  float operations = -1, tensor_bytes = -1;
  std::int32_t group = 0, stride = 0;
  std::int32_t queue = -1;  // of communication: index into names of its process group
  std::int16_t comm_type = -1;
  std::int8_t op = -1;  // of our own export
};

struct ChakraFile {
  std::vector<ChakraNode> nodes;
  std::vector<ChakraMore> more;
  std::vector<double> starts_us;            // by node, -1: not told; empty where none is
  std::vector<std::uint64_t> dependencies;  // ids
  std::uint64_t first_id = 0;
  std::vector<std::uint64_t> ids;  // by node; empty where they count on from the first
  std::vector<std::string> names;
  std::map<std::string, std::int32_t> name_ids;
  std::map<std::string, std::string> texts;  // attributes of the whole
  std::map<std::string, double> numbers;
  std::map<std::string, std::size_t> faulty;  // "nodes with ...": number of values that cannot be true, and are unknown
  std::string version;
  std::string trouble;                           // where the file broke off
  bool by_control = false, has_control = false;  // which dependencies are read; whether the others were seen

  // A node whose dependencies have been appended.
  void add(ChakraNode node, std::uint64_t id, double start_us);
  std::uint64_t id(std::size_t node) const { return ids.empty() ? first_id + node : ids[node]; }
  double start_us(std::size_t node) const { return starts_us.empty() ? -1 : starts_us[node]; }
  const ChakraMore& more_of(const ChakraNode& node) const;
};

// What a node exchanges; nothing for a barrier, or where it is not told.
std::optional<CollectiveOp> chakra_op(const ChakraNode& node, const ChakraMore& more);

// Where each id stands. Writers number nodes one after the other as a rule: then nothing is kept.
class ChakraPlaces {
 public:
  explicit ChakraPlaces(const ChakraFile& file);
  std::size_t repeated() const { return in_order_ ? 0 : count_ - sorted_.size(); }
  // -1: no such node; of several with one id the first.
  std::int32_t of(std::uint64_t id) const;

 private:
  std::uint64_t first_;
  std::size_t count_;
  bool in_order_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted_;
};

// InputError where it is no such file.
ChakraFile read_chakra_file(const std::string& path);

// Whether a file is no JSON text by its first character.
bool looks_like_chakra(const std::string& path);

// Chakra can be read and written here: the program was built with libprotobuf.
bool has_chakra();

}  // namespace clustersim
