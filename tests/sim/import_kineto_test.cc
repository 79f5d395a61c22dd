// PyTorch profiler files: ours of a gloo job, and small ones made here with the oddities of real ones.
#include <catch2/catch.hpp>
#include <cmath>

#include "clustersim/clustersim.h"
#include "clustersim/import.h"
#include "sim/import/kineto.h"
#include "sim/import/step_trace_file.h"
#include "tests/sim/gzip_text.h"
#include "tests/sim/small_scenarios.h"
#include "tests/sim/trace_files.h"

using namespace clustersim;
using traces::TestFile;

namespace {

std::string gloo_file(int rank) {
  return std::string(CLUSTERSIM_SOURCE_DIR) + "/tests/traces/ddp_gloo." + std::to_string(rank) + ".json.gz";
}

struct Event {
  std::string name, cat;
  double ts, dur;
  std::string args = "";
  int tid = 1;
};

std::string text_of(const Event& e, double origin, int decimals) {
  char times[120];
  std::snprintf(times, sizeof times, "\"ts\": %.*f, \"dur\": %.*f", decimals, origin + e.ts, decimals, e.dur);
  return "{\"ph\": \"X\", \"cat\": \"" + e.cat + "\", \"name\": \"" + e.name +
         "\", \"pid\": 1, \"tid\": " + std::to_string(e.tid) + ", " + times + ", \"args\": {" + e.args + "}}";
}

// Three steps of 1000 us: a launch and a kernel of 600 us, then NCCL's of 100 us, then the optimizer's of 50 us.
std::vector<Event> three_steps(const std::string& nccl_args, const std::string& op_args, double reduce_us = 100) {
  std::vector<Event> events;
  for (int s = 0; s < 3; ++s) {
    const double t = 1000 * s;
    const std::string n = std::to_string(10 * s + 10);
    const auto launch = [&](int i, double at) {
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + at, 5, "\"correlation\": " + n + std::to_string(i)});
    };
    const auto kernel = [&](int i, const std::string& name, double at, double dur, int stream, std::string more = "") {
      if (!more.empty()) more = ", " + more;
      events.push_back({name, "kernel", t + at, dur,
                        "\"stream\": " + std::to_string(stream) + ", \"correlation\": " + n + std::to_string(i) + more,
                        stream});
    };
    events.push_back({"ProfilerStep#" + std::to_string(s + 4), "user_annotation", t, 990});
    launch(1, 10);
    kernel(1, "ampere_fp16_s16816gemm", 20, 600, 7);
    if (!op_args.empty()) events.push_back({"record_param_comms", "cpu_op", t + 30, 5, op_args});
    launch(2, 32);
    kernel(2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 620, reduce_us, 20, nccl_args);
    events.push_back({"Optimizer.step#SGD.step", "user_annotation", t + 40, 60});
    launch(3, 50);
    kernel(3, "vectorized_elementwise", 620 + reduce_us, 50, 7);
  }
  return events;
}

std::string file_of(const std::vector<Event>& events, double origin = 0, int decimals = 3,
                    const std::string& head = "") {
  std::string text = "{" + head + "\"traceEvents\": [";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "\n") + text_of(events[i], origin, decimals);
  return text + "]}";
}

const std::string reduce_args =
    R"("Collective name": "allreduce", "In msg nelems": 2049000, "Out msg nelems": 2049000, "dtype": "Float",
       "Group size": 2, "Process Group Ranks": "[0, 1]")";

bool says(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

double replayed_s(const std::string& trace_path, const std::string& gpu, int gpus) {
  const std::string cluster =
      R"({"node": {"server": "xe8545", "gpu": ")" + gpu + R"(", "gpus": )" + std::to_string(gpus) + "}}";
  return small::step_s(small::read(cluster, R"({"model": {"trace": ")" + trace_path + R"("}})"));
}

}  // namespace

TEST_CASE("a gloo job's profile: steps, all-reduces, replay") {
  const TraceImport found = read_kineto({gloo_file(0), gloo_file(1)});
  CHECK(found.trace.on_cpu);
  CHECK(found.trace.ranks == 2);
  CHECK(found.trace.steps.size() == 4);
  REQUIRE(found.trace.collectives.size() == 2);  // two buckets
  for (const TraceCollective& c : found.trace.collectives) CHECK(c.op == CollectiveOp::all_reduce);
  CHECK(says(found.unknown, "bytes of 2 collectives"));
  for (const TraceOperator& op : found.trace.operators) {
    if (op.collective < 0) continue;
    CHECK(found.trace.collectives[static_cast<std::size_t>(op.collective)].wire <= op.duration);
  }
  const TestFile file("gloo.json", step_trace_text(found.trace));
  CHECK(replayed_s(file.path(), "a100-sxm4-40gb", 2) == Approx(sim_time_to_seconds(found.trace.step)).epsilon(0.02));
}

