// What a scenario file says, before any default: every key optional, catalog ids already replaced by their entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/fields.h"
#include "clustersim/scenario.h"
#include "sim/read/node_topology.h"
#include "sim/read/scenario_words.h"

namespace clustersim {

struct Lookup;

struct ArrayKeys {
  std::string pointer;
  std::optional<StorageSpec> tier;
  std::optional<int> count;
  std::optional<Raid> raid;
  std::optional<Bytes> capacity;
};

struct CoolingKeys {
  std::optional<CoolingKind> kind;
  std::optional<Temperature> inlet, room;
  std::optional<Airflow> airflow;
  std::optional<Arrangement> arrangement;
  std::optional<Power> host_heat;
};

struct GpuFabricKeys {
  bool pcie = false;
  std::optional<LinkSpec> link;
  std::optional<GpuFabricShape> shape;
};

struct NodeKeys {
  std::string pointer;
  bool names_server = false, names_gpu = false;  // even if what it names is at fault
  std::optional<ServerSpec> server;              // at most one of server and cloud
  std::optional<CloudSpec> cloud;
  std::optional<GpuSpec> gpu;
  std::optional<int> gpus;
  std::optional<GpuFabricKeys> gpu_fabric;
  std::optional<CpuSpec> cpu;
  std::optional<int> sockets;
  std::optional<Bytes> memory;
  std::optional<NicSpec> nic;
  std::optional<int> nics;
  std::optional<bool> gpudirect, acs, p2p;
  std::optional<ArrayKeys> storage;
  CoolingKeys cooling;
  std::optional<Power> gpu_power_limit;
  std::optional<Frequency> gpu_clock_limit;
  std::optional<NodeTopology> topology;
  bool names_topology = false;  // even if it is at fault
};

struct GroupKeys {
  std::string pointer;
  std::optional<int> nodes;
  std::optional<NodeKeys> node;
  std::optional<int> batch_per_gpu;
  std::optional<Time> emulated_step;
};

struct FabricKeys {
  std::optional<FabricShape> shape;
  std::optional<Bandwidth> link;
  std::optional<Transport> transport;
  std::optional<double> oversubscription;
  std::optional<bool> in_network_reduction, adaptive_routing;
  std::optional<SwitchSpec> switch_spec;
};

struct SharedStorageKeys {
  std::string pointer;
  std::optional<StorageSpec> tier;
  std::optional<int> servers;
  std::optional<NicSpec> nic;
  std::optional<ArrayKeys> cache;
};

// One measured sweep of a collective: factors, or the points that they are fitted to.
struct CollectiveKeys {
  std::string pointer;
  std::optional<CollectiveOp> op;
  std::optional<int> nodes, ranks;
  struct Point {
    std::optional<Bytes> size;
    std::optional<Time> time;
  };
  std::vector<Point> points;
  std::optional<double> small, fill, knee, rate;
  std::optional<std::string> limit;
  std::optional<Bytes> from, to;
};

struct StragglerKeys {
  std::optional<double> share, slowdown;
  std::optional<bool> gpus, uniform;
};

struct ClusterKeys {
  bool present = false;
  std::optional<int> nodes;
  std::optional<NodeKeys> node;
  std::optional<std::vector<GroupKeys>> groups;
  FabricKeys fabric;
  std::optional<SharedStorageKeys> storage;
  std::vector<CollectiveKeys> collectives;
  std::optional<std::string> calibration;  // as JSON: a file's name, or its content
  std::optional<StragglerKeys> stragglers;
  std::optional<std::string> region;
};

struct ModelKeys {
  std::string id;  // "" for an object
  std::optional<std::string> trace;
  std::optional<Time> emulated_step;
  std::optional<int> batch;
  std::optional<Bytes> sample_bytes;
  std::optional<double> parameters;        // of a trace or an emulated step
  std::optional<std::string> recorded_on;  // of a trace: id of a GPU
  std::optional<TraceCollectives> collectives;
  // Over those of a decoder of the catalog.
  std::optional<int> layers, hidden, heads, kv_heads, feed_forward, vocabulary;
  bool names_shape() const { return layers || hidden || heads || kv_heads || feed_forward || vocabulary; }
};

struct TargetKeys {
  std::optional<double> epochs, samples, steps;
  std::optional<Quality> quality;
};

struct JobKeys {
  bool present = false;
  std::optional<ModelKeys> model;
  std::optional<Precision> precision;
  std::optional<Stack> stack;
  std::optional<int> batch_per_gpu, accumulation;
  std::optional<bool> no_sync;
  std::optional<int> sequence_length;
  std::optional<double> tokens_per_sequence, length_square_ratio;
  std::optional<bool> packing;
  std::optional<Head> head;
  std::optional<bool> activation_checkpointing;
  std::optional<Sharding> sharding;
  std::optional<int> tensor_parallel, pipeline_parallel, interleave;
  std::optional<Fusion> fusion;
  std::optional<Attention> attention;
  std::optional<GradientPrecision> gradient_precision;
  std::optional<Bytes> bucket;
  std::optional<bool> overlap;
  std::optional<Reduction> reduction;
  std::optional<bool> cuda_graph;
  std::optional<CollectiveAlgorithm> algorithm;
  std::optional<Optimizer> optimizer;
  std::optional<LrRule> lr_rule;
  std::optional<std::string> dataset;
  std::optional<DataSource> from;
  std::optional<Container> container;
  std::optional<Loader> loader;
  std::optional<int> workers_per_gpu;
  std::optional<Time> worker_time;
  std::optional<bool> first_epoch_cold;
  std::optional<double> evaluation_every, evaluation_samples;
  std::optional<Time> evaluation_fixed;
  std::optional<Time> checkpoint_every;
  std::optional<bool> checkpoint_asynchronous;
  std::optional<Bytes> checkpoint_size;
  std::optional<TargetKeys> target;
};

// Of one server, each of the parts that it is made of.
struct PartsKeys {
  std::optional<RangeOf<Money>> gpu, cpu, nic, storage, rest;  // storage: all drives of a server
  std::optional<RangeOf<BytePrice>> memory;
};

struct SelfHostedKeys {
  std::optional<RangeOf<Money>> server_price, network_price, racks;
  std::optional<RangeOf<EnergyPrice>> electricity;
  std::optional<double> pue, years, residual, utilization, support, spares;
  std::optional<RangeOf<PowerTimePrice>> colocation;
  std::optional<RangeOf<TimePrice>> staff;
  std::optional<PartsKeys> parts;
};

struct SpotKeys {
  std::optional<RangeOf<Frequency>> interruptions;
  std::optional<Time> restart;
};

struct StoredKeys {
  std::optional<Bytes> size;
  std::optional<RangeOf<ByteTimePrice>> price;
  std::optional<std::string> service;
};

struct SentKeys {
  std::optional<Bytes> size;
  std::optional<RangeOf<BytePrice>> price;
  std::optional<std::string> service;
};

struct CloudCostKeys {
  std::optional<CloudSpec> instance;
  std::optional<CloudPricing> pricing;
  std::optional<double> utilization;
  std::optional<SpotKeys> spot;
  std::optional<StoredKeys> storage;
  std::optional<SentKeys> egress;
};

struct CostKeys {
  std::optional<std::string> currency, date, prices_region;
  std::optional<std::string> prices;  // the name of a file, or its content: JSON text
  std::optional<SelfHostedKeys> self_hosted;
  std::optional<CloudCostKeys> cloud;
};

struct ScenarioKeys {
  std::optional<int> version;
  std::optional<std::string> name;
  std::optional<int> seed;
  ClusterKeys cluster;
  JobKeys job;
  std::optional<CostKeys> cost;
};

// The field lists: scenario_fields.cc, cluster_fields.cc and job_fields.cc.
void visit_scenario(FieldVisitor& v, ScenarioKeys& keys, const Lookup& lookup);
void visit_self_hosted(FieldVisitor& v, SelfHostedKeys& keys);
void visit_cluster(FieldVisitor& v, ClusterKeys& keys, const Lookup& lookup);
void visit_collectives(FieldVisitor& v, std::vector<CollectiveKeys>& keys);  // collective_fields.cc
void visit_job(FieldVisitor& v, JobKeys& keys, const Lookup& lookup);

}  // namespace clustersim
