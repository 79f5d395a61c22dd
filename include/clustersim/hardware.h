// What is known of a piece of hardware, typed. Filled from scenarios/hardware by sim/read; constant ever after.
// An empty optional means "not known" or "the part does not have it", never zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/range.h"
#include "clustersim/units.h"

namespace clustersim {

struct EstimatedField {
  std::string field;
  std::string why;
  bool operator==(const EstimatedField&) const = default;
};

// What every catalog entry carries.
struct Entry {
  std::string id;
  std::string name;
  std::vector<EstimatedField> estimated;
  std::vector<std::string> unknown;  // keys that every such part should have and this entry leaves out: still zero
  bool operator==(const Entry&) const = default;
};

// What kernels of one GPU were measured to do, by clustersim-gpubench (docs/MEASUREMENTS.md): each number stands in the
// place of the model's own, which serves every GPU. Empty: not measured. Fitted by sim/calibrate/gpu_constants.cc.
struct MeasuredKernels {
  std::optional<Bandwidth> reduce_stream;  // read and written by kernels with sums in them: normalisation, softmax
  std::optional<Bandwidth> update_stream;  // by an optimizer's update
  std::optional<Bandwidth> l2_stream;      // by copies and triads that lie in the L2
  std::optional<double> l2_usable;         // share of the L2 that a tensor may fill and still be there
  std::optional<Time> tile_prologue;       // first operands and result of a tile of 256 x 128
  // Convolutions on matrix units, over products of the same size; fp32 3x3 ones of stride 1 over fp32 products.
  std::optional<double> convolution_forward, convolution_data_gradient, convolution_weight_gradient, winograd_gain;
  std::optional<double> transpose_rate;  // elements read and written in a second by kernels that exchange dimensions
  // Batch normalisation, reads and writes of its tensor: alone, with ReLU in its kernel, and what an addition adds.
  std::optional<double> norm_passes, norm_back_passes, fused_norm_passes, fused_norm_back_passes, fused_add_passes,
      fused_add_back_passes;
  std::optional<Time> device_sync;  // a copy of 4 bytes to the host, and the wait for it
  bool operator==(const MeasuredKernels&) const = default;
};

// P = full (s + (1 - s) f max(floor, 1 - slope (1 - f))^2) of a sweep of clock limits under products; f: clock over the
// highest that was sustained (models/power_thermal/power_draw.h). All or nothing but `light`.
struct MeasuredPower {
  std::optional<Power> full;
  std::optional<double> static_share, voltage_slope, voltage_floor;
  std::optional<double> lowest;  // f: the lowest clock that was measured; below it the curve is carried on
  bool whole() const { return full && static_share && voltage_slope && voltage_floor; }
  bool operator==(const MeasuredPower&) const = default;
};

// Dense peaks with fp32 accumulation, without structured sparsity.
struct GpuSpec : Entry {
  std::string vendor, architecture, form_factor;
  int sm_count = 0;
  Frequency base_clock, boost_clock;
  FlopRate peak_fp32;
  std::optional<FlopRate> peak_tf32, peak_fp16, peak_bf16, peak_fp8;   // matrix units
  std::optional<FlopRate> measured_matmul_bf16, measured_matmul_fp8;   // best shape, sustained
  std::optional<FlopRate> measured_matmul_tf32, measured_matmul_fp32;  // the same
  std::optional<Bandwidth> measured_stream;   // what copies and triads in its memory reach, read plus written
  std::optional<Time> launch_gap, graph_gap;  // between kernels of a stream, between nodes of a CUDA graph
  MeasuredKernels measured;
  MeasuredPower measured_power;
  std::optional<ThermalResistance> thermal_resistance;  // die to air or coolant, in the server it was measured in
  Bytes memory;
  std::string memory_type;
  Bandwidth memory_bandwidth;
  Bytes l2_cache;
  std::optional<int> nvlink_generation;
  int nvlink_links = 0;
  Bandwidth nvlink_per_direction;  // all links together
  int pcie_generation = 0, pcie_lanes = 0;
  bool p2p = true;  // stock driver lets GPUs reach each other over PCIe
  Power tdp, power_limit_min, power_limit_max, idle_power;
  Temperature slowdown, shutdown;
  std::optional<Temperature> max_operating, target, memory_max_operating;
  std::optional<Money> street_price;
  std::string street_price_date;
  bool has_tensor_cores() const { return peak_fp16.has_value(); }
  bool operator==(const GpuSpec&) const = default;
};

struct CpuSpec : Entry {
  std::string vendor, architecture;
  int cores = 0, threads = 0, max_sockets = 1;
  Frequency base_clock, all_core_clock, boost_clock;
  int memory_channels = 0;
  Bandwidth memory_bandwidth;  // one socket, STREAM-like
  int pcie_generation = 0, pcie_lanes = 0;
  Power tdp, idle_power;
  FlopRate peak_fp32;                   // one socket, all cores
  double relative_ipc = 1.0;            // EPYC 7742 = 1
  double loader_images_per_core_s = 0;  // JPEG decode, crop, resize, collate; all cores busy (images/s per core)
  Time launch_overhead;                 // CPU time of one eager framework operator
  std::optional<Money> list_price;
  bool operator==(const CpuSpec&) const = default;
};

// PCIe, NVLink, xGMI, UPI/QPI: a cable inside a node.
struct LinkSpec : Entry {
  std::string kind;  // pcie, nvlink, xgmi, cpu, cxl, ...
  int generation = 0, lanes = 0;
  Bandwidth theoretical;                         // per direction: one cable, or one NVLink link
  Bandwidth achievable;                          // per direction, what copies reach
  std::optional<Bandwidth> achievable_p2p;       // PCIe: between two devices through a root complex
  std::optional<Bandwidth> collective_per_link;  // NVLink: what NCCL moves over one link
  int links_per_gpu = 0;                         // NVLink
  Time latency;
  bool in_network_reduction = false;  // NVSwitch: adds up what it forwards (NVLS)
  bool operator==(const LinkSpec&) const = default;
};

struct NicSpec : Entry {
  std::string kind;     // ethernet, infiniband, efa, ...
  Bandwidth line_rate;  // per direction, one port
  bool rdma = false;
  std::optional<double> rdma_efficiency, tcp_efficiency;  // perftest / iperf goodput over line rate
  std::optional<Bandwidth> tcp_single_stream;             // one TCP flow
  std::optional<Bandwidth> tcp_collective;                // NCCL sockets, best of many flows
  Time rdma_latency, tcp_latency;
  std::optional<Money> price;
  bool operator==(const NicSpec&) const = default;
};

struct SwitchSpec : Entry {
  std::string kind;
  int ports = 0;
  Bandwidth port_rate;
  Time latency;
  bool in_network_reduction = false;
  std::optional<Power> power;
  std::optional<Money> price;
};

struct StorageSpec : Entry {
  std::string kind;       // sata_ssd, nvme_pcie4, nearline_hdd, distributed_fs, object_store, nfs, memory, ...
  Bandwidth read, write;  // sequential; per device, per server or per connection as `per` says
  std::string per;        // "device", "server", "connection", "TiB"
  std::optional<double> read_iops, write_iops;  // 4 KiB random
  Time read_latency, write_latency;
  std::optional<double> client_share_of_nic;  // object stores that shard over the same port
  std::optional<Bandwidth> client_single_stream;
  std::optional<Time> open_latency;  // of one small file
  std::optional<BytePrice> price;
  std::string price_date;
  std::optional<Power> active_power;
  bool operator==(const StorageSpec&) const = default;
};

struct RaidLevel : Entry {
  double sequential_efficiency = 1.0;
  double capacity_share = 1.0;                     // for the count at hand
  double read_scaling = 1.0, write_scaling = 1.0;  // devices' worth
};

// A vertex of a node's PCIe tree; parents come before children.
struct PcieVertex {
  std::string id;      // "cpu0", "sw1", "gpu3", "nic0", "nvme2"
  std::string kind;    // socket, pcie_switch, gpu, nic, storage
  std::string parent;  // "" for a socket
  std::string role;    // nic: compute, storage, management; storage: data, os, cache
  Bandwidth link;      // to the parent, per direction, achievable
  Time link_latency;
  std::string link_id;  // the same link in the catalog
  std::string part;     // catalog id of the NIC or the storage tier
  bool operator==(const PcieVertex&) const = default;
};

// NVLink or xGMI straight from one GPU to another.
struct GpuCable {
  int a = 0, b = 0;  // GPU numbers, a < b
  int links = 1;
  bool operator==(const GpuCable&) const = default;
};

struct GpuFabricSpec {
  std::string shape;  // switch, mesh, pairs, cube-mesh, ring, cables, pcie, none
  LinkSpec link;      // unset (id empty) for pcie
  int links_per_gpu = 0;
  bool in_network_reduction = false;  // the switch adds up (NVLS)
  std::vector<GpuCable> cables;       // of shape "cables": as an imported topology has them
  bool operator==(const GpuFabricSpec&) const = default;
};

// A part mentioned by another entry, with its number.
struct PartCount {
  std::string id;
  int count = 0;
  std::string role;                    // as PcieVertex::role
  std::optional<Bytes> capacity;       // storage: of one device
  std::string raid;                    // storage: "", "none", "raid0", ...
  std::optional<Bandwidth> line_rate;  // NIC: where the port is not of the part's own rate
};

struct ServerSpec : Entry {
  std::string gpu_id, cpu_id;
  int gpu_count = 0, cpu_count = 0;
  Bytes memory;
  std::vector<PartCount> nics, storage;
  std::string gpu_fabric_link;  // id, "" for pcie
  std::string gpu_fabric_shape;
  int gpu_fabric_links_per_gpu = 0;
  std::string gpu_fabric_switch;  // id, may be ""
  std::string socket_link;        // id
  std::vector<PcieVertex> pcie_tree;
  std::optional<Money> price;                 // whole server
  std::optional<RangeOf<Money>> price_range;  // where sources differ; `price` lies inside
  std::string price_date, price_rule;
  std::optional<Power> max_power;
  double psu_watts_each = 0;
  int psu_count = 0;
  std::string cooling;
  int rack_units = 0;
  std::string gpu_slot;  // link id of the GPUs' PCIe slot, "" if they have none
};

struct CloudSpec : Entry {
  std::string provider, instance, gpu_id, cpu_id, base_server, nic_id;
  int gpu_count = 0, vcpus = 0, nic_count = 0;
  Bytes memory, local_nvme;
  Bandwidth network;      // whole instance
  Bandwidth nic_rate;     // one NIC
  std::string transport;  // rdma, efa, tcp
  std::optional<Bandwidth> single_flow_cap;
  std::string currency;
  std::optional<TimePrice> on_demand, reserved_1y, reserved_3y, spot;  // converted to USD
  std::optional<RangeOf<TimePrice>> on_demand_range;                   // where sources differ; `on_demand` lies inside
  std::string on_demand_date, reserved_date, spot_date;
  // Of the slice of a host that is rented; unset where base_server describes the whole node.
  int sockets = 0;
  std::string gpu_fabric_link;  // id, "" for pcie
  std::string gpu_fabric_shape;
  int gpu_fabric_links_per_gpu = 0;
  std::string gpu_fabric_switch;  // id, may be ""
  std::string gpu_slot;           // link id of the GPUs' PCIe slot, "" if unknown
};

}  // namespace clustersim