TEST_CASE("a step of kernels, collectives and an optimizer") {
  const TestFile file("gpu.json", file_of(three_steps(reduce_args, ""), 1.7e15, 3,
                                          R"("deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
                                             "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, )"));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.step == 1'000'000'000);  // 1000 us, to the nanosecond although counted from 1970
  REQUIRE(found.trace.operators.size() == 3);
  CHECK(found.trace.operators[0].kind == OperatorKind::matmul);
  CHECK(found.trace.operators[1].kind == OperatorKind::collective);
  CHECK(found.trace.operators[2].kind == OperatorKind::optimizer);  // launched inside Optimizer.step
  REQUIRE(found.trace.collectives.size() == 1);
  CHECK(found.trace.collectives[0].bytes == Approx(4.0 * 2049000));
  CHECK(found.trace.collectives[0].group == 2);
  CHECK(found.trace.collectives[0].stride == 1);
  CHECK(found.trace.gpu == "NVIDIA A100-SXM4-40GB");
  CHECK(says(found.known, "3 complete steps of 0.99 ms, 0.99 ms, 0.99 ms"));
  const TestFile step("gpu_step.json", step_trace_text(found.trace));
  CHECK(replayed_s(step.path(), "a100-sxm4-40gb", 2) == Approx(1e-3).epsilon(1e-6));
  // The profile itself may stand in a scenario.
  CHECK(replayed_s(file.path(), "a100-sxm4-40gb", 2) == Approx(1e-3).epsilon(1e-6));
}

TEST_CASE("a collective's size is found by the External id of its operator") {
  const TestFile file("external.json",
                      file_of(three_steps(R"("External id": 77)", reduce_args + R"(, "External id": 77)")));
  const TraceImport found = read_kineto({file.path()});
  REQUIRE(found.trace.collectives.size() == 1);
  CHECK(found.trace.collectives[0].bytes == Approx(4.0 * 2049000));
}

TEST_CASE("the time on the wire is the shortest of all ranks") {
  const TestFile a("rank0.json", file_of(three_steps(reduce_args, "", 100)));
  const TestFile b("rank1.json", file_of(three_steps(reduce_args, "", 70)));
  CHECK(read_kineto({a.path(), b.path()}).trace.collectives[0].wire == 70'000'000);
  CHECK(read_kineto({a.path()}).trace.collectives[0].wire == -1);  // waiting cannot be told from sending
}

TEST_CASE("older categories, a bare list, whole microseconds, control characters") {
  std::vector<Event> events = three_steps("", "");
  for (Event& e : events) e.cat = e.cat == "kernel" ? "Kernel" : e.cat == "cuda_runtime" ? "Runtime" : "Operator";
  events[0].name += "\x01\xC3";  // "ProfilerStep#4" with bytes that no JSON has
  std::string text = file_of(events, 0, 0);
  text = text.substr(text.find('['));
  text.pop_back();
  const TestFile file("old.json", text);
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.steps.size() == 3);
  CHECK(found.trace.operators.size() == 3);
}

TEST_CASE("incomplete steps, repeated events, orphans and a file that breaks off are told") {
  std::vector<Event> events = three_steps(reduce_args, "");
  Event again = events[2];
  events.push_back(again);
  events.push_back({"vectorized_elementwise", "kernel", 5, 2, R"("stream": 7, "correlation": 99999)", 7});
  events.push_back({"ProfilerStep#7", "user_annotation", 3000, 100});
  std::string text = file_of(events);
  text.resize(text.size() - 30);  // inside the last event
  const TestFile file("broken.json", text);
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.operators.size() == 3);
  CHECK(says(found.warnings, "the file breaks off"));
  CHECK(says(found.warnings, "1 kernels without their launch"));
  CHECK(says(found.known, "1 events left out: written twice"));
}

