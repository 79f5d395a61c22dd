// A scenario, resolved: every default filled in, every id replaced by what the catalog knows. Constant for the run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clustersim/collective_op.h"
#include "clustersim/hardware.h"
#include "clustersim/range.h"
#include "clustersim/report.h"
#include "clustersim/step_trace.h"
#include "clustersim/units.h"

namespace clustersim {

// ---- cluster

enum class Raid : std::uint8_t { none, raid0, raid1, raid5, raid6, raid10 };

struct StorageArray {
  StorageSpec tier;
  int count = 0;  // devices, or servers for a shared tier
  Raid raid = Raid::none;
  double sequential_efficiency = 1.0;  // of the RAID level
  std::optional<Bytes> capacity;       // of the whole array
  bool operator==(const StorageArray&) const = default;
};

enum class CoolingKind : std::uint8_t { air, liquid };
enum class Arrangement : std::uint8_t { series, parallel };

struct Cooling {
  CoolingKind kind = CoolingKind::air;
  Temperature inlet = Temperature::celsius(25);  // air reaching the first card, or coolant
  Airflow airflow;  // through the GPUs of one node; 0 = enough that preheating is negligible
  Arrangement arrangement = Arrangement::parallel;
  Power host_heat;  // released into the air before it reaches the GPUs
  bool operator==(const Cooling&) const = default;
};

struct NodeSpec {
  std::string server_id;  // catalog server or cloud instance, "" if none
  GpuSpec gpu;
  int gpus = 1;
  GpuFabricSpec gpu_fabric;
  CpuSpec cpu;
  int sockets = 1;
  double cores = 0;      // physical cores usable by the job on this node (all sockets)
  LinkSpec socket_link;  // id empty with one socket
  LinkSpec pcie;         // the GPUs' slot
  Bytes memory;
  std::optional<NicSpec> nic;  // compute NICs; none: the node stands alone
  int nics = 0;
  std::optional<Bandwidth> single_flow_cap;  // cloud: one TCP flow
  bool gpudirect = true, acs = false, p2p = true;
  StorageArray storage;
  Cooling cooling;
  std::optional<Power> gpu_power_limit;
  std::optional<Frequency> gpu_clock_limit;
  std::vector<PcieVertex> pcie_tree;  // of the server; empty: a default tree is built
  std::optional<Money> server_price;  // whole server, with GPUs
  std::optional<RangeOf<Money>> server_price_range;
  std::string server_price_date;
  std::string server_price_origin;  // whose price it is: a server's id, and what was exchanged
  std::optional<Power> server_max_power;
  std::optional<Power> supply_power;  // of all power supplies of the server
  bool operator==(const NodeSpec&) const = default;
};

struct NodeGroup {
  int count = 1;
  NodeSpec node;
  std::optional<int> batch_per_gpu = std::nullopt;   // another than the job's
  std::optional<Time> emulated_step = std::nullopt;  // another than the job's
};

enum class FabricShape : std::uint8_t { single_switch, fat_tree, rail_optimized };
enum class Transport : std::uint8_t { rdma, efa, tcp };

struct FabricSpec {
  FabricShape shape = FabricShape::single_switch;
  Bandwidth link;  // one NIC port, line rate
  Transport transport = Transport::rdma;
  double oversubscription = 1.0;
  bool in_network_reduction = false;
  bool adaptive_routing = true;
  SwitchSpec switch_spec;  // id empty: unknown
};

// What measured collectives say against the model of them, as factors (1: the model is right):
//   T(S) = small x small_m + fill x fill_m S/(S + knee x knee_m) + S x (seconds a byte of the binding link) / rate
// fitted where the cluster was read (sim/collective_correction), or given.
struct CollectiveCorrection {
  CollectiveOp op = CollectiveOp::all_reduce;
  bool between_nodes = false;
  double small = 1, fill = 1, knee = 1, rate = 1;
  std::string limit;  // the links that `rate` is of: nvlink, pcie, socket, memory, nic, network
  Bytes from, to;     // sizes that were measured; beyond them the factors are an extrapolation
};

struct SharedStorage {
  StorageArray servers;               // tier, count of servers
  NicSpec nic;                        // of a server
  std::optional<StorageArray> cache;  // on each node
};

// Some units compute slower than their specification says (models/workload/stragglers.h).
struct Stragglers {
  double share = 0;      // of the units, 0..1
  double slowdown = 0;   // kernels of a slow one take 1 + slowdown times as long
  bool gpus = false;     // a unit is a GPU, else a node
  bool uniform = false;  // slowdowns spread evenly from 0 to `slowdown`, else all equal
  std::uint64_t seed = 1;
};

struct Cluster {
  std::vector<NodeGroup> groups;
  FabricSpec fabric;
  std::optional<SharedStorage> storage;
  std::vector<CollectiveCorrection> corrections;  // at most one for an operation inside and one between nodes
  std::optional<Stragglers> stragglers;
  std::string region = "USA";
  CarbonIntensity grid;
  int nodes() const {
    int n = 0;
    for (const auto& g : groups) n += g.count;
    return n;
  }
  int gpus() const {
    int n = 0;
    for (const auto& g : groups) n += g.count * g.node.gpus;
    return n;
  }
};

// ---- job

enum class ModelKind : std::uint8_t { resnet, vgg, bert, decoder, vit, emulated, trace };
enum class Precision : std::uint8_t { fp32, tf32, amp, bf16, fp8 };
enum class Stack : std::uint8_t { pytorch_ddp, pytorch_horovod, tensorflow_horovod, mxnet_horovod, mlperf, native };
enum class Fusion : std::uint8_t { eager, nchw, fused, jit };
// Kernels of attention that keep the scores on the chip.
enum class Attention : std::uint8_t { flash_1, flash_2, flash_3 };
enum class GradientPrecision : std::uint8_t { fp32, fp16 };
enum class Head : std::uint8_t { pretraining, span };
enum class Reduction : std::uint8_t { all_reduce, rs_ar_ag };
enum class Sharding : std::uint8_t { none, optimizer, full, hybrid };
enum class Optimizer : std::uint8_t { sgd, lars, adam, lamb };
enum class LrRule : std::uint8_t { linear, sqrt, reference };
enum class DataSource : std::uint8_t { node, shared, page_cache, synthetic };
enum class Container : std::uint8_t { raw, record };
enum class Loader : std::uint8_t { pytorch, dali_cpu, dali_gpu, tf_data };
enum class CollectiveAlgorithm : std::uint8_t { automatic, ring, tree, hierarchical, naive_tree, nvls, in_network };

struct Dataset {
  std::string id;                 // imagenet-1k, wikipediaplusbookcorpus, ...
  double samples = 0;             // in one epoch
  Bytes raw_bytes, record_bytes;  // mean stored size of one sample in each container
  bool images = false;            // needs JPEG decode
  Bytes tensor_bytes;             // what is copied to the GPU per sample
};

struct DataSpec {
  Dataset dataset;
  DataSource from = DataSource::node;
  Container container = Container::record;
  Loader loader = Loader::pytorch;
  int workers_per_gpu = 8;
  std::optional<Time> worker_time;  // a sample's decoding and transforms in one worker; empty: by data set and loader
  bool first_epoch_cold = true;
};

struct Evaluation {
  double every_samples = 0;  // 0: never
  double samples = 0;        // in one evaluation
  Time fixed;                // beside the forward passes
};

struct Checkpoint {
  Time every;  // 0: never
  bool asynchronous = true;
  std::optional<Bytes> size;  // of what is saved; empty: by model, optimiser and precision
};

struct Target {
  enum class Kind : std::uint8_t { epochs, samples, steps, quality } kind = Kind::epochs;
  double value = 1;  // unused for quality
};

// A decoder of text, or with a patch an encoder of images (ViT).
struct TransformerShape {
  int layers = 0, hidden = 0, heads = 0, kv_heads = 0, feed_forward = 0;
  int vocabulary = 0;     // outputs: tokens, or classes of images
  int positions = 0;      // learned position embeddings; 0: rotary ones
  bool gated = false;     // SwiGLU, which has a third product; else GELU
  bool rms_norm = false;  // else LayerNorm with a bias
  bool biases = true;     // of the products
  bool tied = true;       // the output product has the embedding's weights
  int patch = 0;          // pixels along the side of a patch; 0: text
  bool operator==(const TransformerShape&) const = default;
};

struct Job {
  std::string model_id;  // resnet-50, ..., or "emulated", "trace"
  ModelKind model = ModelKind::resnet;
  Time emulated_step;  // ModelKind::emulated: compute time of one batch on one GPU
  Bytes emulated_sample_bytes;
  double emulated_parameters = 0;          // whose gradients are exchanged; 0: none are
  std::shared_ptr<const StepTrace> trace;  // ModelKind::trace: the recorded step, constant once read
  std::optional<GpuSpec> trace_gpu;        // what it was recorded on; empty: taken as the GPU of the cluster
  bool recorded_collectives = false;       // collectives keep their recorded times
  Precision precision = Precision::amp;
  Stack stack = Stack::pytorch_ddp;
  int batch_per_gpu = 0;  // samples in one micro-batch; stack mlperf: in one optimiser step
  int accumulation = 1;   // micro-batches in one optimiser step
  bool no_sync = true;    // reduce only after the last micro-batch
  int sequence_length = 128;
  double tokens_per_sequence = 128;  // mean
  double length_square_ratio = 1.0;  // E[S^2]/E[S]^2
  bool packing = false;
  Head head = Head::pretraining;          // of BERT
  TransformerShape shape;                 // of ModelKind::decoder and vit
  bool activation_checkpointing = false;  // a layer's forward pass is done again before its backward pass
  Sharding sharding = Sharding::none;
  int shards = 1;             // ranks that what is sharded is divided among
  int tensor_parallel = 1;    // GPUs of a node that share every layer
  int pipeline_parallel = 1;  // stages of layers, each on GPUs of its own
  int interleave = 1;         // parts of a stage that take turns
  Fusion fusion = Fusion::eager;
  Attention attention = Attention::flash_2;  // of ModelKind::decoder and vit, where fusion keeps scores out of memory
  GradientPrecision gradient_precision = GradientPrecision::fp32;
  Bytes bucket;        // DDP bucket or Horovod fusion buffer; 0: one bucket for all
  Time horovod_cycle;  // 0: no Horovod
  bool overlap = true;
  Reduction reduction = Reduction::all_reduce;
  bool cuda_graph = false;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  Optimizer optimizer = Optimizer::sgd;
  bool fused_optimizer = false;
  LrRule lr_rule = LrRule::reference;
  DataSpec data;
  Evaluation evaluation;
  Checkpoint checkpoint;
  Target target;

