// Chakra traces: messages encoded here by hand, JSON graphs, and ours written and read again.
#include <catch2/catch.hpp>

#include "clustersim/import.h"
#include "sim/import/chakra.h"
#include "sim/import/chakra_nodes.h"
#include "sim/import/step_trace_file.h"
#include "tests/sim/gzip_text.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/trace_files.h"

using namespace clustersim;
using traces::operator_text;
using traces::step_text;
using traces::TestFile;

namespace {

// The wire format: key = field * 8 + type, whole numbers as varints, texts and messages after their length.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string whole(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string part(int field, const std::string& content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + content;
}
std::string message(const std::string& content) { return varint(content.size()) + content; }
std::string flag(const std::string& name, bool value) { return part(10, part(1, name) + whole(27, value ? 1 : 0)); }
std::string number(const std::string& name, std::uint64_t value, int value_field = 9) {
  return part(10, part(1, name) + whole(value_field, value));
}

constexpr int compute = 4, collective_node = 7;

std::string node(std::uint64_t id, const std::string& name, int type, const std::vector<std::uint64_t>& after,
                 std::uint64_t us, const std::string& attributes) {
  std::string ids;
  for (const std::uint64_t before : after) ids += varint(before);
  return message(whole(1, id) + part(2, name) + whole(3, static_cast<std::uint64_t>(type)) + part(5, ids) +
                 (us > 0 ? whole(7, us) : "") + attributes);
}

std::string file_of(const std::vector<std::string>& nodes) {
  std::string text = message(part(1, "0.0.4"));
  for (const std::string& n : nodes) text += n;
  return text;
}

std::string on_gpu() { return flag("is_cpu_op", false); }

// Two layers: forward, backward with an all-reduce each; the next forward waits for the first one.
std::vector<std::string> two_layers() {
  const std::string reduce = on_gpu() + number("comm_type", 0) + number("comm_size", 8000000);
  return {node(1, "fwd0", compute, {}, 500, on_gpu()),      node(2, "fwd1", compute, {1}, 500, on_gpu()),
          node(3, "bwd1", compute, {2}, 1000, on_gpu()),    node(4, "ar1", collective_node, {3}, 0, reduce),
          node(5, "bwd0", compute, {3}, 1000, on_gpu()),    node(6, "ar0", collective_node, {5}, 0, reduce),
          node(7, "update", compute, {4, 6}, 100, on_gpu())};
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
  for (const std::string& line : lines)
    if (line.find(text) != std::string::npos) return true;
  return false;
}

std::string fault_of(const std::string& text) {
  const TestFile file("refused.et", text);
  try {
    read_chakra({file.path()});
  } catch (const InputError& error) {
    return problems_text(error.problems());
  }
  return "";
}

}  // namespace