TEST_CASE(
    "steps that overlap on the GPU last a period; what runs ahead of its step keeps its place beside the others") {
  // The GPU lags 800 us behind its launches, and a stream of its own copies the next batch as soon as it is told to:
  // the step starts 820 us after its mark, the copy 807 us before that, which is 193 us into the step before.
  std::vector<Event> events = three_steps(reduce_args, "");
  for (Event& e : events)
    if (e.cat == "kernel") e.ts += 800;
  for (int s = 0; s < 3; ++s) {
    const std::string correlation = "\"correlation\": " + std::to_string(9000 + s);
    events.push_back({"cudaMemcpyAsync", "cuda_runtime", 1000.0 * s + 11, 1, correlation});
    events.push_back({"Memcpy HtoD", "gpu_memcpy", 1000.0 * s + 13, 20, "\"stream\": 30, " + correlation, 30});
  }
  const TestFile file("overlap.json", file_of(events));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.step == 1'000'000'000);
  REQUIRE(found.trace.operators.size() == 4);
  CHECK(found.trace.operators[0].kind == OperatorKind::matmul);
  CHECK(found.trace.operators[1].kind == OperatorKind::host_copy);
  CHECK(found.trace.operators[1].start == 193'000'000);
}

TEST_CASE("events with impossible times are counted with their reason, other categories by name") {
  std::vector<Event> events = three_steps(reduce_args, "");
  events.push_back({"sgemm", "kernel", 100, 1e13, R"("stream": 7)", 7});
  events.push_back({"sgemm", "kernel", 100, -5, R"("stream": 7)", 7});
  events.push_back({"pass", "mtia_events", 100, 5});
  const TestFile file("absurd.json", file_of(events));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.operators.size() == 3);
  CHECK(says(found.warnings, "2 kernels with a duration below 0 or above an hour: left out"));
  CHECK(says(found.warnings, "the first is \"sgemm\" of"));  // which, and how long as written
  CHECK(says(found.known, "1 events left out: of the category mtia_events"));
  // Less than an hour and still no time of such a kernel: the next one of its queue runs before.
  std::vector<Event> long_one = three_steps(reduce_args, "");
  for (Event& e : long_one)
    if (e.name == "ampere_fp16_s16816gemm" && e.ts == 1020) e.dur = 1e9;
  const TestFile overlapping("overlapping.json", file_of(long_one));
  const TraceImport cut = read_kineto({overlapping.path()});
  CHECK(says(cut.warnings, "1 kernels are said to run on while the next of their stream runs"));
  CHECK(cut.trace.step == 1'000'000'000);
  for (const TraceOperator& op : cut.trace.operators) CHECK(op.duration <= 700'000'000);
  const TestFile none("none_left.json", file_of({{"sgemm", "kernel", 100, -5, R"("stream": 7)", 7}}));
  try {
    read_kineto({none.path()});
    FAIL("no fault");
  } catch (const InputError& error) {
    CHECK(error.problems().front().hint.find("1 kernels with a duration below 0") != std::string::npos);
  }
}

TEST_CASE("a run of blanks or digits without end is no memory without end") {
  const std::string head = file_of(three_steps(reduce_args, ""));
  const TestFile blanks("blanks.json", std::string(3 << 20, '\0') + head);
  CHECK(read_kineto({blanks.path()}).trace.operators.size() == 3);
  const TestFile digits("digits.json", "{\"traceEvents\": [{\"ts\": " + std::string(3 << 20, '7') + "}]}");
  CHECK_THROWS_AS(read_kineto({digits.path()}), InputError);
}

