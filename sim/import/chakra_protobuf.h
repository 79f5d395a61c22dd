// Chakra's wire format: the fields of its messages that are read, and the writing of a whole trace.
#pragma once

#include <functional>
#include <istream>
#include <string>

#include "clustersim/step_trace.h"
#include "sim/import/chakra_nodes.h"

namespace clustersim {

// A node that is being read.
struct ChakraReading {
  ChakraNode node;
  std::uint64_t id = 0;
  double start_us = -1;
};

// Sets what an attribute says; `number` is NaN for a text.
void set_chakra_attribute(ChakraFile& file, ChakraReading& reading, const std::string& name, double number,
                          const std::string& text);

// Fills file.nodes; file.trouble where it breaks off. Both refuse, with InputError, without libprotobuf.
void read_chakra_protobuf(std::istream& source, const std::string& path, ChakraFile& file);
std::string chakra_protobuf(const StepTrace& trace);

std::int32_t chakra_name(ChakraFile& file, std::string name);

}  // namespace clustersim
