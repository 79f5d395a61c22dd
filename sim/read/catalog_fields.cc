#include "sim/read/catalog_fields.h"

namespace clustersim {

namespace {

// What such a part cannot be without; ranges keep zero out, so a member still at zero was not in the file.
class Essentials {
 public:
  Essentials(FieldVisitor& v, Entry& entry, bool whole) : v_(v), entry_(entry), whole_(whole) {}

  template <class T>
  void key(Field field, T& member) {
    field.required = whole_;
    v_.key(field, member);
    if (!whole_ && member == T()) entry_.unknown.push_back(field.name);
  }

 private:
  FieldVisitor& v_;
  Entry& entry_;
  bool whole_;
};

constexpr double kSomeHertz = 1e6, kSomeRate = 1e3, kSomeFlops = 1e6, kSomeWatts = 0.1;

Field share(const char* name, const char* meaning) { return {.name = name, .meaning = meaning, .min = 0, .max = 1}; }
constexpr double kLongestLatency = 1.0;  // s; anything slower is a slip of the unit

Field at_least_0(const char* name, const char* meaning) { return {.name = name, .meaning = meaning, .min = 0}; }

void visit_gpu_peaks(FieldVisitor& v, Essentials& need, GpuSpec& gpu) {
  v.skip("peaks_are");
  need.key({.name = "peak_fp32", .meaning = "vector peak", .min = kSomeFlops}, gpu.peak_fp32);
  v.key({.name = "peak_tf32", .meaning = "matrix peak, dense", .min = kSomeFlops}, gpu.peak_tf32);
  v.key({.name = "peak_fp16",
         .meaning = "matrix peak, dense, fp32 accumulation; none: no tensor cores",
         .min = kSomeFlops},
        gpu.peak_fp16);
  v.key({.name = "peak_bf16", .meaning = "matrix peak, dense, fp32 accumulation", .min = kSomeFlops}, gpu.peak_bf16);
  v.key({.name = "peak_fp8", .meaning = "matrix peak, dense, fp32 accumulation", .min = kSomeFlops}, gpu.peak_fp8);
  v.key({.name = "measured_matmul_bf16", .meaning = "best sustained matrix product", .min = kSomeFlops},
        gpu.measured_matmul_bf16);
  v.key({.name = "measured_matmul_fp8", .meaning = "best sustained matrix product", .min = kSomeFlops},
        gpu.measured_matmul_fp8);
  v.key({.name = "measured_matmul_tf32", .meaning = "best sustained matrix product", .min = kSomeFlops},
        gpu.measured_matmul_tf32);
  v.key({.name = "measured_matmul_fp32", .meaning = "best sustained matrix product", .min = kSomeFlops},
        gpu.measured_matmul_fp32);
  v.key({.name = "measured_stream",
         .meaning = "what copies and triads in its memory reach, read plus written",
         .default_text = "a share of memory_bandwidth by the kind of memory",
         .min = kSomeRate},
        gpu.measured_stream);
  v.key({.name = "launch_gap",
         .meaning = "between two kernels of a stream",
         .default_text = "2.7 us",
         .min = 1e-9,
         .max = 1e-3},
        gpu.launch_gap);
  v.key({.name = "graph_gap",
         .meaning = "between two nodes of a CUDA graph",
         .default_text = "1.3 us",
         .min = 1e-9,
         .max = 1e-3},
        gpu.graph_gap);
}

void visit_measured_kernels(FieldVisitor& v, MeasuredKernels& m) {
  const auto rate = [&](const char* name, const char* meaning, const char* otherwise, std::optional<Bandwidth>& to) {
    v.key({.name = name, .meaning = meaning, .default_text = otherwise, .min = kSomeRate}, to);
  };
  const auto factor = [&](const char* name, const char* meaning, const char* otherwise, double most,
                          std::optional<double>& to) {
    v.key({.name = name, .meaning = meaning, .default_text = otherwise, .min = 0.01, .max = most}, to);
  };
  rate("measured_reduce_stream", "what normalisation and softmax read and write",
       "0.85 of measured_stream on HBM and Turing, else all of it", m.reduce_stream);
  rate("measured_update_stream", "what an optimizer's update reads and writes", "measured_reduce_stream",
       m.update_stream);
  rate("measured_l2_stream", "what copies and triads that lie in the L2 read and write", "3 x measured_stream",
       m.l2_stream);
  factor("l2_usable", "share of the L2 that a tensor may fill and still be there", "0.4", 1, m.l2_usable);
  v.key({.name = "tile_prologue",
         .meaning = "first operands and result of a tile of 256 x 128 in a matrix product",
         .default_text = "2800 cycles",
         .min = 1e-9,
         .max = 1e-3},
        m.tile_prologue);
  factor("convolution_forward", "rate of convolutions on matrix units over products of their size", "1", 4,
         m.convolution_forward);
  factor("convolution_data_gradient", "the same, gradient of the data", "1", 4, m.convolution_data_gradient);
  factor("convolution_weight_gradient", "the same, gradient of the weights", "1", 4, m.convolution_weight_gradient);
  factor("winograd_gain", "rate of fp32 3x3 convolutions of stride 1 over fp32 products", "1.4, 1 where integers share",
         8, m.winograd_gain);
  v.key({.name = "transpose_rate",
         .meaning = "elements a second read and written by kernels that change the layout of a tensor",
         .default_text = "3 for an SM and cycle",
         .min = 1e6},
        m.transpose_rate);
  const char* counted = "counted";
  factor("norm_passes", "sweeps over its tensor of a batch normalisation", counted, 20, m.norm_passes);
  factor("norm_back_passes", "of its gradient", counted, 20, m.norm_back_passes);
  factor("fused_norm_passes", "of one with ReLU in its kernel", counted, 20, m.fused_norm_passes);
  factor("fused_norm_back_passes", "of its gradient", counted, 20, m.fused_norm_back_passes);
  factor("fused_add_passes", "what an addition in the same kernel adds", counted, 20, m.fused_add_passes);
  factor("fused_add_back_passes", "in its gradient", counted, 20, m.fused_add_back_passes);
  v.key({.name = "device_sync",
         .meaning = "copy of 4 bytes to the host, and the wait for it",
         .default_text = "20 us",
         .min = 1e-7,
         .max = 1e-2},
        m.device_sync);
}

void visit_measured_power(FieldVisitor& v, MeasuredPower& m) {
  const char* otherwise = "by architecture; all four keys or none";
  v.key({.name = "power_full",
         .meaning = "drawn under products at the highest clock that is held",
         .default_text = otherwise,
         .min = kSomeWatts},
        m.full);
  const auto part = [&](const char* name, const char* meaning, double least, double most, std::optional<double>& to) {
    v.key({.name = name, .meaning = meaning, .default_text = otherwise, .min = least, .max = most}, to);
  };
  part("power_static_share", "share of power_full that no clock moves", 0, 0.95, m.static_share);
  part("power_voltage_slope", "share of its voltage that a GPU loses over its whole clock", 0, 2, m.voltage_slope);
  part("power_voltage_floor", "lowest voltage over that at the highest clock", 0.2, 1, m.voltage_floor);
  v.key({.name = "power_lowest_clock",
         .meaning = "lowest clock of the sweep, over the highest; below it the curve is carried on",
         .min = 0.05,
         .max = 1},
        m.lowest);
}

void visit_gpu_links(FieldVisitor& v, GpuSpec& gpu) {
  v.key({.name = "nvlink_generation", .meaning = "generation of its NVLink, absent without", .min = 1},
        gpu.nvlink_generation);
  v.key(at_least_0("nvlink_links", "NVLinks of one GPU"), gpu.nvlink_links);
  v.key(at_least_0("nvlink_per_direction", "all its NVLinks together, one direction"), gpu.nvlink_per_direction);
  v.key({.name = "pcie_generation", .meaning = "generation of its slot", .min = 1}, gpu.pcie_generation);
  v.key({.name = "pcie_lanes", .meaning = "lanes of its slot", .min = 1}, gpu.pcie_lanes);
  v.key({.name = "p2p",
         .meaning = "the stock driver lets such GPUs reach each other over PCIe (an NVLink bridge works either way; to "
                    "turn that off too, \"p2p\": false in the node)",
         .default_text = "true"},
        gpu.p2p);
}

void visit_gpu_power(FieldVisitor& v, Essentials& need, GpuSpec& gpu) {
  need.key({.name = "tdp", .meaning = "board power at which it is sold", .min = kSomeWatts}, gpu.tdp);
  need.key({.name = "power_limit_min", .meaning = "lowest power limit", .min = kSomeWatts}, gpu.power_limit_min);
  need.key({.name = "power_limit_max", .meaning = "highest power limit", .min = kSomeWatts}, gpu.power_limit_max);
  need.key({.name = "idle_power", .meaning = "board power doing nothing", .min = kSomeWatts}, gpu.idle_power);
  visit_measured_power(v, gpu.measured_power);
  v.key({.name = "thermal_resistance",
         .meaning = "from the die to air or coolant, in the server where it was measured",
         .default_text = "by form factor and TDP",
         .min = 0.001,
         .max = 2},
        gpu.thermal_resistance);
  v.key({.name = "target", .meaning = "temperature that fan and clock aim at"}, gpu.target);
  v.key({.name = "max_operating", .meaning = "highest temperature of normal operation"}, gpu.max_operating);
  need.key({.name = "slowdown", .meaning = "temperature at which the hardware cuts the clock"}, gpu.slowdown);
  need.key({.name = "shutdown", .meaning = "temperature at which the board turns itself off"}, gpu.shutdown);
  v.key({.name = "memory_max_operating", .meaning = "highest memory temperature of normal operation"},
        gpu.memory_max_operating);
  v.key(at_least_0("street_price", "what one costs"), gpu.street_price);
  v.key({.name = "street_price_date", .meaning = "when"}, gpu.street_price_date);
}

}  // namespace

void visit_entry(FieldVisitor& v, Entry& entry) {
  v.key({.name = "name", .meaning = "what people call it", .default_text = "its id"}, entry.name);
  v.skip("sources");
  v.skip("estimated");
  v.skip("facts");
}

void visit_fields(FieldVisitor& v, GpuSpec& gpu, bool whole) {
  visit_entry(v, gpu);
  Essentials need(v, gpu, whole);
  v.key({.name = "vendor", .meaning = "who makes it"}, gpu.vendor);
  v.key({.name = "architecture", .meaning = "family of the chip"}, gpu.architecture);
  v.key({.name = "form_factor", .meaning = "shape of the board"}, gpu.form_factor);
  need.key({.name = "sm_count", .meaning = "streaming multiprocessors or compute units", .min = 1}, gpu.sm_count);
  need.key({.name = "base_clock", .meaning = "guaranteed clock", .min = kSomeHertz}, gpu.base_clock);
  need.key({.name = "boost_clock", .meaning = "highest clock of the data sheet, that of the peaks", .min = kSomeHertz},
           gpu.boost_clock);
  visit_gpu_peaks(v, need, gpu);
  need.key({.name = "memory", .meaning = "memory of the board", .min = 1e6}, gpu.memory);
  v.key({.name = "memory_type", .meaning = "HBM or GDDR generation"}, gpu.memory_type);
  need.key({.name = "memory_bandwidth", .meaning = "peak of the data sheet", .min = kSomeRate}, gpu.memory_bandwidth);
  need.key({.name = "l2_cache", .meaning = "last cache before memory", .min = 1e3}, gpu.l2_cache);
  visit_measured_kernels(v, gpu.measured);
  visit_gpu_links(v, gpu);
  visit_gpu_power(v, need, gpu);
}

void visit_fields(FieldVisitor& v, CpuSpec& cpu, bool whole) {
  visit_entry(v, cpu);
  Essentials need(v, cpu, whole);
  v.key({.name = "vendor", .meaning = "who makes it"}, cpu.vendor);
  v.key({.name = "architecture", .meaning = "family of the core"}, cpu.architecture);
  need.key({.name = "cores", .meaning = "physical cores of one socket", .min = 1}, cpu.cores);
  v.key({.name = "threads", .meaning = "hardware threads of one socket", .min = 1}, cpu.threads);
  v.key({.name = "max_sockets", .meaning = "sockets that a board may have", .default_text = "1", .min = 1},
        cpu.max_sockets);
  need.key({.name = "base_clock", .meaning = "guaranteed clock", .min = kSomeHertz}, cpu.base_clock);
  need.key({.name = "all_core_clock", .meaning = "clock with every core busy", .min = kSomeHertz}, cpu.all_core_clock);
  v.key({.name = "boost_clock", .meaning = "clock with one core busy", .min = kSomeHertz}, cpu.boost_clock);
  v.key({.name = "memory_channels", .meaning = "of one socket", .min = 1}, cpu.memory_channels);
  need.key({.name = "memory_bandwidth", .meaning = "of one socket, as STREAM measures it", .min = kSomeRate},
           cpu.memory_bandwidth);
  v.key({.name = "pcie_generation", .meaning = "generation of its lanes", .min = 1}, cpu.pcie_generation);
  v.key({.name = "pcie_lanes", .meaning = "lanes of one socket", .min = 1}, cpu.pcie_lanes);
  need.key({.name = "tdp", .meaning = "power at which one socket is sold", .min = kSomeWatts}, cpu.tdp);
  need.key({.name = "idle_power", .meaning = "one socket doing nothing", .min = kSomeWatts}, cpu.idle_power);
  need.key({.name = "peak_fp32", .meaning = "one socket, all cores", .min = kSomeFlops}, cpu.peak_fp32);
  v.key(
      {.name = "relative_ipc", .meaning = "work per clock of a core, EPYC 7742 = 1", .default_text = "1", .min = 0.01},
      cpu.relative_ipc);
  need.key({.name = "loader_images_per_core_s",
            .meaning = "JPEG images a second that one core decodes, crops, resizes and collates, all cores busy",
            .min = 0.01},
           cpu.loader_images_per_core_s);
  need.key({.name = "launch_overhead",
            .meaning = "CPU time of one eager framework operator",
            .min = 1e-9,
            .max = kLongestLatency},
           cpu.launch_overhead);
  v.key(at_least_0("list_price", "of one, in thousands"), cpu.list_price);
}

void visit_fields(FieldVisitor& v, LinkSpec& link, bool whole) {
  visit_entry(v, link);
  Essentials need(v, link, whole);
  v.key({.name = "kind", .meaning = "pcie, pcie_switch, nvlink, nvswitch, xgmi, c2c, cpu, cxl, sata or on-chip"},
        link.kind);
  v.key({.name = "generation", .meaning = "PCIe or NVLink generation", .min = 1}, link.generation);
  v.key({.name = "lanes", .meaning = "PCIe lanes", .min = 1}, link.lanes);
  need.key({.name = "theoretical", .meaning = "one direction of one link", .min = kSomeRate}, link.theoretical);
  need.key({.name = "achievable", .meaning = "one direction of one link, what copies reach", .min = kSomeRate},
           link.achievable);
  v.key({.name = "achievable_p2p", .meaning = "PCIe: between two devices through a root complex", .min = kSomeRate},
        link.achievable_p2p);
  v.key({.name = "collective_per_link", .meaning = "what NCCL moves over one link", .min = kSomeRate},
        link.collective_per_link);
  v.key(at_least_0("links_per_gpu", "NVLink, xGMI: links of one GPU"), link.links_per_gpu);
  need.key({.name = "latency", .meaning = "of one crossing", .min = 1e-12}, link.latency);
  v.key({.name = "in_network_reduction", .meaning = "a switch that adds up what it forwards", .default_text = "false"},
        link.in_network_reduction);
}

void visit_fields(FieldVisitor& v, NicSpec& nic, bool whole) {
  visit_entry(v, nic);
  Essentials need(v, nic, whole);
  v.key({.name = "kind", .meaning = "ethernet, infiniband, efa, gcp or roce"}, nic.kind);
  need.key({.name = "line_rate", .meaning = "one port, one direction", .min = kSomeRate}, nic.line_rate);
  v.key({.name = "rdma", .meaning = "writes into another node's memory without its CPU", .default_text = "false"},
        nic.rdma);
  v.key(share("rdma_efficiency", "goodput of RDMA over the line rate"), nic.rdma_efficiency);
  v.key(share("tcp_efficiency", "goodput of many TCP flows over the line rate"), nic.tcp_efficiency);
  v.key({.name = "tcp_single_stream", .meaning = "one TCP flow", .min = kSomeRate}, nic.tcp_single_stream);
  v.key({.name = "tcp_collective", .meaning = "NCCL over sockets", .min = kSomeRate}, nic.tcp_collective);
  v.key({.name = "rdma_latency", .meaning = "one way, without switches", .min = 0, .max = kLongestLatency},
        nic.rdma_latency);
  v.key({.name = "tcp_latency", .meaning = "one way, without switches", .min = 0, .max = kLongestLatency},
        nic.tcp_latency);
  v.key(at_least_0("price", "of one adapter"), nic.price);
}

void visit_fields(FieldVisitor& v, SwitchSpec& part, bool whole) {
  visit_entry(v, part);
  Essentials need(v, part, whole);
  v.key({.name = "kind", .meaning = "ethernet or infiniband"}, part.kind);
  need.key({.name = "ports", .meaning = "ports of one switch", .min = 1}, part.ports);
  need.key({.name = "port_rate", .meaning = "one port, one direction", .min = kSomeRate}, part.port_rate);
  need.key({.name = "latency", .meaning = "of one crossing", .min = 1e-12}, part.latency);
  v.key({.name = "in_network_reduction", .meaning = "adds up what it forwards (SHARP)", .default_text = "false"},
        part.in_network_reduction);
  v.key(at_least_0("power", "of one switch under load"), part.power);
  v.key(at_least_0("price", "of one switch"), part.price);
}

void visit_fields(FieldVisitor& v, StorageSpec& tier, bool whole) {
  visit_entry(v, tier);
  Essentials need(v, tier, whole);
  v.key(
      {.name = "kind", .meaning = "sata_ssd, nvme_pcie4, nearline_hdd, object_store, distributed_fs, nfs, memory, ..."},
      tier.kind);
  need.key({.name = "read", .meaning = "sequential reading by one of `per`", .min = kSomeRate}, tier.read);
  need.key({.name = "write", .meaning = "sequential writing by one of `per`", .min = kSomeRate}, tier.write);
  v.key({.name = "per",
         .meaning = "what the rates are of: device, server, connection, or TiB provisioned",
         .default_text = "device"},
        tier.per);
  v.key(at_least_0("read_iops", "random reads of 4 KiB a second"), tier.read_iops);
  v.key(at_least_0("write_iops", "random writes of 4 KiB a second"), tier.write_iops);
  need.key({.name = "read_latency", .meaning = "until the first byte", .min = 1e-9}, tier.read_latency);
  need.key({.name = "write_latency", .meaning = "until it is safe", .min = 1e-9}, tier.write_latency);
  v.key(share("client_share_of_nic", "object stores that shard over the same port: what is left for clients"),
        tier.client_share_of_nic);
  v.key({.name = "client_single_stream", .meaning = "one stream of one client", .min = kSomeRate},
        tier.client_single_stream);
  v.key(at_least_0("open_latency", "opening one small file"), tier.open_latency);
  v.key(at_least_0("price", "of its capacity"), tier.price);
  v.key({.name = "price_date", .meaning = "when"}, tier.price_date);
  v.key(at_least_0("active_power", "of one device under load"), tier.active_power);
}

void visit_fields(FieldVisitor& v, RaidFile& raid) {
  visit_entry(v, raid);
  v.key(
      {.name = "sequential_efficiency", .meaning = "of striping in software", .required = true, .min = 0.01, .max = 1},
      raid.sequential_efficiency);
  const auto count = [&](const char* name, const char* meaning, DeviceCount& devices) {
    v.object({.name = name, .meaning = meaning, .required = true}, [&devices](FieldVisitor& inside) {
      inside.key({.name = "per_device", .meaning = "devices' worth for each device", .required = true},
                 devices.per_device);
      inside.key({.name = "plus", .meaning = "devices' worth beside that", .required = true}, devices.plus);
    });
  };
  count("capacity", "capacity of n devices, in devices", raid.capacity);
  count("read_scaling", "sequential reading of n devices, in devices", raid.read_scaling);
  count("write_scaling", "sequential writing of n devices, in devices", raid.write_scaling);
}

}  // namespace clustersim