  // The job as the GPUs of a group run it.
  Job on(const NodeGroup& group) const {
    Job own = *this;
    own.batch_per_gpu = group.batch_per_gpu.value_or(batch_per_gpu);
    own.emulated_step = group.emulated_step.value_or(emulated_step);
    return own;
  }
  int gpus_per_model() const { return tensor_parallel * pipeline_parallel; }
  // Samples that one GPU contributes to one optimiser step; its part of those of the GPUs that share a model.
  double samples_per_step_and_gpu() const {
    const double of_a_model =
        stack == Stack::mlperf ? batch_per_gpu : static_cast<double>(batch_per_gpu) * accumulation;
    return of_a_model / gpus_per_model();
  }
  // Samples in one forward/backward pass of a model.
  double micro_batch() const {
    return stack == Stack::mlperf ? static_cast<double>(batch_per_gpu) / accumulation : batch_per_gpu;
  }
};

// ---- cost

enum class CloudPricing : std::uint8_t { on_demand, reserved_1y, reserved_3y, spot };

// Prices that are known as ranges stand twice: the likely one, and its ends where it is a range.
struct SelfHosted {
  std::optional<Money> server_price;  // one server, whole; empty: unpriced
  std::string server_price_origin;    // "scenario" or the catalog's rule and date
  Money network_price;                // switches, NICs, cables of the whole cluster
  Money racks;                        // racks, power distribution, installation; nothing is left of it at the end
  EnergyPrice electricity;
  double pue = 1.4;
  double years = 3;
  double residual = 0.3;                     // share of the price left after `years`
  double utilization = 0.6;                  // share of the hours the cluster works
  std::optional<PowerTimePrice> colocation;  // per W and s of installed power
  double support = 0;                        // share of the server price a year
  double spares = 0;                         // spare parts bought with the servers, as a share of their price
  std::optional<TimePrice> staff;
  std::optional<RangeOf<Money>> server_price_range, network_price_range, racks_range;
  std::optional<RangeOf<EnergyPrice>> electricity_range;
  std::optional<RangeOf<PowerTimePrice>> colocation_range;
  std::optional<RangeOf<TimePrice>> staff_range;
  std::vector<std::string> unpriced;  // parts of the network without a price: the sum is then unknown
};

// Instances that may be taken back, and what that costs (models/outcome/spot.h).
struct SpotMarket {
  std::optional<Frequency> interruptions;  // of one instance; empty: not known
  std::optional<RangeOf<Frequency>> interruptions_range;
  Time restart;  // from an interruption to the first new step: other instances, start, checkpoint read back
};

struct CloudCost {
  std::string instance_id;
  CloudPricing pricing = CloudPricing::on_demand;
  std::optional<TimePrice> price;  // of one instance, in USD
  std::optional<RangeOf<TimePrice>> price_range;
  std::string price_date;
  int instances = 0;
  double utilization = 1;          // reserved: share of the hours paid for that work
  std::optional<SpotMarket> spot;  // of spot prices
  std::optional<ByteTimePrice> storage_price;
  std::optional<RangeOf<ByteTimePrice>> storage_price_range;
  Bytes stored;  // for as long as the run takes; 0: nothing is stored
  std::optional<BytePrice> egress_price;
  std::optional<RangeOf<BytePrice>> egress_price_range;
  Bytes sent;  // out of the cloud, once a run; 0: nothing
};

// Where a price is from: the words of --explain-cost.
struct PriceOrigin {
  std::string line;    // of the breakdown: "servers", "instances", ...
  std::string price;   // "95000 USD"
  std::string date;    // "" where none is known
  std::string source;  // "scenario", "catalog, server/xe8545: ...", "default", the source of a price list
};

struct CostSpec {
  std::string currency = "USD";
  double currency_per_usd = 1.0;
  std::string date;
  std::optional<SelfHosted> self_hosted;
  std::optional<CloudCost> cloud;
  std::vector<PriceOrigin> origins;
  std::vector<std::string> warnings;  // old, undated and disputed prices, rates of another time, ...
};

// ---- all of it

struct Scenario {
  std::string name;
  std::string file;
  Cluster cluster;
  Job job;
  std::optional<CostSpec> cost;
  // cost.cloud names an instance that this cluster is not: the same job on it, to be run for its own time.
  std::optional<Cluster> cloud_cluster;
  std::optional<Job> cloud_job;
  std::uint64_t seed = 1;
  std::vector<Assumption> assumptions;
};

}  // namespace clustersim