TEST_CASE("a Chakra trace without times is laid out by its dependencies") {
  if (!has_chakra()) return;
  const TestFile file("two.et", file_of(two_layers()));
  const StepTrace trace = read_chakra({file.path()}).trace;
  CHECK(trace.dependencies);
  REQUIRE(trace.operators.size() == 7);
  CHECK(trace.collectives.size() == 2);
  CHECK(trace.collectives[0].bytes == Approx(8e6));
  // 2 x 500 us forward, 2 x 1000 us backward, 100 us update: collectives take no time until they are planned.
  CHECK(trace.step == 3'100'000'000);

  // Replayed on eight GPUs: the update waits for both all-reduces, of which the first hides behind bwd0.
  const std::string job = R"({"model": {"trace": ")" + file.path() + R"("}})";
  const Scenario scenario = small::read(R"({"node": {"server": "dgx-h100"}})", job);
  const Assembly assembly(scenario.cluster, scenario.job);
  const CollectivePlan plan =
      assembly.planner().plan({CollectiveOp::all_reduce, 8e6, CollectiveAlgorithm::automatic, Scope::world, 0});
  REQUIRE(plan.idle_time_s < 1e-3);
  CHECK(small::step_s(scenario) == Approx(3.1e-3 + plan.idle_time_s - plan.launch_s).epsilon(1e-6));
}

TEST_CASE("item 104: a step of a ResNet whose collectives are told on the GPU alone") {
  if (!has_chakra()) return;
  // 3664 nodes: 3643 that compute, a hundred of them on the GPU, and 21 collectives, of which 7 tell what they move.
  const std::vector<std::uint64_t> reduced = {8196000, 31502336, 26255360, 26550272, 9724160}, told = {212480, 424};
  std::vector<std::string> nodes;
  std::uint64_t id = 0;
  const auto add = [&](const std::string& name, int type, std::uint64_t us, const std::string& attributes) {
    ++id;
    nodes.push_back(node(id, name, type, id > 1 ? std::vector<std::uint64_t>{id - 1} : std::vector<std::uint64_t>(), us,
                         attributes));
  };
  for (int i = 0; i < 3543; ++i) add("aten::conv2d", compute, 7, flag("is_cpu_op", true));
  for (int i = 0; i < 100; ++i) add("sm80_xmma_fprop", compute, 10, on_gpu());
  for (int i = 0; i < 14; ++i) add("nccl:all_reduce", collective_node, 3, flag("is_cpu_op", true));
  for (const std::uint64_t bytes : reduced)
    add("ncclKernel_AllReduce", collective_node, 0, on_gpu() + number("comm_type", 0) + number("comm_size", bytes));
  for (const std::uint64_t bytes : told)
    add("ncclKernel_Broadcast", collective_node, 0, on_gpu() + number("comm_type", 5) + number("comm_size", bytes));
  REQUIRE(nodes.size() == 3664);
  const TestFile file("resnet.et", file_of(nodes));
  const TraceImport found = read_chakra({file.path()});
  std::vector<std::uint64_t> all_reduces, broadcasts;
  for (const TraceCollective& c : found.trace.collectives)
    (c.op == CollectiveOp::all_reduce ? all_reduces : broadcasts).push_back(static_cast<std::uint64_t>(c.bytes));
  CHECK(all_reduces == reduced);
  CHECK(broadcasts == told);
  CHECK(found.trace.step == 100 * 10'000'000);  // what the host computes takes no time of the GPU's
  CHECK(says(found.known, "3557 nodes of 3664 left out"));
}

TEST_CASE("launches and operators of the host are left out, dangling dependencies dropped") {
  if (!has_chakra()) return;
  std::vector<std::string> nodes = two_layers();
  nodes.push_back(
      node(8, "nccl:all_reduce", collective_node, {7}, 5, flag("is_cpu_op", true) + number("comm_type", 0)));
  nodes.push_back(node(9, "aten::add", compute, {8, 4711}, 5, flag("is_cpu_op", true)));
  nodes.push_back(node(10, "after", compute, {9}, 50, on_gpu() + number("unheard_of", 3, 11)));
  const TestFile file("launches.et", file_of(nodes));
  const TraceImport found = read_chakra({file.path()});
  CHECK(found.trace.collectives.size() == 2);
  CHECK(found.trace.operators.size() == 8);
  CHECK(found.trace.step == 3'150'000'000);
  CHECK(says(found.known, "2 nodes of 10 left out"));
  CHECK(says(found.warnings, "1 dependencies on nodes that are not there"));
}

TEST_CASE("ids may have gaps and nodes stand in any order") {
  if (!has_chakra()) return;
  // 100 us, then on the host what becomes no operator, then two of 200 and 300 us that wait for it, then 50 us.
  const std::vector<std::string> nodes = {
      node(90, "last", compute, {70, 20}, 50, on_gpu()),
      node(20, "b", compute, {500}, 300, on_gpu()),
      node(500, "aten::add", compute, {7}, 5, flag("is_cpu_op", true)),
      node(70, "a", compute, {500, 7}, 200, on_gpu()),
      node(7, "first", compute, {}, 100, on_gpu()),
  };
  const TestFile file("gaps.et", file_of(nodes));
  const StepTrace trace = read_chakra({file.path()}).trace;
  REQUIRE(trace.operators.size() == 4);
  std::vector<SimTime> starts_us;
  for (const TraceOperator& op : trace.operators) starts_us.push_back(op.start / 1'000'000);
  CHECK(starts_us == std::vector<SimTime>{0, 100, 400, 600});  // of two that are ready the lower id, 20
  CHECK(trace.names[static_cast<std::size_t>(trace.operators[1].name)] == "b");
  CHECK(trace.step == 650'000'000);
}

TEST_CASE("a JSON graph says the same, whatever its keys' case") {
  const std::string text = R"({"workload_graph": [
    {"Id": 1, "Name": "fwd", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 500, "is_cpu_op": false},
    {"id": 2, "name": "ar", "node_type": 7, "data_deps": [1], "comm_type": 0, "comm_size": 4000, "is_cpu_op": false},
    {"Id": 3, "Name": "bwd", "NodeType": 4, "dataDeps": [2], "runtime": 700, "is_cpu_op": 0}]})";
  const TestFile file("graph.json", text);
  const StepTrace trace = read_chakra({file.path()}).trace;
  CHECK(trace.step == 1'200'000'000);
  REQUIRE(trace.collectives.size() == 1);
  CHECK(trace.collectives[0].bytes == Approx(4000));
}

