// The constants of the compute model, each with its origin. Everything else follows from a data sheet or a shape.
//
// [published: micro.csv] is scenarios/measurements/micro.csv. "fitted" names the rows of training_suite.csv that moved
// the number. The whole suite was in view while these were chosen, so no row of it is
// held out: errors on the suite describe the fit. What was not fitted on: the law of sustained clocks has its two
// points on V100 and A100, and H100, H200, A30, L40S and A100 PCIe follow from it. Rows that are not scored (suite
// `throughput`, mostly lambdal/deeplearning-benchmark on GPUs from RTX 2080 Ti to H100): of these the transposes of
// A100 PCIe gave a constant, and that Turing was 15 % too fast on all of them sent its two shares here to micro.csv.
#pragma once

namespace clustersim::compute {

// ---- What a large, well-shaped matrix product reaches, over the data-sheet peak

// Where the catalog carries none of an SXM board, by class. GeForce boards clock above their data-sheet boost. On a
// board that its power holds down the measured product is a bound, and what follows from power below stands.
constexpr double ceiling_hbm = 0.81;    // [published: micro.csv, A100 PCIe 0.81, H100 and H200 SXM 0.80, B200 0.78]
constexpr double ceiling_volta = 0.76;  // [published: micro.csv, V100 SXM 0.76; V100S 0.68]
constexpr double ceiling_pro = 0.80;    // [published: micro.csv, RTX A6000 0.79, A4000 0.83, PRO 6000 0.82, L40S 0.74]
constexpr double ceiling_geforce = 1.05;    // [published: micro.csv, RTX 3090 1.06, RTX 4090 1.02, RTX 5090 1.12]
constexpr double ceiling_low_power = 0.65;  // [published: micro.csv, T4 0.65, L4 0.54; 0.39 where it was hot]

// Share of that ceiling reached by the kernels of a network under sustained load: real shapes, real data, hot chip.
// A chip clocks down until its power per operation fits its limit, so the share falls with a power of the board's watts
// per peak rate of the format:  sustained = min(1, sustained_cool * ((W / TFLOP/s) / cool_w_per_tflop)^sustained_power)
// Both numbers are where the median error of the whole suite is least, over V100 (0.97), A100 (0.87) and H100 (0.78)
// under MLPerf, PyTorch, TensorFlow and MXNet; 0.05 more or less of either costs 0.2 to 0.7 points of it.
constexpr double sustained_cool = 0.97;    // [fitted: half-precision rows of all four stacks]
constexpr double cool_w_per_tflop = 2.4;   // [data sheet: V100, half precision]
constexpr double sustained_power = 0.177;  // [fitted: the same]
// CUDA-core fp32 product over peak.
constexpr double simt_hbm = 0.95;         // [published: micro.csv, A100 0.93-0.98, V100 0.90]
constexpr double simt_hopper = 0.77;      // [published: micro.csv, H100 SXM 0.78, H200 0.77, H100 PCIe 0.73]
constexpr double simt_dual_issue = 0.69;  // [published: micro.csv, RTX 3090 0.69, RTX 4090 0.66: fp32 shares a port]
constexpr double simt_dual_issue_pro = 0.61;  // [published: micro.csv, RTX A6000 and A4000 0.62, PRO 6000 0.61]
// Of the last two, what a board's power holds: below so many watts per TFLOP/s of the peak the share falls with this
// power of them.
constexpr double simt_cool_w_per_tflop = 4.7;  // [published: micro.csv, PRO 6000 4.8 W 0.61, L20 4.6 W 0.63]
constexpr double simt_held_power = 0.75;       // [published: micro.csv, L40S 3.8 W 0.51, L4 2.4 W 0.40]
// RTX 2080 Ti 13.0 of the 16.5 TFLOP/s that its clock allows, above its data sheet.
constexpr double simt_turing = 0.79;  // [published: micro.csv]
// Arithmetic saved by Winograd on fp32 3x3 convolutions of stride 1. None where integer work takes half of the fp32
// units: its transforms do the same [assumed].
constexpr double winograd_gain = 1.4;  // [fitted: T0008, T0077, T0447, T0489]

// ---- DRAM: streaming triad over the data sheet, by kind of memory, times what framework kernels reach of a triad

constexpr double stream_hbm2 = 0.89;       // [published: micro.csv, V100 0.91, A100-40 0.875]
constexpr double stream_hbm2e = 0.87;      // [published: micro.csv, A100-80 0.863, H100 PCIe 0.898]
constexpr double stream_hbm3 = 0.89;       // [published: micro.csv, H100 SXM read 0.90]
constexpr double stream_hbm3e = 0.76;      // [published: micro.csv, H200 triad 0.74, B200 0.81]
constexpr double stream_gddr = 0.89;       // [published: micro.csv, RTX 3090 0.89-0.91, RTX 4090 0.89, L40 0.89]
constexpr double stream_low_power = 0.75;  // [published: micro.csv, T4 0.75, L4 0.78]
// Elementwise kernels reach the triad; those with sums in them (normalisation, softmax, transposes, products) less.
// On GDDR, where an SM has fewer bytes a cycle to wait for, both reach the triad; not on Turing, whose SMs hold half as
// many threads to wait with (1024) [data sheet].
constexpr double framework_stream = 0.85;  // [fitted: T0070, mlperf v2.0 dgxa100 resnet]

// Share of the L2 that a tensor may fill and still be there when the next sweep reads it.
// Read again and again, A100 keeps 28 of its 40 MB, H100 36 of 50; a network's sweeps write beside it. The undivided L2
// of L40 keeps all of its 96 MB at 6 times DRAM's speed: with that RTX 4090 and L4 come out nearer, L40 and L40S
// farther, so it is not taken. [published: micro.csv M1270 to M1275]
constexpr double l2_usable = 0.4;  // [assumed: 0.6 of what A100 keeps]
constexpr double l2_speed = 3;     // L2 over DRAM bandwidth [published: the same rows, A100 2.9, H100 3.5]

// ---- Fixed time of a kernel: launch gap, ramp and drain

constexpr double gap_stream_s = 2.7e-6;  // [published: micro.csv, A100 2.73, H200 2.52 us, back-to-back launches]
constexpr double gap_graph_s = 1.3e-6;   // [published: micro.csv, A100 1.34, H200 1.29 us, CUDA graph]
// Ramp and drain are latencies of the chip, hence cycles of its clock.
constexpr double ramp_cycles = 9000;  // [fitted: mlperf v2.0 dgxa100_n8, v3.1 eos_n8; 6.4 us at 1.41 GHz]

// ---- Tiles

// Loading the first operands of a 256 x 128 tile and storing its result; smaller tiles in proportion to their area.
// A latency: the faster the matrix units, the more it weighs. 2 us at 1.41 GHz.
constexpr double prologue_cycles = 2800;  // [assumed: 64 units of K on A100; as a time, with H100 BERT in view]

// ---- Memory passes (reads or writes of one tensor) beside the products and convolutions

// Around a convolution's output, forward and backward. `again`: of these, reads that follow the producer or repeat a
// sweep and are served by L2 where the tensor fits.
struct NormPasses {
  double norm, relu, add;                 // forward
  double norm_back, relu_back, add_back;  // backward
};
constexpr NormPasses passes_eager = {3, 2, 3,
                                     5, 3, 3};         // [assumed: one kernel an operator, counted from the operators]
constexpr NormPasses passes_xla = {3, 2, 1, 5, 3, 1};  // [assumed: XLA joins add and ReLU; normalisation is cuDNN's]
constexpr NormPasses passes_fused = {3, 0, 1, 5,
                                     0, 1};  // [assumed: counted; joined operators read and write nothing of their own]
// [assumed: counted, one sweep less each way, since the convolution's kernel sums up the statistics of what it writes;
// with mlperf v3.0 and v4.0 H100 in view]
constexpr NormPasses passes_hopper = {2, 0, 1, 4, 0, 1};
// NCHW tensors on NHWC kernels: read and write of input and output, per call.
// Such a kernel goes element by element through shared memory: reads and writes of elements by an SM in a cycle.
constexpr double transpose_elements_per_sm_cycle = 3;  // [fitted: A100 and H100, PCIe and SXM, NCHW in half precision]
constexpr double layout_change_passes = 2;             // [assumed: counted]
constexpr double pool_passes = 1.25, pool_back_passes = 2.5;  // of the pooled tensor [assumed: counted]

// Passes of an encoder layer outside its products, a kernel each: `hidden` in units of tokens x width, `scores` in
// units of heads x S^2. Feed-forward tensors count four hidden.
struct LayerPass {
  double hidden, scores;
};
// [assumed: counted from the operators; one kernel each. The copies of queries, keys and values: with T0463 to T0488 in
// view, which need them at both precisions and batch sizes]
constexpr LayerPass eager_forward[] = {{2, 0}, {2, 0}, {2, 0}, {2, 0},   {2, 0},   {2, 0},   {2, 0},
                                       {0, 2}, {0, 2}, {0, 2}, {0, 2.5}, {2, 0},   {2.5, 0}, {3, 0},
                                       {2, 0}, {8, 0}, {8, 0}, {2, 0},   {2.5, 0}, {3, 0},   {2, 0}};
constexpr LayerPass eager_backward[] = {{5, 0}, {5, 0}, {3, 0}, {3, 0},  {2.5, 0}, {2.5, 0}, {1, 0}, {1, 0}, {1, 0},
                                        {1, 0}, {1, 0}, {4, 0}, {12, 0}, {0, 2.5}, {0, 3},   {0, 2}, {2, 0}, {2, 0},
                                        {2, 0}, {2, 0}, {2, 0}, {2, 0},  {2, 0},   {3, 0},   {3, 0}};
// Until about PyTorch 1.9 GELU was written in operators whose gradients ran one by one, five for its one. [assumed:
// counted, x (1 + erf(x / sqrt 2)) / 2]
constexpr int written_gelu_operators = 4;
constexpr LayerPass written_gelu_backward = {12, 0};
// TensorFlow 1 without XLA: a kernel for each operator of its Python code, all on fp32 tensors, since its
// half-precision rewrite keeps powers, means and what lies between them in fp32. `times` kernels each. [assumed:
// counted from the published code of BERT: GELU as eight operators of the feed-forward tensor, normalisation as moments
// and three products, dropout as draw, compare, scale and product; gradients operator by operator]
struct RepeatedPass {
  int times;
  LayerPass pass;
};
constexpr RepeatedPass tensorflow_forward[] = {{6, {2, 0}}, {2, {0, 2}}, {1, {0, 3}},  {4, {0, 2}},
                                               {2, {2, 0}}, {8, {2, 0}}, {2, {3, 0}},  {8, {2, 0}},
                                               {1, {8, 0}}, {6, {8, 0}}, {2, {12, 0}}, {1, {2, 0}}};
constexpr RepeatedPass tensorflow_backward[] = {{14, {12, 0}}, {16, {2.5, 0}}, {3, {2.7, 0}}, {2, {0, 2}},
                                                {3, {0, 3}},   {1, {0, 2}},    {2, {3, 0}},   {5, {1, 0}},
                                                {1, {4, 0}},   {4, {2, 0}},    {2, {2.5, 0}}};
// [assumed: counted] bias adds; masked softmax with dropout; bias, dropout, add and norm in one;
// bias and GELU in one
constexpr LayerPass jit_forward[] = {{2, 0}, {2, 0}, {2, 0}, {2, 0}, {0, 3.5}, {4.5, 0}, {12, 0}, {4.5, 0}};
constexpr LayerPass jit_backward[] = {{6, 0},  {6, 0},   {3, 0}, {3, 0}, {2, 0}, {4, 0},
                                      {12, 0}, {0, 3.5}, {2, 0}, {6, 0}, {6, 0}};
// Attention in one kernel, biases in the products' epilogues; dropout, addition and normalisation in one kernel; what
// GELU keeps for its gradient. [assumed: counted; with mlperf v2.0 dgxa100 and h200 BERT in view: a first count with
// biases and GELU in kernels of their own was 1.7 times as much]
constexpr LayerPass fused_forward[] = {{4.5, 0}, {4.5, 0}, {4, 0}};
constexpr LayerPass fused_backward[] = {{4, 0}, {1, 0}, {4, 0}, {1, 0}, {4, 0}, {3, 0}, {1, 0}};
// The same without that kernel, in the code of MLPerf submissions: it is built for compute capability 8.0 and 9.0,
// which the boards with HBM have [published: apex, contrib/csrc/fmha]; submitters of others turned it off [published:
// their configurations, `--unpad` without `--unpad_fmha`, L40, L40S, L4, A5000]. Products of the scores and softmax
// then run sequence by sequence, dropout over all, and the host waits for the GPU before and after. [assumed: counted
// in the published code, mha.py, bmm1.py, bmm2.py]
struct AttentionBySequence {
  double products;          // a sequence
  double softmax, dropout;  // passes over the scores
  double synchronisations;  // a layer
};
constexpr AttentionBySequence by_sequence_forward = {2, 2, 2.5, 5}, by_sequence_backward = {4, 3, 2.5, 4};
// [assumed: counted] casts and transposes to 8 bits around the products
constexpr double fp8_cast_forward = 3, fp8_cast_backward = 9;

// TensorFlow draws dropout masks in kernels of their own, bound by integer arithmetic. XLA computes a whole sample of
// Philox 4x32, four numbers, for each element and keeps one of them. [counted: TensorFlow 1.15,
// elemental_ir_emitter.cc] Ten rounds of two products to 64 bits (a low and a high word each), four xors and two
// additions: 100 instructions; about 20 for the element's index, the sample's four stores and a load, conversion and
// comparison. Elements per token and layer: 2 h + heads * S.
constexpr double xla_random_instructions = 120;
constexpr double integer_per_sm_cycle = 64;  // [published: CUDA guide, throughput of 32-bit integer operations, 7.0 on]

// Attention kernels that keep the scores on the chip: share of the product rate.
constexpr double fused_attention = 0.61;       // [assumed: 0.45 of A100's peak]
constexpr double fused_attention_back = 0.54;  // [assumed: 0.40 of A100's peak]

// Bytes moved per parameter by one update.
constexpr double sgd_bytes = 26;                         // [assumed: fp32 weight, momentum, gradient, plus half copy]
constexpr double lars_bytes = 34;                        // [assumed: SGD and the norms' sweep]
constexpr double adam_bytes = 34;                        // [assumed]
constexpr double lamb_bytes = 42;                        // [assumed: Adam and the norms' sweep]
constexpr double fused_update_kernels = 60;              // [assumed]
constexpr double sgd_operators = 5, adam_operators = 9;  // [assumed: eager framework operators per tensor]
// Adam written in framework operators, a group for each tensor, every one a sweep over it. [assumed: counted in
// published code, BertAdam: norm and clipping 12 bytes, moments 44, root, sum and quotient 28, decay 20, update 20,
// clearing 4]
constexpr double adam_tensor_bytes = 128, adam_tensor_operators = 14;
// TensorFlow's LAMB, per variable. [assumed: counted in the published code]
constexpr double lamb_operators = 31;

// Around the logits of a predicted position, per element: cast, softmax in fp32, its gradient, cast.
// bias, cast, maximum and sum, logarithm; gradient cleared, sum, gradient, cast, bias gradient. [assumed: counted]
constexpr double logit_bytes_half = 22, logit_back_bytes_half = 28;
constexpr double logit_bytes_full = 20, logit_back_bytes_full = 24;

// Kernels per parameter tensor that add a micro-batch's gradients to the sum.
constexpr double accumulate_kernels = 1;     // [assumed: one addition]
constexpr double accumulate_kernels_tf = 6;  // [assumed: cast, unscale, test, square sum, clip, addition]
// Bytes per parameter of the same: published code accumulates gradients that it has tested and clipped to their norm in
// every micro-batch. Half precision also casts and unscales. [assumed: counted]
constexpr double accumulate_bytes_tf_half = 42, accumulate_bytes_tf_full = 28;

// ---- Host

constexpr double device_sync_s = 20e-6;  // [assumed: copy of 4 bytes and a synchronisation]
// Noise of the operating systems: every step waits for the slowest host, jitter times the largest of N normals.
// [fitted: mlperf v1.1, v2.0 dgxa100 and v3.0, v4.0 H100 ResNet-50 of 64 to 4320 GPUs]
constexpr double host_jitter_s = 50e-6;
constexpr double default_operator_s = 8e-6;  // [assumed: between EPYC 7742 (6 us) and Xeon E5 v4 (10.5 us)]
// Operators of a data-parallel eager step of PyTorch that the GPU waits for, since the step begins and ends with an
// empty queue (the script reads the loss). For each gradient one that clears it and one that takes it out of its
// bucket; for each buffer one copy of the first rank's (a normalisation has three: mean, variance, count); under a loss
// scaler one more for each gradient, unscaled and tested. [counted: PyTorch's distributed.py, reducer.cpp,
// grad_scaler.py, of 1.6] ResNet-50: 2 x 161 + 3 x 53 = 481, 642 in half precision.
constexpr double sync_operators_per_gradient = 2;
constexpr double sync_operators_per_gradient_scaled = 3;
constexpr double buffers_per_norm = 3;

}  // namespace clustersim::compute
