#include "sim/import/chakra_protobuf.h"

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <cmath>
#include <cstring>

#include "clustersim/error.h"
#include "models/workload/operator_kind.h"

#ifdef CLUSTERSIM_PROTOBUF
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#endif

namespace clustersim {

#ifndef CLUSTERSIM_PROTOBUF

bool has_chakra() { return false; }

void read_chakra_protobuf(std::istream&, const std::string& path, ChakraFile&) {
  throw InputError({{path, "", "a program built with libprotobuf, to read Chakra's binary files", "one without it",
                     "install libprotobuf-dev and build again"}});
}

std::string chakra_protobuf(const StepTrace&) {
  throw InputError({{"import chakra", "", "a program built with libprotobuf, to write Chakra's binary files",
                     "one without it", "install libprotobuf-dev and build again"}});
}

#else

namespace {

namespace pb = google::protobuf;
using pb::internal::WireFormatLite;

constexpr std::size_t most_nodes = 4'000'000, most_dependencies = 40'000'000;
constexpr std::uint32_t largest_message = 1 << 20;
constexpr double us_per_ps = 1e-6;

constexpr std::uint32_t tag(int field, WireFormatLite::WireType type) {
  return static_cast<std::uint32_t>(field) << 3 | static_cast<std::uint32_t>(type);
}
constexpr auto varint = WireFormatLite::WIRETYPE_VARINT;
constexpr auto length = WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
constexpr auto fixed64 = WireFormatLite::WIRETYPE_FIXED64;
constexpr auto fixed32 = WireFormatLite::WIRETYPE_FIXED32;

// A stream up to where it fails.
class UpToFault : public pb::io::CopyingInputStream {
 public:
  explicit UpToFault(std::istream& source) : source_(source) {}
  int Read(void* buffer, int size) override {
    if (!fault_.empty()) return 0;
    try {
      source_.read(static_cast<char*>(buffer), size);
    } catch (const boost::iostreams::gzip_error&) {
      fault_ = "the gzip file is damaged or cut off";
    } catch (const std::ios::failure&) {
      fault_ = "the file could not be read further";
    }
    return static_cast<int>(source_.gcount());
  }
  const std::string& fault() const { return fault_; }

 private:
  std::istream& source_;
  std::string fault_;
};

class ProtobufReader {
 public:
  ProtobufReader(pb::io::CodedInputStream& in, const std::string& path, ChakraFile& file)
      : in_(in), path_(path), file_(file) {}

  // One message after the other until the end; false where one is no message.
  bool read() {
    if (!message([&] { return metadata(); })) return false;
    while (!at_end()) {
      if (file_.nodes.size() >= most_nodes || file_.dependencies.size() >= most_dependencies)
        throw InputError({{path_, "", "at most " + std::to_string(most_nodes) + " nodes", "more", ""}});
      if (!message([&] { return node(); })) return false;
    }
    return true;
  }

  // What was read of a node that broke off.
  void drop_rest() { file_.dependencies.resize(dependencies_of_whole_); }

 private:
  bool at_end() {
    const void* data = nullptr;
    int size = 0;
    return !in_.GetDirectBufferPointer(&data, &size);
  }

  template <class Body>
  bool message(Body body) {
    std::uint32_t size = 0;
    if (!in_.ReadVarint32(&size) || size > largest_message) return false;
    const auto limit = in_.PushLimit(static_cast<int>(size));
    const bool good = body() && in_.BytesUntilLimit() == 0;
    in_.PopLimit(limit);
    return good;
  }

  bool metadata() {
    while (const std::uint32_t t = in_.ReadTag()) {
      if (t == tag(1, length)) {
        if (!text(file_.version)) return false;
      } else if (t == tag(2, length)) {
        if (!message([&] { return attribute(nullptr); })) return false;
      } else if (!WireFormatLite::SkipField(&in_, t)) {
        return false;
      }
    }
    return true;
  }

  bool node() {
    ChakraReading reading;
    ChakraNode& n = reading.node;
    n.first_dependency = static_cast<std::int32_t>(file_.dependencies.size());
    std::uint64_t value = 0;
    while (const std::uint32_t t = in_.ReadTag()) {
      bool good = true;
      switch (t) {
        case tag(1, varint):
          good = in_.ReadVarint64(&reading.id);
          break;
        case tag(2, length):
          if ((good = text(text_))) n.name = chakra_name(file_, text_);
          break;
        case tag(3, varint):
          if ((good = in_.ReadVarint64(&value)))
            n.type =
                static_cast<ChakraType>(std::min<std::uint64_t>(value, static_cast<std::uint64_t>(ChakraType::other)));
          break;
        case tag(4, length):
        case tag(4, varint):
          file_.has_control = true;
          good = file_.by_control ? dependencies(t == tag(4, length)) : WireFormatLite::SkipField(&in_, t);
          break;
        case tag(5, length):
        case tag(5, varint):
          good = file_.by_control ? WireFormatLite::SkipField(&in_, t) : dependencies(t == tag(5, length));
          break;
        case tag(6, varint):
          if ((good = in_.ReadVarint64(&value)) && value > 0 && reading.start_us < 0)
            reading.start_us = static_cast<double>(value);
          break;
        case tag(7, varint):
          if ((good = in_.ReadVarint64(&value)) && n.duration_us < 0) n.duration_us = static_cast<double>(value);
          break;
        case tag(10, length):
          good = message([&] { return attribute(&reading); });
          break;
        default:
          good = WireFormatLite::SkipField(&in_, t);
      }
      if (!good) return false;
    }
    file_.add(n, reading.id, reading.start_us);
    dependencies_of_whole_ = file_.dependencies.size();
    return true;
  }