TEST_CASE("callers order nodes only where no data do: they may close circles with data") {
  // As converters of PyTorch's traces write them: the kernel's caller waits for it by data, it for its caller by
  // control.
  const std::string both = R"({"workload_graph": [
    {"id": 1, "name": "gemm", "type": 4, "ctrl_deps": [2], "data_deps": [], "runtime": 500, "is_cpu_op": false},
    {"id": 2, "name": "next", "type": 4, "ctrl_deps": [2], "data_deps": [1], "runtime": 700, "is_cpu_op": false}]})";
  const TestFile circle("circle.json", both);
  CHECK(read_chakra({circle.path()}).trace.step == 1'200'000'000);
  const TestFile control("control.json", R"({"workload_graph": [
    {"id": 1, "name": "gemm", "type": 4, "ctrl_deps": [], "runtime": 500, "is_cpu_op": false},
    {"id": 2, "name": "ar", "type": 7, "ctrl_deps": [1], "comm_type": 0, "comm_size": 4000, "is_cpu_op": false},
    {"id": 3, "name": "gemm", "type": 4, "ctrl_deps": [2], "runtime": 700, "is_cpu_op": false}]})");
  const StepTrace trace = read_chakra({control.path()}).trace;
  REQUIRE(trace.operators.size() == 3);
  CHECK(trace.operators[2].after_count == 1);
}

TEST_CASE("our step written as Chakra and read again is the same") {
  if (!has_chakra()) return;
  const std::string head = R"("source": "a profiler", "gpu": "NVIDIA H100 80GB HBM3", "ranks": 16, "batch": 32,
    "parameters": 123456789, "step_time": "3.5 ms", "steps": ["3.5 ms", "3.6 ms"],
    "estimated": {"batch": "a guess"})";
  const TestFile ours(
      "ours.json",
      step_text(head, {operator_text("sm80_xmma_gemm_f16f16", 0.125, 900.5, R"("stream": 7, "launch": "host")"),
                       operator_text("Memcpy HtoD", 905, 30, R"("stream": 8)"),
                       operator_text("ncclDevKernel_ReduceScatter", 940, 1000,
                                     R"("stream": 20, "after": [0], "collective": {"op": "reduce_scatter",
                                        "bytes": 7777777, "group": 8, "stride": 2, "wire_us": 800.25})"),
                       operator_text("adam", 2000, 500, R"("launch": "synchronized", "flop": 1000, "bytes": 4000)")}));
  const StepTrace before = read_step_trace(ours.path());
  const Imported chakra = import_files("chakra", {ours.path()});
  const TestFile written("ours.et", chakra.document);
  CHECK(step_trace_text(read_chakra({written.path()}).trace) == step_trace_text(before));
}

TEST_CASE("what is no Chakra trace, or waits in a circle, is refused") {
  if (!has_chakra()) return;
  CHECK_THAT(fault_of(file_of({node(1, "a", compute, {2}, 5, on_gpu()), node(2, "b", compute, {1}, 5, on_gpu())})),
             Catch::Contains("circle"));
  CHECK_THAT(fault_of(file_of({node(1, "a", compute, {}, 0, on_gpu() + number("num_ops", 1000))})),
             Catch::Contains("without a duration"));
  CHECK_THAT(fault_of("\x01\x02\x03 nothing"), Catch::Contains("nodes of a Chakra trace"));
  CHECK_THAT(fault_of(R"({"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 1, "name": "nccl:all_gather"}]})"),
             Catch::Contains("1 nodes, nccl:all_gather: it has none"));
}

TEST_CASE("a binary trace that breaks off gives what came before") {
  if (!has_chakra()) return;
  std::string text = file_of(two_layers());
  text.resize(text.size() - 4);
  const TestFile file("broken.et", text);
  const TraceImport found = read_chakra({file.path()});
  CHECK(found.trace.operators.size() == 6);
  CHECK(says(found.warnings, "breaks off"));
}