TEST_CASE("item 89: three steps of two GPUs with five all-reduces of a ResNet's buckets each, in gzip") {
  const double steps_ms[] = {222.4, 219.7, 224.9};
  const double bytes[] = {8196000, 31502336, 26255360, 26550272, 9724160};
  std::vector<Event> events;
  double t = 0;
  int n = 100;
  for (int s = 0; s < 3; ++s) {
    events.push_back({"ProfilerStep#" + std::to_string(s + 4), "user_annotation", t, steps_ms[s] * 1e3});
    for (int b = 0; b < 5; ++b) {
      const std::string id = "\"correlation\": " + std::to_string(++n);
      char args[240];
      std::snprintf(args, sizeof args,
                    "%s, \"stream\": 20, \"Collective name\": \"allreduce\", \"In msg nelems\": %.0f, \"dtype\": "
                    "\"Float\", \"Group size\": 2",
                    id.c_str(), bytes[b] / 4);
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + 1000 * b, 5, id});
      events.push_back(
          {"ncclKernel_AllReduce_RING_LL_Sum_float", "kernel", t + 1000 + 10000.0 * b + 0.25, 10000, args, 20});
    }
    // DDP tells its buffers twice a step; the last of all ends 660.6 ms behind the first kernel's start.
    for (int b = 0; b < 2; ++b) {
      const std::string id = "\"correlation\": " + std::to_string(++n);
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + 6000 + b, 5, id});
      events.push_back({"ncclKernel_Broadcast_RING_LL_Sum_int8_t", "kernel",
                        t + (b == 0 ? 60000 : 661600 - 442100 - 1250 + 0.25), 1250,
                        id + R"(, "stream": 20, "Collective name": "broadcast", "In msg nelems": 424, "dtype": "Byte",
                             "Group size": 2)",
                        20});
    }
    t += steps_ms[s] * 1e3;
  }
  const TestFile file("resnet.json.gz", gzip_of(file_of(events, 1.6e15)));
  const TraceImport found = read_kineto({file.path()});
  CHECK(says(found.known, "3 complete steps of 222.4 ms, 219.7 ms, 224.9 ms"));
  // 3 x (5 x 10 + 2 x 1.25), where the last kernel ends at 222.4 + 219.7 + 219.5 ms, and the first starts at 1 ms.
  CHECK(says(found.known, "busy 157.5 ms of 660.6 ms"));
  double sum = 0;
  std::vector<double> reduced;
  for (const TraceCollective& c : found.trace.collectives) {
    CHECK(c.group == 2);
    if (c.op != CollectiveOp::all_reduce) continue;
    reduced.push_back(c.bytes);
    sum += c.bytes;
  }
  CHECK(reduced == std::vector<double>(std::begin(bytes), std::end(bytes)));
  CHECK(found.trace.steps.size() * reduced.size() == 15);
  CHECK(found.trace.steps.size() * (found.trace.collectives.size() - reduced.size()) == 6);
  CHECK(sum == Approx(102.2e6).epsilon(5e-4));
  CHECK(sum / 4 == Approx(25.557032e6));  // a ResNet-50's parameters
}

TEST_CASE("a size that no collective has is not known, and counted") {
  const TestFile file("absurd.json",
                      file_of(three_steps("", R"("Collective name": "allreduce", "In msg nelems": 9223372036854775807,
                                                 "dtype": "Float", "Group size": 2)"),
                              1.7e15, 3, ""));
  const TraceImport found = read_kineto({file.path()});
  for (const TraceCollective& c : found.trace.collectives) CHECK(std::isnan(c.bytes));
  CHECK(says(found.known, "sizes of collectives that no collective has"));
}

TEST_CASE("a step that picoseconds do not hold is refused") {
  std::vector<Event> events;  // no steps marked: one of all kernels, the first of which has a clock of its own
  for (const double start : {0.0, 1e15})
    events.push_back({"gemm", "kernel", start, 10, R"("stream": 7, "correlation": 1)", 7});
  const TestFile file("endless.json", file_of(events, 0, 0, ""));
  CHECK_THROWS_AS(read_kineto({file.path()}), InputError);
}

TEST_CASE("item 92: one GPU that records its communication, times to the nanosecond from an epoch") {
  // A first step of 97.6 ms and four of 95.6, 94.5 of each with kernels: 472.5 ms of 480.0 from the first to the last.
  std::vector<Event> events;
  double t = 0;
  for (int s = 0; s < 5; ++s) {
    const double step_us = s == 0 ? 97600 : 95600;
    events.push_back({"ProfilerStep#" + std::to_string(s), "user_annotation", t, step_us});
    events.push_back({"record_param_comms", "cpu_op", t + 30.5, 5,
                      R"("Collective name": "allreduce", "In msg nelems": 10, "dtype": "Float", "Group size": 1)"});
    for (int k = 0; k < 2; ++k) {
      const std::string id = "\"correlation\": " + std::to_string(10 * s + k);
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + k, 0.875, id});
      events.push_back({"volta_fp16_s884gemm", "kernel", t + (k == 0 ? 0.125 : 51100.125), k == 0 ? 50000.0 : 44500.0,
                        id + ", \"stream\": 7", 7});
    }
    t += step_us;
  }
  const TestFile file("one_gpu.json",
                      file_of(events, 1'690'000'000'000'000.0, 3,
                              R"("distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}, )"));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.step == 95'600'000'000);
  CHECK(says(found.known, "busy 472.5 ms of 480 ms"));
  CHECK(found.trace.ranks == 1);
  CHECK(found.trace.collectives.empty());
}