  bool dependencies(bool packed) {
    std::uint64_t id = 0;
    if (!packed) {
      if (!in_.ReadVarint64(&id)) return false;
      file_.dependencies.push_back(id);
      return true;
    }
    return message([&] {
      while (in_.BytesUntilLimit() > 0) {
        if (!in_.ReadVarint64(&id)) return false;
        file_.dependencies.push_back(id);
      }
      return true;
    });
  }

  bool attribute(ChakraReading* reading) {
    key_.clear();
    value_.clear();
    double number = std::nan("");
    while (const std::uint32_t t = in_.ReadTag()) {
      bool good = true;
      std::uint64_t bits = 0;
      std::uint32_t small = 0;
      const int field = WireFormatLite::GetTagFieldNumber(t);
      const auto type = WireFormatLite::GetTagWireType(t);
      if (t == tag(1, length)) {
        good = text(key_);
      } else if (field == 29 && type == length) {
        good = text(value_);
      } else if (type == varint && field >= 7 && field <= 27) {
        if ((good = in_.ReadVarint64(&bits))) {
          const bool zigzag = field == 15 || field == 17, is_unsigned = field == 11 || field == 13;
          const auto plain = zigzag ? WireFormatLite::ZigZagDecode64(bits) : static_cast<std::int64_t>(bits);
          number = is_unsigned ? static_cast<double>(bits) : static_cast<double>(plain);
        }
      } else if (type == fixed64 && (field == 3 || field == 21 || field == 25)) {
        if ((good = in_.ReadLittleEndian64(&bits))) {
          number = static_cast<double>(field == 25 ? static_cast<std::int64_t>(bits) : bits);
          if (field == 3) std::memcpy(&number, &bits, sizeof number);
        }
      } else if (type == fixed32 && (field == 5 || field == 19 || field == 23)) {
        if ((good = in_.ReadLittleEndian32(&small))) {
          number = field == 23 ? static_cast<double>(static_cast<std::int32_t>(small)) : static_cast<double>(small);
          float real = 0;
          std::memcpy(&real, &small, sizeof real);
          if (field == 5) number = static_cast<double>(real);
        }
      } else {
        good = WireFormatLite::SkipField(&in_, t);
      }
      if (!good) return false;
    }
    if (reading != nullptr) {
      set_chakra_attribute(file_, *reading, key_, number, value_);
    } else if (std::isfinite(number)) {
      file_.numbers[key_.substr(0, 100)] = number;
    } else {
      file_.texts[key_.substr(0, 100)] = value_.substr(0, 300);
    }
    return true;
  }

  bool text(std::string& into) {
    std::uint32_t size = 0;
    return in_.ReadVarint32(&size) && size <= largest_message && in_.ReadString(&into, static_cast<int>(size));
  }

  pb::io::CodedInputStream& in_;
  const std::string& path_;
  ChakraFile& file_;
  std::string text_, key_, value_;
  std::size_t dependencies_of_whole_ = 0;  // of nodes that were read to their end
};

class ProtobufWriter {
 public:
  std::string write(const StepTrace& trace) {
    {
      pb::io::StringOutputStream stream(&out_);
      pb::io::CodedOutputStream coded(&stream);
      append_message(coded, metadata(trace));
      for (std::size_t i = 0; i < trace.operators.size(); ++i) append_message(coded, node(trace, i));
    }
    return std::move(out_);
  }

 private:
  static void append_message(pb::io::CodedOutputStream& out, const std::string& message) {
    out.WriteVarint32(static_cast<std::uint32_t>(message.size()));
    out.WriteString(message);
  }

  // Messages are built as texts: each is small.
  static void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  static void put(std::string& out, int field, std::uint64_t value) {
    put_varint(out, tag(field, varint));
    put_varint(out, value);
  }
  static void put(std::string& out, int field, const std::string& text) {
    put_varint(out, tag(field, length));
    put_varint(out, text.size());
    out += text;
  }
  static void put_attribute(std::string& out, int field, const char* name, std::uint64_t value, int value_field) {
    std::string attribute;
    put(attribute, 1, std::string(name));
    put(attribute, value_field, value);
    put(out, field, attribute);
  }
  static void whole(std::string& out, int field, const char* name, std::int64_t value) {
    put_attribute(out, field, name, static_cast<std::uint64_t>(value), 9);
  }
  static void flag(std::string& out, int field, const char* name, bool value) {
    put_attribute(out, field, name, value ? 1 : 0, 27);
  }
  static void text(std::string& out, int field, const char* name, const std::string& value) {
    std::string attribute;
    put(attribute, 1, std::string(name));
    put(attribute, 29, value);
    put(out, field, attribute);
  }

