#include "sim/read/cloud_twin.h"

#include <algorithm>
#include <cmath>

#include "sim/read/job_memory.h"
#include "sim/read/resolve_cluster.h"
#include "sim/read/resolve_job.h"
#include "sim/read/resolve_node.h"
#include "sim/read/resolve_trace.h"
#include "sim/read/resolve_transformer.h"

namespace clustersim {

namespace {

const char* kPointer = "/cost/cloud/instance";

double global_batch(const Job& job, int gpus) { return job.samples_per_step_and_gpu() * gpus; }

// Samples of one optimiser step on one GPU, spread over as few passes as fit in memory.
void set_step(Job& job, int samples, const Cluster& cluster) {
  const auto split = [&](int passes) {
    job.accumulation = passes;
    job.batch_per_gpu = job.stack == Stack::mlperf ? samples : (samples + passes - 1) / passes;
  };
  if (job.model == ModelKind::emulated || job.model == ModelKind::trace) return;
  int passes = std::min(job.accumulation, samples);
  split(passes);
  while (passes < samples && memory_fit(job, cluster) == MemoryFit::exceeds)
    split(passes = std::min(samples, passes * 2));
}

// Recorded times hold for the cluster that the step was recorded on.
void plan_collectives(ReadContext& context, const Cluster& cluster, Job& job) {
  if (can_plan_collectives(*job.trace)) {
    job.recorded_collectives = false;
    context.assume(kPointer, "collectives planned", "on the instance's links, not as recorded");
  } else if (cluster.gpus() != job.trace->ranks) {
    context.fault(kPointer, "an instance of as many GPUs as recorded, " + std::to_string(job.trace->ranks),
                  std::to_string(cluster.gpus()), "the trace does not tell the bytes of its collectives");
  }
}

void use_what_there_is(ReadContext& context, const JobKeys& keys, const Cluster& cluster, Job& job) {
  const GpuSpec& gpu = cluster.groups.front().node.gpu;
  if (!can_train_in(gpu, job.precision)) {
    job.precision = gpu.has_tensor_cores() ? Precision::amp : Precision::fp32;
    context.remark(kPointer, word_of(kPrecisionWords, job.precision),
                   "precision of the rented \"" + gpu.id + "\", which lacks that of the job");
  }
  if (job.data.from == DataSource::shared) {
    job.data.from = DataSource::node;
    context.assume(kPointer, "data from node", "the cluster's shared storage is not rented: copied to each instance");
  }
  const bool nvls =
      job.algorithm == CollectiveAlgorithm::nvls && !cluster.groups.front().node.gpu_fabric.in_network_reduction;
  if (nvls || job.algorithm == CollectiveAlgorithm::in_network) {
    job.algorithm = CollectiveAlgorithm::automatic;
    context.assume(kPointer, "collective_algorithm auto", "the instance has no switches that add up");
  }
  if (job.recorded_collectives) plan_collectives(context, cluster, job);
  if (!keys.workers_per_gpu) job.data.workers_per_gpu = usual_workers(cluster);
}

}  // namespace

int add_cloud_twin(ReadContext& context, const JobKeys& keys, const CloudSpec& cloud, Scenario& scenario) {
  const int wanted = scenario.cluster.gpus();
  // What is missing has been told already.
  if (wanted < 1 || scenario.job.batch_per_gpu < 1 || cloud.gpu_count < 1) return 0;
  const int instances = (wanted + cloud.gpu_count - 1) / cloud.gpu_count;

  NodeKeys node;
  node.pointer = kPointer;
  node.cloud = cloud;
  Cluster cluster;
  cluster.groups.push_back({instances, resolve_node(context, node, instances == 1)});
  const NodeSpec& rented = cluster.groups.front().node;
  if (rented.gpu.id.empty()) return instances;
  if (instances > 1 && !rented.nic)
    context.fault(kPointer, "an instance with a network card: " + std::to_string(instances) + " are needed",
                  "\"" + cloud.id + "\"");
  cluster.fabric = resolve_fabric(context, kPointer, FabricKeys{}, cluster, cloud.transport);
  cluster.region = scenario.cluster.region;
  cluster.grid = scenario.cluster.grid;

  Job job = scenario.job;
  use_what_there_is(context, keys, cluster, job);
  if (cluster.gpus() % job.gpus_per_model() != 0 || cloud.gpu_count % job.tensor_parallel != 0)
    context.fault(kPointer,
                  "an instance whose GPUs tensor_parallel " + std::to_string(job.tensor_parallel) +
                      " divides, so many that the " + std::to_string(job.gpus_per_model()) + " GPUs of a model do",
                  "\"" + cloud.id + "\" with " + std::to_string(cloud.gpu_count));
  job.shards = shards_of(job, cluster);
  double global = 0;
  for (const NodeGroup& group : scenario.cluster.groups)
    global += global_batch(job.on(group), group.count * group.node.gpus);
  set_step(job, static_cast<int>(std::ceil(global * job.gpus_per_model() / cluster.gpus() - 1e-9)), cluster);
  const double now = global_batch(job, cluster.gpus());
  if (now != global)
    context.assume(kPointer, "global batch " + number_text(now),
                   "nearest above " + number_text(global) + " on " + std::to_string(cluster.gpus()) + " GPUs");
  if (memory_fit(job, cluster) == MemoryFit::exceeds)
    context.fault(kPointer, "an instance whose GPUs hold the job", "\"" + cloud.id + "\" with " + rented.gpu.id,
                  "choose one with more memory");
  else
    check_memory(context, kPointer, job, cluster);
  scenario.cloud_cluster = std::move(cluster);
  scenario.cloud_job = std::move(job);
  return instances;
}

}  // namespace clustersim
