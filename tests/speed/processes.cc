// The same workloads as whole processes: ours, and SimGrid's where it was found, one after the other in one run.
// Time is wall time from start to end of the child; beside it its processor time, which does not count what else the
// machine does, and its own peak of memory.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace {

struct Outcome {
  bool done = false;
  double wall_s = 0, cpu_s = 0, peak_mib = 0;
};

Outcome run_child(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const bool started = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  rusage use{};
  Outcome outcome;
  outcome.done = started && wait4(child, &status, 0, &use) == child && status == 0;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  outcome.cpu_s = seconds(use.ru_utime) + seconds(use.ru_stime);
  outcome.peak_mib = static_cast<double>(use.ru_maxrss) / 1024.0;
  return outcome;
}

void process(benchmark::State& state, const std::vector<std::string>& words) {
  double peak_mib = 0, cpu_s = 0;
  for (auto _ : state) {
    const Outcome outcome = run_child(words);
    if (!outcome.done) state.SkipWithError("the child failed");
    state.SetIterationTime(outcome.wall_s);
    peak_mib = outcome.peak_mib;
    cpu_s += outcome.cpu_s;
  }
  state.counters["child_ms_cpu"] = benchmark::Counter(1e3 * cpu_s, benchmark::Counter::kAvgIterations);
  state.counters["child_peak_MiB"] = peak_mib;
}

void add(const std::string& name, const std::vector<std::string>& words) {
  benchmark::RegisterBenchmark(("process/" + name).c_str(), process, words)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// A Chakra trace of 160,000 kernels of 10 us, each after the one before, without times: the least that the schema's
// messages say (key = field * 8 + type; whole numbers as varints, texts and messages after their length).
class ChainFiles {
 public:
  ChainFiles() {
    std::ofstream trace(trace_, std::ios::binary);
    trace << message(part(1, "0.0.4"));
    for (std::uint64_t i = 0; i < 160000; ++i)
      trace << message(whole(1, i) + part(2, "c") + whole(3, 4) + (i > 0 ? part(5, varint(i - 1)) : "") + whole(7, 10) +
                       part(10, part(1, "is_cpu_op") + whole(27, 0)));
    std::ofstream(scenario_) << R"({"clustersim": 1, "cluster": {"node": {"server": "dgx-h100"}}, )"
                             << R"("job": {"model": {"trace": ")" << trace_ << R"(", "parameters": 1}}})";
  }
  ~ChainFiles() {
    std::remove(trace_.c_str());
    std::remove(scenario_.c_str());
  }
  const std::string& scenario() const { return scenario_; }

 private:
  static std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    return out + static_cast<char>(value);
  }
  static std::string whole(std::uint64_t field, std::uint64_t value) { return varint(field << 3) + varint(value); }
  static std::string part(std::uint64_t field, const std::string& content) {
    return varint(field << 3 | 2) + varint(content.size()) + content;
  }
  static std::string message(const std::string& content) { return varint(content.size()) + content; }

  std::string folder_ = std::filesystem::temp_directory_path().string() + "/clustersim_speed_";
  std::string trace_ = folder_ + "chain_process.et", scenario_ = folder_ + "chain_process.json";
};

void chain(benchmark::State& state) {
  const ChainFiles files;
  process(state, {CLUSTERSIM_PROGRAM, "run", files.scenario(), "--no-what-if"});
}

struct Workload {
  const char *name, *kind, *k, *bytes;
  bool simgrid;  // the largest all-to-all takes SimGrid minutes
};

struct Step {  // DP50-256
  const char *name, *nodes, *jitter;
};

constexpr Step steps[] = {{"DP50-256/messages/unfolded", "unfolded", ""},
                          {"DP50-256/messages/folded", "folded", ""},
                          {"DP50J-256/messages", "unfolded", "0.1"}};

constexpr Workload workloads[] = {{"RING100M-128", "ring", "8", "1e8", true},
                                  {"RING100M-1024", "ring", "16", "1e8", true},
                                  {"A2A1M-128", "a2a", "8", "1e6", true},
                                  {"A2A1M-250", "a2a", "10", "1e6", true},
                                  {"A2A1M-432", "a2a", "12", "1e6", false}};

const bool added = [] {
  for (const Workload& w : workloads) {
    add(std::string(w.name) + "/clustersim", {COLLECTIVES_PROGRAM, w.kind, w.k, w.bytes});
#ifdef SIMGRID_PROGRAM
    if (w.simgrid)
      add(std::string(w.name) + "/simgrid",
          {SIMGRID_PROGRAM, w.kind, w.k, w.bytes, "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
           "--cfg=network/TCP-gamma:0", "--cfg=contexts/stack-size:64", "--log=root.thresh:critical"});
#endif
  }
  for (const Step& s : steps) {
    std::vector<std::string> words = {DATA_PARALLEL_PROGRAM, "256", "messages", s.nodes};
    if (s.jitter[0]) words.push_back(s.jitter);
    add(s.name, words);
  }
  const std::string speed = CLUSTERSIM_SOURCE_DIR "/tests/speed/", scenarios = CLUSTERSIM_SOURCE_DIR "/scenarios/";
  add("all_reduce_16MiB_256_gpus_rails/messages",
      {CLUSTERSIM_PROGRAM, "collective", speed + "rails-256.json", "--op", "all_reduce", "--sizes", "16MiB",
       "--algorithm", "ring", "--fidelity", "messages"});
  add("run_smallest", {CLUSTERSIM_PROGRAM, "run", speed + "smallest.json", "--no-what-if"});
  add("run_mlperf_resnet_8_a100", {CLUSTERSIM_PROGRAM, "run", speed + "mlperf-resnet.json", "--no-what-if"});
  for (const int gpus : {8, 1024, 16384, 100000})
    add("run_bert-large_h100/" + std::to_string(gpus),
        {CLUSTERSIM_PROGRAM, "run", speed + "bert-large-h100.json", "--no-what-if", "--set",
         "/cluster/nodes=" + std::to_string(gpus / 8)});
  add("sweep_1000_variants_of_mlperf_resnet",
      {CLUSTERSIM_PROGRAM, "sweep", speed + "mlperf-variants.json", "--db", ":memory:", "--jobs", "2"});
  benchmark::RegisterBenchmark("process/run_chain_of_160000_nodes", chain)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  add("run_bert-large_h100/100000/1%_of_nodes_slow",
      {CLUSTERSIM_PROGRAM, "run", speed + "bert-large-h100.json", "--no-what-if", "--set", "/cluster/nodes=12500",
       "--set", "/cluster/stragglers={\"share\": 0.01, \"slowdown\": 0.1}"});
  add("run_bert-large_h100/1024/unfolded", {CLUSTERSIM_PROGRAM, "run", speed + "bert-large-h100.json", "--no-what-if",
                                            "--set", "/cluster/nodes=128", "--unfold"});
  add("run_4node-100g", {CLUSTERSIM_PROGRAM, "run", scenarios + "4node-100g.json", "--no-what-if"});
  add("check_4node-100g", {CLUSTERSIM_PROGRAM, "check", scenarios + "4node-100g.json"});
  return true;
}();

}  // namespace
