// The closed lists of words of a scenario, each with what it means.
#pragma once

#include <cstdint>
#include <string>

#include "clustersim/fields.h"
#include "clustersim/scenario.h"

namespace clustersim {

inline constexpr Choice<Raid> kRaidWords[] = {
    {"none", Raid::none, "each device on its own"},
    {"raid0", Raid::raid0, "striped"},
    {"raid1", Raid::raid1, "mirrored"},
    {"raid5", Raid::raid5, "striped, one device's worth of parity"},
    {"raid6", Raid::raid6, "striped, two devices' worth of parity"},
    {"raid10", Raid::raid10, "striped over mirrors"},
};

// What becomes of a trace's collectives.
enum class TraceCollectives : std::uint8_t { automatic, recorded, planned };
inline constexpr Choice<TraceCollectives> kTraceCollectivesWords[] = {
    {"auto", TraceCollectives::automatic, "recorded on as many GPUs of the same kind in one node, else planned"},
    {"recorded", TraceCollectives::recorded, "they take the time that they took"},
    {"planned", TraceCollectives::planned, "worked out for the links of this cluster"},
};

inline constexpr Choice<CoolingKind> kCoolingWords[] = {
    {"air", CoolingKind::air, "fans and heat sinks"},
    {"liquid", CoolingKind::liquid, "cold plates"},
};

inline constexpr Choice<Arrangement> kArrangementWords[] = {
    {"series", Arrangement::series, "the air of one card reaches the next"},
    {"parallel", Arrangement::parallel, "each card has fresh air"},
};

// Shapes of GpuFabricSpec::shape, which is a word itself.
enum class GpuFabricShape : std::uint8_t { switched, mesh, pairs, cube_mesh, ring };
inline constexpr Choice<GpuFabricShape> kGpuFabricWords[] = {
    {"switch", GpuFabricShape::switched, "all GPUs on switches, any pair at full rate"},
    {"mesh", GpuFabricShape::mesh, "every pair has its own links"},
    {"pairs", GpuFabricShape::pairs, "bridges between two GPUs, PCIe beyond"},
    {"cube-mesh", GpuFabricShape::cube_mesh, "hybrid cube mesh of eight"},
    {"ring", GpuFabricShape::ring, "each GPU linked to two neighbours"},
};

inline constexpr Choice<FabricShape> kFabricWords[] = {
    {"single-switch", FabricShape::single_switch, "every port on one switch"},
    {"fat-tree", FabricShape::fat_tree, "leaf and spine switches"},
    {"rail-optimized", FabricShape::rail_optimized, "NICs of one number share a leaf"},
};

inline constexpr Choice<Transport> kTransportWords[] = {
    {"rdma", Transport::rdma, "InfiniBand or RoCE"},
    {"efa", Transport::efa, "Amazon's elastic fabric adapter"},
    {"tcp", Transport::tcp, "kernel sockets"},
};

inline constexpr Choice<bool> kStragglerUnitWords[] = {
    {"nodes", false, "all GPUs of a node alike"},
    {"gpus", true, "each GPU by itself"},
};

inline constexpr Choice<bool> kStragglerSpreadWords[] = {
    {"equal", false, "each slow one by the whole slowdown"},
    {"uniform", true, "evenly spread from none to the whole slowdown"},
};

inline constexpr Choice<Precision> kPrecisionWords[] = {
    {"fp32", Precision::fp32, "FP32 on the ordinary cores"},
    {"tf32", Precision::tf32, "FP32 data, TF32 matrix units"},
    {"amp", Precision::amp, "automatic mixed precision, FP16 matrix units, FP32 master weights"},
    {"bf16", Precision::bf16, "mixed precision with BF16"},
    {"fp8", Precision::fp8, "FP8 matrix units where they apply"},
};

inline constexpr Choice<Stack> kStackWords[] = {
    {"pytorch-ddp", Stack::pytorch_ddp, "PyTorch with DistributedDataParallel"},
    {"pytorch-horovod", Stack::pytorch_horovod, "PyTorch with Horovod"},
    {"tensorflow-horovod", Stack::tensorflow_horovod, "TensorFlow with XLA and Horovod"},
    {"mxnet-horovod", Stack::mxnet_horovod, "MXNet with Horovod"},
    {"mlperf", Stack::mlperf, "a tuned submission to MLPerf"},
    {"native", Stack::native, "the kernels without a framework's cost"},
};

inline constexpr Choice<Fusion> kFusionWords[] = {
    {"eager", Fusion::eager, "one kernel an operator, channels last"},
    {"nchw", Fusion::nchw, "the same in PyTorch until about 1.9: channels first, GELU in operators"},
    {"fused", Fusion::fused, "normalisation, addition and ReLU (or attention) in one kernel"},
    {"jit", Fusion::jit, "element-wise chains compiled together"},
};

inline constexpr Choice<Attention> kAttentionWords[] = {
    {"flash-1", Attention::flash_1, "FlashAttention of 2022, or in Triton"},
    {"flash-2", Attention::flash_2, "FlashAttention-2, which PyTorch runs by itself"},
    {"flash-3", Attention::flash_3,
     "FlashAttention-3 or cuDNN 9, written for Hopper; on B200 and B300 their successors"},
};

inline constexpr Choice<GradientPrecision> kGradientWords[] = {
    {"fp32", GradientPrecision::fp32, "gradients travel as FP32"},
    {"fp16", GradientPrecision::fp16, "gradients travel as FP16"},
};

inline constexpr Choice<Head> kHeadWords[] = {
    {"pretraining", Head::pretraining, "masked words and next sentence"},
    {"span", Head::span, "start and end of an answer, as fine-tuning on SQuAD has it"},
};

inline constexpr Choice<Reduction> kReductionWords[] = {
    {"all_reduce", Reduction::all_reduce, "one all-reduce"},
    {"rs_ar_ag", Reduction::rs_ar_ag, "reduce-scatter in the node, all-reduce between nodes, all-gather in the node"},
};

inline constexpr Choice<Sharding> kShardingWords[] = {
    {"none", Sharding::none, "every GPU holds everything"},
    {"optimizer", Sharding::optimizer,
     "each GPU updates its share of the weights (ZeRO-1): reduce-scatter of gradients, all-gather of weights"},
    {"full", Sharding::full,
     "each GPU holds its share of weights, gradients and states (ZeRO-3, FSDP): a layer is gathered before it is used"},
    {"hybrid", Sharding::hybrid, "full inside each node, an all-reduce between nodes (HSDP)"},
};

inline constexpr Choice<CollectiveAlgorithm> kAlgorithmWords[] = {
    {"auto", CollectiveAlgorithm::automatic, "the fastest for each size"},
    {"ring", CollectiveAlgorithm::ring, "rings through all GPUs"},
    {"tree", CollectiveAlgorithm::tree, "double binary trees between nodes"},
    {"hierarchical", CollectiveAlgorithm::hierarchical, "inside the nodes, between them, inside again"},
    {"naive_tree", CollectiveAlgorithm::naive_tree, "reduce to one GPU and broadcast, without pipelining"},
    {"nvls", CollectiveAlgorithm::nvls, "the node's switch adds up"},
    {"in_network", CollectiveAlgorithm::in_network, "the network's switches add up"},
};

inline constexpr Choice<Optimizer> kOptimizerWords[] = {
    {"sgd", Optimizer::sgd, "stochastic gradient descent with momentum"},
    {"lars", Optimizer::lars, "layer-wise adaptive rates, for large batches of images"},
    {"adam", Optimizer::adam, "Adam"},
    {"lamb", Optimizer::lamb, "layer-wise adaptive Adam, for large batches of text"},
};

inline constexpr Choice<LrRule> kLrRuleWords[] = {
    {"linear", LrRule::linear, "learning rate grows with the batch"},
    {"sqrt", LrRule::sqrt, "learning rate grows with the square root of the batch"},
    {"reference", LrRule::reference, "the rate of the reference points"},
};

inline constexpr Choice<DataSource> kDataSourceWords[] = {
    {"node", DataSource::node, "the node's own storage"},
    {"shared", DataSource::shared, "the cluster's storage"},
    {"page-cache", DataSource::page_cache, "memory, already warm"},
    {"synthetic", DataSource::synthetic, "nothing is read"},
};

inline constexpr Choice<Container> kContainerWords[] = {
    {"raw", Container::raw, "one file a sample"},
    {"record", Container::record, "many samples in one file"},
};

inline constexpr Choice<Loader> kLoaderWords[] = {
    {"pytorch", Loader::pytorch, "DataLoader workers decode on the CPU"},
    {"dali-cpu", Loader::dali_cpu, "DALI on the CPU"},
    {"dali-gpu", Loader::dali_gpu, "DALI with decoding on the GPU"},
    {"tf-data", Loader::tf_data, "tf.data"},
};

enum class Quality : std::uint8_t { mlperf };
inline constexpr Choice<Quality> kQualityWords[] = {
    {"mlperf", Quality::mlperf, "the quality of MLPerf's reference points"},
};

inline constexpr Choice<CloudPricing> kPricingWords[] = {
    {"on-demand", CloudPricing::on_demand, "by the hour"},
    {"reserved-1y", CloudPricing::reserved_1y, "committed for a year"},
    {"reserved-3y", CloudPricing::reserved_3y, "committed for three years"},
    {"spot", CloudPricing::spot, "spare capacity that may be taken back"},
};

template <class E, std::size_t N>
std::string word_of(const Choice<E> (&table)[N], E value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  return "";
}

}  // namespace clustersim
