// What a kernel costs that does nothing: in a stream, with a wait, in a graph.
#include <memory>

#include "tools/gpubench/graph.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/kernels.h"
#include "tools/measurement/statistics.h"

namespace clustersim::gpubench {
namespace {

using measurement::measured;

int samples_of(const Session& session) { return session.quick() ? 7 : 21; }

// GPU time a kernel, and the host's time in the launch call.
Record back_to_back(Session& session, int arguments, int streams, int kernels, const Parameters& parameters) {
  std::vector<std::unique_ptr<Stream>> others;
  for (int i = 1; i < streams; ++i) others.push_back(std::make_unique<Stream>(Order::apart));
  const auto stream_at = [&](int i) { return i % streams == 0 ? session.stream() : others[i % streams - 1]->get(); };
  const Event start, stop, joined;
  std::vector<double> gpu_s, host_s;
  for (int sample = 0; sample <= samples_of(session); ++sample) {
    start.record(session.stream());
    for (const auto& other : others) check(cudaStreamWaitEvent(other->get(), start.get()), "order two streams");
    const double begin_s = now_s();
    for (int i = 0; i < kernels; ++i) launch_empty(arguments, stream_at(i));
    const double launched_s = now_s() - begin_s;
    for (const auto& other : others) {
      joined.record(other->get());
      check(cudaStreamWaitEvent(session.stream(), joined.get()), "order two streams");
    }
    stop.record(session.stream());
    stop.wait();
    check(cudaGetLastError(), "launch empty kernels");
    if (sample == 0) continue;  // loads the code
    gpu_s.push_back(stop.since_s(start) / kernels);
    host_s.push_back(launched_s / kernels);
  }
  Record record = measured("launch_back_to_back", parameters, gpu_s);
  record.derived = {{"host_s", measurement::summarise(host_s).median}};
  return record;
}

Record synchronised(Session& session, int arguments, const Parameters& parameters) {
  std::vector<double> seconds;
  constexpr int launches = 100;
  for (int sample = 0; sample <= samples_of(session); ++sample) {
    const double begin_s = now_s();
    for (int i = 0; i < launches; ++i) {
      launch_empty(arguments, session.stream());
      check(cudaStreamSynchronize(session.stream()), "wait for an empty kernel");
    }
    if (sample > 0) seconds.push_back((now_s() - begin_s) / launches);
  }
  return measured("launch_synchronised", parameters, seconds);
}

Record graph_of(Session& session, int nodes, const Parameters& parameters) {
  const Graph graph(session.stream(), [&] {
    for (int i = 0; i < nodes; ++i) launch_empty(1, session.stream());
  });
  std::vector<double> seconds;
  for (double whole_s : session.time([&] { graph.launch(session.stream()); }, false))
    seconds.push_back(whole_s / nodes);
  Record record = measured("launch_graph", parameters, seconds);
  record.derived = {{"graph_s", record.median * nodes}};
  return record;
}

}  // namespace

void run_launch(Session& session) {
  for (int streams : {1, 2}) {
    for (int arguments : {1, 16, 64}) {
      if (streams == 2 && arguments != 1) continue;
      const Parameters parameters = {
          {"arguments", std::int64_t{arguments}}, {"streams", std::int64_t{streams}}, {"kernels", std::int64_t{1000}}};
      session.attempt("launch_back_to_back", parameters,
                      [&] { return back_to_back(session, arguments, streams, 1000, parameters); });
    }
  }
  for (int arguments : {1, 64}) {
    const Parameters parameters = {{"arguments", std::int64_t{arguments}}};
    session.attempt("launch_synchronised", parameters, [&] { return synchronised(session, arguments, parameters); });
  }
  session.measure("launch_memset", {{"bytes", std::int64_t{4096}}}, [&] {
    Work work;
    work.capture = false;
    work.enqueue = [buffer = allocate(4096), stream = session.stream()] {
      check(cudaMemsetAsync(buffer->as(), 0, 4096, stream), "set memory");
    };
    return work;
  });
  for (int nodes : {10, 100, 1000}) {
    const Parameters parameters = {{"nodes", std::int64_t{nodes}}};
    session.attempt("launch_graph", parameters, [&] { return graph_of(session, nodes, parameters); });
  }
}

}  // namespace clustersim::gpubench