TEST_CASE("a gzip that is cut off gives the nodes before, or is refused") {
  if (!has_chakra()) return;
  constexpr std::uint64_t count = 6000;
  std::vector<std::string> nodes;
  for (std::uint64_t i = 0; i < count; ++i)
    nodes.push_back(node(i, "k" + std::to_string(i * i), compute, {i > 0 ? i - 1 : 5000, 6000 + i}, 10, on_gpu()));
  const std::string packed = gzip_of(file_of(nodes));
  const TestFile half("half.et.gz", packed.substr(0, packed.size() / 2));
  const TraceImport found = read_chakra({half.path()});
  CHECK(says(found.warnings, "the file breaks off: the gzip file is damaged or cut off after"));
  const std::size_t kept = found.trace.operators.size();
  CHECK(kept > count / 4);
  CHECK(kept < count);
  CHECK(found.trace.step == static_cast<SimTime>(kept) * 10'000'000);
  // Each whole node waits for one that is not there, the first for two.
  CHECK(says(found.warnings, std::to_string(kept + 1) + " dependencies on nodes that are not there"));
  CHECK_THAT(fault_of(packed.substr(0, 40)), Catch::Contains("1 problem"));
}

TEST_CASE("a kernel of NCCL without attributes is a collective by its name, of unknown size") {
  const TestFile file("jsonizer.json", R"json({"workload_graph": [
      {"Id": 1, "Name": "gemm", "NodeType": 4, "data_deps": [], "runtime": 100, "is_cpu_op": false},
      {"Id": 2, "Name": "c10d::allreduce_(0)", "NodeType": 7, "data_deps": [1], "runtime": 9, "is_cpu_op": true},
      {"Id": 3, "Name": "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", "NodeType": 7, "data_deps": [2],
       "runtime": 50, "is_cpu_op": false}]})json");
  const StepTrace trace = read_chakra({file.path()}).trace;
  REQUIRE(trace.collectives.size() == 1);
  CHECK(trace.collectives[0].op == CollectiveOp::all_reduce);
  CHECK_FALSE(trace.collectives[0].bytes >= 0);
  CHECK(trace.step == 150'000'000);  // 100 us, then 50
}

TEST_CASE("what cannot be true of a node is unknown and counted, and a step without end refused") {
  const auto graph = [](const std::string& size, const std::string& runtime) {
    return R"({"workload_graph": [
    {"id": 1, "name": "gemm", "type": 4, "data_deps": [], "runtime": 500, "is_cpu_op": false},
    {"id": 2, "name": "gemm", "type": 4, "data_deps": [1], "runtime": )" +
           runtime + R"(, "is_cpu_op": false},
    {"id": 3, "name": "ar", "type": 7, "data_deps": [2], "comm_type": 0, "comm_size": )" +
           size + R"(, "is_cpu_op": false}]})";
  };
  for (const char* size : {"-4000", "1e30"}) {
    const TestFile file("odd_size.json", graph(size, "300"));
    const TraceImport found = read_chakra({file.path()});
    CHECK(says(found.warnings, "1 collectives of a size below 0 or above 1 PB: unknown"));
    REQUIRE(found.trace.collectives.size() == 1);
    CHECK_FALSE(found.trace.collectives[0].bytes >= 0);
  }
  for (const char* runtime : {"1e300", "-7", "3600000001"}) {
    const TestFile file("odd_runtime.json", graph("4000", runtime));
    const TraceImport found = read_chakra({file.path()});
    CHECK(says(found.warnings, "1 nodes with a duration below 0 or above an hour: unknown"));
    CHECK(found.trace.step == 500'000'000);  // the other node's
  }
  std::string nodes;
  for (int i = 1; i <= 30; ++i)  // of 55 minutes each: 27.5 hours
    nodes +=
        (i > 1 ? "," : "") + (R"({"id": )" + std::to_string(i)) + R"(, "type": 4, "runtime": 3.3e9, "data_deps": []})";
  CHECK_THAT(fault_of(R"({"workload_graph": [)" + nodes + "]}"), Catch::Contains("a step of at most a day"));
}

TEST_CASE("a send and a receive are two ends of one transfer") {
  constexpr int send = 5, receive = 6;
  const std::string size = on_gpu() + number("comm_size", 131072);
  const TestFile file("sends.et",
                      file_of({node(1, "send", send, {}, 0, size), node(2, "receive", receive, {1}, 0, size),
                               node(3, "add", compute, {2}, 7, on_gpu())}));
  const TraceImport found = read_chakra({file.path()});
  REQUIRE(found.trace.collectives.size() == 1);
  CHECK(found.trace.collectives[0].op == CollectiveOp::send_recv);
  CHECK(says(found.known, "1 receives"));
  REQUIRE(found.trace.operators.size() == 2);  // what waits for the receive waits for the send
  CHECK(found.trace.operators[1].after_count == 1);
  const TestFile last("receives.et",
                      file_of({node(1, "receive", receive, {}, 0, size), node(2, "add", compute, {1}, 7, on_gpu())}));
  CHECK(read_chakra({last.path()}).trace.collectives.size() == 1);  // the last stage of a pipeline
}
