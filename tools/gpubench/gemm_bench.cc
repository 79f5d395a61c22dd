// Products of many shapes, and of one large shape until clock and power have settled.
#include <memory>

#include "tools/gpubench/gemm.h"
#include "tools/gpubench/groups.h"
#include "tools/gpubench/sizes.h"
#include "tools/measurement/statistics.h"

namespace clustersim::gpubench {
namespace {

Parameters parameters_of(const GemmShape& shape, const GemmRequest& request) {
  return {{"m", std::int64_t{shape.m}},   {"n", std::int64_t{shape.n}},
          {"k", std::int64_t{shape.k}},   {"precision", request.precision},
          {"epilogue", request.epilogue}, {"split_k", std::string(request.split_k ? "allowed" : "off")},
          {"purpose", shape.purpose}};
}

// The library's matrices are column-major, a network's tensors have the features side by side: their product is the
// transposed one, features by rows.
GemmRequest request_of(const GemmShape& shape, const std::string& precision) {
  GemmRequest request = {shape.n, shape.m, shape.k};
  request.precision = precision;
  return request;
}

void measure(Session& session, const GemmShape& shape, const std::string& precision,
             const std::string& epilogue = "none", bool split_k = true) {
  GemmRequest request = request_of(shape, precision);
  request.epilogue = epilogue;
  request.split_k = split_k;
  const Parameters parameters = parameters_of(shape, request);
  const cudaDeviceProp& properties = session.properties();
  if (const std::string reason = precision_missing(precision, properties.major, properties.minor); !reason.empty()) {
    session.skip("gemm", parameters, reason);
    return;
  }
  session.measure("gemm", parameters, [&] {
    const auto gemm = std::make_shared<Gemm>(request, session.stream());
    Work work;
    work.enqueue = [gemm, stream = session.stream()] { gemm->enqueue(stream); };
    work.amounts = {{"flop_per_s", gemm->flop()}};
    if (epilogue == "none") {
      work.verify = [gemm, stream = session.stream()] {
        gemm->enqueue(stream);
        return gemm->verify();
      };
    }
    return work;
  });
}

Record sustained(Session& session, const GemmRequest& request, double seconds, const Parameters& parameters) {
  const Gemm gemm(request, session.stream());
  const double begin_s = now_s();
  std::vector<double> samples = session.time_for([&] { gemm.enqueue(session.stream()); }, seconds);
  // The second half: clock and power have settled.
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2));
  Record record = measurement::measured("gemm_sustained", parameters, samples);
  record.derived = {{"flop_per_s", gemm.flop() / record.median}};
  record.conditions = session.conditions_since(begin_s + 0.5 * (now_s() - begin_s));
  return record;
}

}  // namespace

void run_gemm(Session& session) {
  const int sm_count = session.properties().multiProcessorCount;
  for (const char* precision : {"fp16", "bf16", "tf32", "fp8"}) {
    for (const GemmShape& shape : gemm_shapes(session.quick())) {
      // Eight-bit products need rows of 16; nobody trains these networks with them.
      if (std::string(precision) == "fp8" && shape.purpose == "resnet") continue;
      measure(session, shape, precision);
    }
  }
  for (int side : {2048, 4096, 8192}) measure(session, {side, side, side, "transformer"}, "fp32");
  for (const GemmShape& shape : gemm_k_sweep(sm_count, session.quick())) {
    for (bool split_k : {true, false}) measure(session, shape, "fp16", "none", split_k);
  }
  for (const char* epilogue : {"bias", "bias_gelu"}) {
    for (int tokens : {2048, 8192}) measure(session, {tokens, 4096, 1024, "transformer"}, "fp16", epilogue);
  }
  for (const GemmShape& shape : gemm_m_sweep(sm_count, session.quick())) measure(session, shape, "fp16");
}

void run_sustained(Session& session) {
  const double seconds = session.quick() ? 0.7 : 3.5;
  const cudaDeviceProp& properties = session.properties();
  for (const auto& [precision, zero] :
       {std::pair{"bf16", false}, {"fp16", false}, {"fp16", true}, {"tf32", false}, {"fp32", false}, {"fp8", false}}) {
    GemmRequest request = {8192, 8192, 8192};
    request.precision = precision;
    request.zero_operands = zero;
    Parameters parameters = parameters_of({8192, 8192, 8192, "sustained"}, request);
    parameters.emplace_back("data", std::string(zero ? "zero" : "random"));
    parameters.emplace_back("seconds", seconds);
    const std::string reason = precision_missing(precision, properties.major, properties.minor);
    if (!reason.empty()) {
      session.skip("gemm_sustained", parameters, reason);
    } else {
      session.attempt("gemm_sustained", parameters, [&] { return sustained(session, request, seconds, parameters); });
    }
  }
}

}  // namespace clustersim::gpubench