TEST_CASE("item 98: waits of cuda_sync are no kernels") {
  std::vector<Event> events = {{"ProfilerStep#1", "user_annotation", 0, 5000}};
  for (int k = 0; k < 79; ++k) {
    const std::string id = "\"correlation\": " + std::to_string(k + 1);
    events.push_back({"cudaLaunchKernel", "cuda_runtime", 50.0 * k, 5, id});
    events.push_back({"ampere_sgemm_128x64_tn", "kernel", 50.0 * k + 10, 40, id + ", \"stream\": 7", 7});
  }
  for (int i = 0; i < 41; ++i)
    events.push_back({"Stream Wait Event", "cuda_sync", 20.125 + 10 * i, 3,
                      R"("stream": 7, "correlation": )" + std::to_string(5000 + i), 7});
  const TestFile file("alexnet.json", file_of(events, 1'690'000'000'000'000.0));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.operators.size() == 79);
  CHECK(says(found.known, "41 events left out: of the category cuda_sync"));
}

TEST_CASE("item 95: an older file of one rank that infers, categories in capitals and no steps") {
  std::vector<Event> events;
  for (int k = 0; k < 4; ++k) {
    const std::string id = "\"correlation\": " + std::to_string(k + 1);
    events.push_back({"cudaLaunchKernel", "Runtime", 10.0 * k, 2, id});
    events.push_back({"volta_sgemm", "Kernel", 10.0 * k + 5, k < 2 ? 7.0 : 8.0, id + ", \"stream\": 7", 7});
  }
  const TestFile file("inference.json", file_of(events));
  const TraceImport found = read_kineto({file.path()});
  CHECK(found.trace.operators.size() == 4);
  SimTime busy = 0;
  for (const TraceOperator& op : found.trace.operators) busy += op.duration;
  CHECK(busy == 30'000'000);
}

TEST_CASE("without ProfilerStep the ends of the optimizer tell steps apart, where they are alike") {
  std::vector<Event> events = three_steps(reduce_args, "");
  for (const Event& e : three_steps(reduce_args, "")) {  // three more, behind them
    Event later = e;
    later.ts += 3000;
    if (const std::size_t at = later.args.find("\"correlation\": "); at != std::string::npos)
      later.args.insert(at + 15, "9");
    events.push_back(later);
  }
  std::erase_if(events, [](const Event& e) { return e.name.starts_with("ProfilerStep"); });
  const TestFile file("unmarked.json", file_of(events));
  const TraceImport found = read_kineto({file.path()});
  CHECK(says(found.warnings, "no ProfilerStep: 6 steps are told apart by the ends of Optimizer.step"));
  CHECK(found.trace.step == 1'000'000'000);
  CHECK(found.trace.operators.size() == 3);
  // The same range again on the GPU's clock is no second optimizer.
  std::vector<Event> copied = events;
  for (const Event& e : events)
    if (e.name.starts_with("Optimizer.step")) copied.push_back({e.name, "gpu_user_annotation", e.ts + 600, e.dur});
  const TestFile twice("unmarked_twice.json", file_of(copied));
  CHECK(read_kineto({twice.path()}).trace.step == 1'000'000'000);
  // Two optimizers of unlike work in a step: then it is not known where one begins.
  std::vector<Event> two = events;
  for (const Event& e : events)
    if (e.name.starts_with("Optimizer.step")) two.push_back({e.name, "user_annotation", e.ts + 100, e.dur});
  const TestFile pair("two_optimizers.json", file_of(two));
  const TraceImport whole = read_kineto({pair.path()});
  CHECK(says(whole.warnings, "the whole recording is taken as one step"));
  CHECK(whole.trace.operators.size() == 18);
}

TEST_CASE("a collective that stood behind another in its queue waits for no kernel that was launched behind it") {
  // Two buckets, launched behind the first and the second of four products of 1 ms; each is on its way for 3 ms, so
  // that the second starts when all products are done. On faster links it starts behind the second product.
  std::vector<Event> events;
  for (int s = 0; s < 3; ++s) {
    const double t = 8000.0 * s;
    events.push_back({"ProfilerStep#" + std::to_string(s), "user_annotation", t, 7900});
    int n = 100 * (s + 1);
    const auto add = [&](const std::string& name, double launch, double at, double dur, int stream,
                         const std::string& more = "") {
      const std::string id = "\"correlation\": " + std::to_string(++n);
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + launch, 4, id});
      events.push_back({name, "kernel", t + at, dur, id + ", \"stream\": " + std::to_string(stream) + more, stream});
    };
    add("ampere_fp16_s16816gemm", 5, 10, 1000, 7);
    add("ncclDevKernel_AllReduce_Sum", 10, 1010, 3000, 20, ", " + reduce_args);
    add("ampere_fp16_s16816gemm", 20, 1010, 1000, 7);
    add("ncclDevKernel_AllReduce_Sum", 30, 4010, 3000, 20, ", " + reduce_args);
    add("ampere_fp16_s16816gemm", 40, 2010, 1000, 7);
    add("ampere_fp16_s16816gemm", 50, 3010, 1000, 7);
    add("multi_tensor_apply_kernel sgd", 60, 7010, 900, 7);
  }
  const TestFile file("queue.json", file_of(events, 0, 3,
                                            R"("deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
                                               "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, )"));
  const StepTrace trace = read_kineto({file.path()}).trace;
  std::vector<SimTime> waits_for;  // end of what each collective is told to wait for, us
  for (const TraceOperator& op : trace.operators)
    for (std::int32_t d = 0; op.collective >= 0 && d < op.after_count; ++d) {
      const TraceOperator& before =
          trace.operators[static_cast<std::size_t>(trace.after[static_cast<std::size_t>(op.first_after + d)])];
      waits_for.push_back((before.start + before.duration) / 1'000'000);
    }
  CHECK(waits_for == std::vector<SimTime>{2000});  // the second bucket for the second product; the first needs no word
  // Where it was recorded the step takes its 8 ms; planned for NVLink both buckets hide behind the products, and what
  // is left is 4 ms of these, the optimizer and the pause of 0.1 ms before the next step.
  CHECK(replayed_s(file.path(), "a100-sxm4-40gb", 2) == Approx(8e-3).epsilon(1e-3));
  const std::string four = R"({"node": {"server": "xe8545", "gpu": "a100-sxm4-40gb", "gpus": 4}})";
  CHECK(small::step_s(small::read(four, R"({"model": {"trace": ")" + file.path() + R"("}})")) ==
        Approx(5.0e-3).epsilon(0.01));
}

TEST_CASE("a file without events of a profiler is refused") {
  for (const char* text :
       {"{}", "[]", "[1, 2]", "{\"traceEvents\": [{\"ph\": \"M\"}]}", "not json", "\x1f\x8b broken"}) {
    const TestFile file("none.json", text);
    CHECK_THROWS_AS(read_kineto({file.path()}), InputError);
  }
}

TEST_CASE("nothing personal is taken over") {
  const TestFile file("person.json",
                      file_of(three_steps(reduce_args, ""), 0, 3,
                              R"("hostname": "secret-host", "username": "jane", "traceName": "/home/jane/x",
                                                "distributedInfo": {"rank": 0, "world_size": 2, "job": "jane-job"}, )"));
  const Imported imported = import_files("kineto", {file.path()});
  CHECK(imported.document.find("jane") == std::string::npos);
  CHECK(imported.document.find("secret") == std::string::npos);
}

TEST_CASE("a step lasts until the next one's first kernel, whatever of it still runs on another stream") {
  // Two steps of 1000 us, a kernel of 600 us in each, and a copy for the next batch that ends 200 us after its step.
  std::vector<Event> events;
  for (int s = 0; s < 3; ++s) {
    const double t = 1000 * s;
    events.push_back({"ProfilerStep#" + std::to_string(s + 1), "user_annotation", t, 1000});
    for (int k = 0; k < 2; ++k) {
      const std::string id = std::to_string(10 * s + k + 1);
      events.push_back({"cudaLaunchKernel", "cuda_runtime", t + 10 + k, 1, "\"correlation\": " + id});
      events.push_back({k == 0 ? "ampere_gemm" : "Memcpy HtoD (Pinned -> Device)", k == 0 ? "kernel" : "gpu_memcpy",
                        k == 0 ? t + 50 : t + 900, k == 0 ? 600.0 : 350.0,
                        "\"stream\": " + std::to_string(7 + k) + ", \"correlation\": " + id});
    }
  }
  std::string text = "{\"traceEvents\": [";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? "," : "") + text_of(events[i], 5000, 3);
  const TestFile file("late_copy.json", text + "]}");
  CHECK(read_kineto({file.path()}).trace.step == 1'000'000'000);
}
