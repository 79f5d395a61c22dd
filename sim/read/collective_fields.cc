// The keys of a measured sweep of a collective, in a scenario's cluster and in a calibration file.
#include "sim/read/scenario_keys.h"

namespace clustersim {

namespace {

constexpr Choice<CollectiveOp> kOperationWords[] = {
    {"all_reduce", CollectiveOp::all_reduce, "every rank gets the sum"},
    {"all_gather", CollectiveOp::all_gather, "every rank gets all shards"},
    {"reduce_scatter", CollectiveOp::reduce_scatter, "every rank gets its shard of the sum"},
    {"reduce", CollectiveOp::reduce, "one rank gets the sum"},
    {"all_to_all", CollectiveOp::all_to_all, "every rank sends a part to every other"},
    {"broadcast", CollectiveOp::broadcast, "one rank's buffer to all"},
    {"send_recv", CollectiveOp::send_recv, "from each rank to the next"},
};

constexpr double kLeastFactor = 0.02, kMostFactor = 50, kMostSize = 1e15;

Field factor(const char* name, const char* meaning) {
  return {
      .name = name, .meaning = meaning, .default_text = "fitted to points", .min = kLeastFactor, .max = kMostFactor};
}

}  // namespace

void visit_collectives(FieldVisitor& v, std::vector<CollectiveKeys>& keys) {
  const Field list = {.name = "collectives",
                      .meaning = "how long collectives took on such a cluster; the model of them is corrected with it",
                      .default_text = "none: the model as it is"};
  v.list(list, [&](FieldVisitor& in) {
    CollectiveKeys& key = keys.emplace_back();
    key.pointer = in.pointer();
    in.choice({.name = "op", .meaning = "which", .required = true}, kOperationWords, key.op);
    in.key({.name = "nodes", .meaning = "nodes that took part", .default_text = "1", .min = 1, .max = 1e6}, key.nodes);
    in.key({.name = "ranks", .meaning = "GPUs that took part, of all nodes", .required = true, .min = 2, .max = 1e8},
           key.ranks);
    in.list({.name = "points", .meaning = "sizes and times, two or more; or factors"}, [&](FieldVisitor& point) {
      CollectiveKeys::Point& p = key.points.emplace_back();
      point.key(
          {.name = "size", .meaning = "buffer as nccl-tests counts it", .required = true, .min = 1, .max = kMostSize},
          p.size);
      point.key({.name = "time", .meaning = "of one", .required = true, .min = 1e-9, .max = 1e5}, p.time);
    });
    in.key(factor("small", "latency of small buffers over the model's"), key.small);
    in.key(factor("fill", "time to fill the pipeline over the model's"), key.fill);
    in.key(factor("knee", "buffer at which half of the fill is felt over the model's"), key.knee);
    in.key(factor("rate", "rate of the links that bind over the model's"), key.rate);
    in.key({.name = "limit",
            .meaning = "the links that bind: nvlink, pcie, socket, memory, nic or network",
            .default_text = "those of the model"},
           key.limit);
    in.key({.name = "from",
            .meaning = "smallest size measured",
            .default_text = "that of points",
            .min = 1,
            .max = kMostSize},
           key.from);
    in.key({.name = "to",
            .meaning = "largest size measured",
            .default_text = "that of points",
            .min = 1,
            .max = kMostSize},
           key.to);
    for (const char* more : {"sources", "estimated", "facts"}) in.skip(more);
  });
}

}  // namespace clustersim