  static std::string metadata(const StepTrace& trace) {
    constexpr int attr = 2;
    std::string m;
    put(m, 1, std::string("0.0.4"));
    text(m, attr, "source", trace.source);
    if (!trace.gpu.empty()) text(m, attr, "gpu", trace.gpu);
    if (!trace.batch_guess.empty()) text(m, attr, "batch_guess", trace.batch_guess);
    flag(m, attr, "on_cpu", trace.on_cpu);
    flag(m, attr, "dependencies", trace.dependencies);
    if (trace.ranks > 0) whole(m, attr, "ranks", trace.ranks);
    if (trace.batch > 0) whole(m, attr, "batch", std::llround(trace.batch));
    if (trace.parameters > 0) whole(m, attr, "parameters", std::llround(trace.parameters));
    whole(m, attr, "step_ps", trace.step);
    std::string steps;
    for (const SimTime step : trace.steps) steps += (steps.empty() ? "" : " ") + std::to_string(step);
    if (!steps.empty()) text(m, attr, "steps_ps", steps);
    return m;
  }

  static std::string node(const StepTrace& trace, std::size_t i) {
    constexpr int attr = 10;
    const TraceOperator& op = trace.operators[i];
    const bool collective = op.collective >= 0;
    std::string n;
    put(n, 1, i + 1);
    if (op.name >= 0) put(n, 2, trace.names[static_cast<std::size_t>(op.name)]);
    put(n, 3, static_cast<std::uint64_t>(collective ? ChakraType::collective : ChakraType::compute));
    if (op.after_count > 0) {
      std::string ids;
      for (std::int32_t d = 0; d < op.after_count; ++d)
        put_varint(ids, static_cast<std::uint64_t>(trace.after[static_cast<std::size_t>(op.first_after + d)]) + 1);
      put(n, 5, ids);
    }
    put(n, 6, static_cast<std::uint64_t>(std::llround(static_cast<double>(op.start) * us_per_ps)));
    if (op.duration >= 0)
      put(n, 7, static_cast<std::uint64_t>(std::llround(static_cast<double>(op.duration) * us_per_ps)));
    flag(n, attr, "is_cpu_op", !collective && (trace.on_cpu || op.kind == OperatorKind::cpu));
    whole(n, attr, "stream", op.stream);
    whole(n, attr, "start_ps", op.start);
    whole(n, attr, "duration_ps", op.duration);
    whole(n, attr, "clustersim_kind", static_cast<int>(op.kind));
    whole(n, attr, "clustersim_launch", static_cast<int>(op.launch));
    if (op.flop >= 0) whole(n, attr, "num_ops", std::llround(static_cast<double>(op.flop)));
    if (op.bytes >= 0) whole(n, attr, "tensor_size", std::llround(static_cast<double>(op.bytes)));
    if (collective) append_collective(n, trace.collectives[static_cast<std::size_t>(op.collective)]);
    return n;
  }

  static void append_collective(std::string& n, const TraceCollective& c) {
    constexpr int attr = 10;
    // all_reduce, all_gather, reduce_scatter, reduce, all_to_all, broadcast; send_recv as an all-to-all of two
    constexpr int types[] = {0, 2, 7, 1, 6, 5, 6};
    whole(n, attr, "comm_type", types[static_cast<int>(c.op)]);
    whole(n, attr, "clustersim_op", static_cast<int>(c.op));
    if (c.bytes >= 0) whole(n, attr, "comm_size", std::llround(c.bytes));
    if (c.group > 0) whole(n, attr, "pg_size", c.group);
    if (c.stride > 0) whole(n, attr, "pg_stride", c.stride);
    if (c.wire >= 0) whole(n, attr, "wire_ps", c.wire);
  }

  std::string out_;
};

}  // namespace

bool has_chakra() { return true; }

void read_chakra_protobuf(std::istream& source, const std::string& path, ChakraFile& file) {
  UpToFault bytes(source);
  pb::io::CopyingInputStreamAdaptor stream(&bytes, 1 << 16);
  pb::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT32_MAX);
  ProtobufReader reader(coded, path, file);
  const bool whole = reader.read();
  reader.drop_rest();
  if (whole && bytes.fault().empty()) return;
  file.trouble = (bytes.fault().empty() ? "no whole message" : bytes.fault()) + " after " +
                 std::to_string(file.nodes.size()) + " nodes";
}

std::string chakra_protobuf(const StepTrace& trace) { return ProtobufWriter().write(trace); }

#endif

}  // namespace clustersim
