#include "sim/read/resolve_node.h"

#include <algorithm>
#include <cmath>

#include "models/power_thermal/power_draw.h"
#include "sim/read/calibration_file.h"
#include "sim/read/host_of.h"
#include "sim/read/node_links.h"

namespace clustersim {

namespace {

bool is_baseboard(const GpuSpec& gpu) {
  return gpu.form_factor.starts_with("SXM") || gpu.form_factor.starts_with("OAM");
}

class NodeResolver {
 public:
  NodeResolver(ReadContext& context, const NodeKeys& keys, bool alone)
      : context_(context), keys_(keys), alone_(alone), host_(host_of(context, keys)) {}

  NodeSpec resolve() {
    node_.server_id = host_.id;
    add_gpus();
    add_processors();
    add_network();
    add_links();
    add_storage();
    add_cooling();
    add_limits();
    add_price();
    if (served()) say_server();
    return node_;
  }

 private:
  std::string at(const char* key) const { return keys_.pointer + "/" + key; }
  bool served() const { return !host_.id.empty() || host_.wired; }
  // What said what the node consists of, for the words of a message.
  const char* source() const { return host_.wired ? "topology" : "server"; }
  std::string source_name() const { return host_.wired ? "\"" + keys_.topology->name + "\"" : "\"" + host_.id + "\""; }

  void add_gpus() {
    if (keys_.gpu) {
      node_.gpu = *keys_.gpu;
    } else if (keys_.names_gpu) {
      // told already; another in its place would only mislead
    } else if (!host_.gpu_id.empty()) {
      node_.gpu = context_.catalog().gpu(host_.gpu_id, context_.at(at(source())));
    } else if (served()) {
      context_.fault(at("gpu"), "a GPU: " + source_name() + (host_.wired ? " names none" : " has none"), "nothing",
                     "name one, such as \"gpu\": \"l4\"");
    } else if (!keys_.names_server && !keys_.names_topology) {
      context_.fault(keys_.pointer, "a server, or a gpu", "neither",
                     "such as \"server\": \"dgx-a100-80gb\" or \"gpu\": \"rtx-4090\"");
    }
    node_.gpus = keys_.gpus.value_or(served() ? std::max(1, host_.gpus) : 1);
    if (!served() && !keys_.gpus) context_.assume(at("gpus"), "1", "default without a server");
    if (served() && host_.gpus > 0 && node_.gpus > host_.gpus)
      context_.fault(at("gpus"), "at most " + std::to_string(host_.gpus) + ", the places of " + source_name(),
                     std::to_string(node_.gpus), "add nodes, or describe the node without a server");
    if (context_.calibration != nullptr) context_.calibration->apply(node_.gpu);
    if (!node_.gpu.id.empty())  // The models of power and heat have their own guesses for these.
      refuse_unknown(context_, at("gpu"), node_.gpu, {"base_clock", "power_limit_min", "slowdown", "shutdown"});
    note_estimates(context_, "gpu", node_.gpu,
                   {"tdp", "power_limit_min", "power_limit_max", "idle_power", "slowdown", "shutdown", "max_operating",
                    "target", "memory_bandwidth", "l2_cache", "peak_fp32", "peak_tf32", "peak_fp16", "peak_bf16",
                    "peak_fp8", "base_clock", "boost_clock", "memory"});
    if (node_.gpu.id.empty() || node_.gpus > 1) note_estimates(context_, "gpu", node_.gpu, {"p2p"});
    add_peers();
  }

  void add_peers() {
    node_.p2p = keys_.p2p.value_or(host_.p2p.value_or(node_.gpu.p2p));
    // Cards whose driver refuses peer access also refuse it to network cards.
    node_.gpudirect = keys_.gpudirect.value_or(node_.gpu.p2p);
    node_.acs = keys_.acs.value_or(false);
    const std::string driver = "what the stock driver of \"" + node_.gpu.id + "\" allows";
    if (!keys_.p2p && !host_.p2p && node_.gpus > 1) context_.assume(at("p2p"), flag_text(node_.p2p), driver);
    if (!keys_.gpudirect && !alone_) context_.assume(at("gpudirect"), flag_text(node_.gpudirect), driver);
    if (!keys_.acs && node_.gpus > 1) context_.assume(at("acs"), "false", "default");
  }

  void add_processors() {
    const bool baseboard = is_baseboard(node_.gpu);
    std::string id = host_.cpu_id;
    if (keys_.cpu) {
      node_.cpu = *keys_.cpu;
    } else {
      if (id.empty()) {
        id = baseboard ? "epyc-7763" : "epyc-7543";
        context_.assume(at("cpu"), id, baseboard ? "default for SXM parts" : "default for parts in PCIe slots");
      }
      node_.cpu = context_.catalog().cpu(id, context_.at(at(served() ? source() : "cpu")));
    }
    node_.sockets = keys_.sockets.value_or(host_.sockets > 0 ? host_.sockets : baseboard ? 2 : 1);
    if (!keys_.sockets && host_.sockets == 0)
      context_.assume(at("sockets"), std::to_string(node_.sockets), "default without a server");
    if (keys_.sockets && node_.sockets > node_.cpu.max_sockets)
      context_.fault(at("sockets"), "at most " + std::to_string(node_.cpu.max_sockets) + " of \"" + node_.cpu.id + "\"",
                     std::to_string(node_.sockets), "");
    if (context_.calibration != nullptr) context_.calibration->apply(node_.cpu);
    if (!node_.cpu.id.empty()) refuse_unknown(context_, at("cpu"), node_.cpu);
    note_estimates(context_, "cpu", node_.cpu,
                   {"all_core_clock", "memory_bandwidth", "idle_power", "relative_ipc", "loader_images_per_core_s",
                    "launch_overhead"});
    const double all = static_cast<double>(node_.cpu.cores) * node_.sockets;
    node_.cores = host_.cores > 0 && !keys_.cpu && !keys_.sockets ? host_.cores : all;
    if (keys_.memory) {
      node_.memory = *keys_.memory;
    } else if (host_.memory.base() > 0) {
      node_.memory = host_.memory;
    } else {
      node_.memory = node_.gpu.memory * (4.0 * node_.gpus);
      context_.assume(at("memory"), format_quantity(node_.memory), "default: four times the memory of the GPUs");
    }
  }

  // A port of another rate than the part's own: what TCP reaches on it grows in proportion.
  static void set_rate(NicSpec& nic, Bandwidth rate) {
    const double ratio = rate / nic.line_rate;
    nic.line_rate = rate;
    if (nic.tcp_single_stream) nic.tcp_single_stream = *nic.tcp_single_stream * ratio;
    if (nic.tcp_collective) nic.tcp_collective = *nic.tcp_collective * ratio;
  }

  void add_network() {
    node_.single_flow_cap = host_.single_flow_cap;
    if (keys_.nic) {
      node_.nic = keys_.nic;
      node_.nics = keys_.nics.value_or(std::max(1, host_.nics));
    } else if (!host_.nic_id.empty()) {
      node_.nic = context_.catalog().nic(host_.nic_id, context_.at(at(source())));
      if (host_.nic_rate) set_rate(*node_.nic, *host_.nic_rate);
      node_.nics = keys_.nics.value_or(host_.nics);
    } else if (host_.id.empty() && (!alone_ || keys_.nics.value_or(0) > 0)) {
      node_.nic = context_.catalog().nic("eth-100g", context_.at(at("nic")));
      node_.nics = keys_.nics.value_or(std::max(1, host_.nics));
      context_.assume(at("nic"), "eth-100g",
                      host_.wired ? "default: the topology does not tell the cards' rate" : "default without a server");
    }
    if (!served() && node_.nic && !keys_.nics) context_.assume(at("nics"), std::to_string(node_.nics), "default");
    if (node_.nics == 0) node_.nic.reset();
    if (!node_.nic) node_.nics = 0;
    if (!node_.nic || node_.nic->id.empty()) return;
    if (context_.calibration != nullptr) context_.calibration->apply(*node_.nic);
    refuse_unknown(context_, at("nic"), *node_.nic);
    if (!alone_)
      note_estimates(context_, "nic", *node_.nic,
                     {"line_rate", "rdma", "rdma_efficiency", "tcp_efficiency", "rdma_latency", "tcp_latency",
                      "tcp_single_stream", "tcp_collective"});
  }

  void add_links() {
    if (node_.gpu.id.empty()) return;
    node_.pcie = gpu_slot(context_, keys_, host_, node_);
    node_.gpu_fabric = resolve_gpu_fabric(context_, keys_, host_, node_);
    const std::optional<bool> stated_p2p = keys_.p2p ? keys_.p2p : host_.p2p;
    if (stated_p2p == false && !node_.gpu_fabric.link.id.empty()) {
      context_.remark(
          at("p2p"), "false",
          node_.gpu_fabric.link.id + " is not used either, as with NCCL_P2P_DISABLE=1: GPUs meet in the host's memory");
      node_.gpu_fabric = without_gpu_link(node_.gpus);
    }
    if (node_.sockets > 1) node_.socket_link = socket_link(context_, keys_, host_, node_.cpu);
    node_.pcie_tree = host_.pcie_tree;
    if (context_.calibration != nullptr) context_.calibration->apply_slot(node_.pcie, node_.pcie_tree);
    if (!host_.wired) return;
    for (PcieVertex& vertex : node_.pcie_tree) {  // a link that the file does not tell is a slot's
      if (vertex.kind == "socket" || vertex.link.base() > 0) continue;
      vertex.link = node_.pcie.achievable;
      vertex.link_latency = node_.pcie.latency;
    }
  }

  void add_storage() {
    ArrayKeys keys = keys_.storage.value_or(ArrayKeys{});
    if (keys.pointer.empty()) keys.pointer = at("storage");
    if (!keys.tier && !host_.storage_id.empty()) {
      StorageSpec tier = context_.catalog().storage(host_.storage_id, context_.at(at("server")));
      if (!keys.count) keys.count = host_.devices;
      if (!keys.raid && *keys.count == host_.devices)
        for (const auto& word : kRaidWords)
          if (host_.raid == word.name) keys.raid = word.value;
      if (!keys.capacity && host_.device_capacity) device_capacity_ = host_.device_capacity;
      keys.tier = std::move(tier);
    }
    node_.storage = resolve_array(context_, keys);
    if (device_capacity_ && !node_.storage.capacity) {
      const RaidLevel level = context_.catalog().raid(word_of(kRaidWords, node_.storage.raid), node_.storage.count,
                                                      context_.at(keys.pointer));
      node_.storage.capacity = *device_capacity_ * (node_.storage.count * level.capacity_share);
    }
    if (context_.calibration != nullptr) context_.calibration->apply(node_.storage);
  }

  void add_cooling() {
    const CoolingKeys& keys = keys_.cooling;
    Cooling& cooling = node_.cooling;
    const bool liquid = host_.cooling.starts_with("liquid");
    cooling.kind = keys.kind.value_or(liquid ? CoolingKind::liquid : CoolingKind::air);
    if (!keys.kind && host_.cooling.empty()) context_.assume(at("cooling/kind"), "air", "default");
    if (keys.inlet) {
      cooling.inlet = *keys.inlet;
    } else if (keys.room) {
      cooling.inlet = *keys.room;
      context_.assume(at("cooling/inlet"), format_quantity(cooling.inlet), "the air of the room");
    } else {
      context_.assume(at("cooling/inlet"), format_quantity(cooling.inlet), "default");
    }
    if (keys.airflow) {
      cooling.airflow = *keys.airflow;
    } else {
      context_.assume(at("cooling/airflow"), "unlimited", "default: the air does not warm up on its way");
    }
    if (keys.arrangement) {
      cooling.arrangement = *keys.arrangement;
    } else {
      context_.assume(at("cooling/arrangement"), "parallel", "default");
    }
    if (keys.host_heat) {
      cooling.host_heat = *keys.host_heat;
    } else {
      context_.assume(at("cooling/host_heat"), "0 W", "default");
    }
    const bool warms = cooling.arrangement == Arrangement::series || cooling.host_heat > Power();
    if (keys.airflow && cooling.airflow > Airflow() && !warms)
      context_.remark(
          at("cooling/airflow"), "given",
          "changes nothing: each card breathes the air of the inlet (arrangement series, or host_heat, warms it)");
  }

  void add_limits() {
    const GpuSpec& gpu = node_.gpu;
    if (gpu.id.empty()) return;
    node_.gpu_power_limit = keys_.gpu_power_limit;
    node_.gpu_clock_limit = keys_.gpu_clock_limit;
    if (!keys_.gpu_power_limit)
      context_.assume(at("gpu_power_limit"), format_quantity(gpu.tdp, "W"), "default: the TDP");
    if (!keys_.gpu_clock_limit)
      context_.assume(at("gpu_clock_limit"), format_quantity(gpu.boost_clock, "MHz"), "default: the boost clock");
    if (keys_.gpu_power_limit) {
      const Power limit = *keys_.gpu_power_limit;
      if (limit < gpu.power_limit_min || (gpu.power_limit_max > Power() && limit > gpu.power_limit_max))
        context_.fault(at("gpu_power_limit"),
                       "from " + format_quantity(gpu.power_limit_min, "W") + " to " +
                           format_quantity(gpu.power_limit_max, "W") + ", what \"" + gpu.id + "\" can be set to",
                       format_quantity(limit, "W"), "");
      else if (limit >= gpu.tdp)
        context_.remark(at("gpu_power_limit"), format_quantity(limit, "W"),
                        "changes nothing: the board's own limit is " + format_quantity(gpu.tdp, "W"));
    }
    if (keys_.gpu_clock_limit && *keys_.gpu_clock_limit >= gpu.boost_clock)
      context_.remark(at("gpu_clock_limit"), format_quantity(*keys_.gpu_clock_limit, "MHz"),
                      "changes nothing: the highest clock is " + format_quantity(gpu.boost_clock, "MHz"));
    const Frequency lowest = gpu.boost_clock * gpu_power_model(gpu).lowest_clock;
    if (keys_.gpu_clock_limit && *keys_.gpu_clock_limit < lowest)
      context_.remark(at("gpu_clock_limit"), format_quantity(*keys_.gpu_clock_limit, "MHz"),
                      "below the lowest clock, " + format_quantity(lowest, "MHz") + ", which is taken");
  }

  // A server's price with other GPUs: plus what the new ones cost, less what the old ones do; unknown if either is.
  void add_price() {
    node_.server_max_power = host_.max_power;
    node_.supply_power = host_.supply_power;
    node_.server_price_date = host_.price_date;
    if (!host_.price) return;
    node_.server_price = host_.price;
    node_.server_price_range = host_.price_range;
    node_.server_price_origin = host_.price_origin;
    if (node_.gpu.id == host_.gpu_id && node_.gpus == host_.gpus) return;
    std::vector<Problem> quiet;
    const GpuSpec sold =
        host_.gpu_id.empty() ? GpuSpec{} : context_.catalog().gpu(host_.gpu_id, {context_.lookup.file, "", quiet});
    const bool known = node_.gpu.street_price && (sold.street_price || host_.gpu_id.empty());
    node_.server_price.reset();
    node_.server_price_range.reset();
    if (!known) return;
    Money price = *host_.price + *node_.gpu.street_price * node_.gpus;
    if (sold.street_price) price = price - *sold.street_price * host_.gpus;
    if (price <= Money()) return;
    node_.server_price = price;
    const Money added = price - *host_.price;
    if (const auto& range = host_.price_range)
      node_.server_price_range = {range->low + added, price, range->high + added};
    node_.server_price_origin += " with " + std::to_string(node_.gpus) + " x " + node_.gpu.id + " at street prices";
  }

  // One line for all that came from the server.
  void say_server() {
    std::vector<std::string> parts;
    const auto count = [](int n, const std::string& id) { return std::to_string(n) + " x " + id; };
    if (!keys_.gpu || !keys_.gpus) parts.push_back(count(node_.gpus, node_.gpu.id));
    if ((!keys_.cpu || !keys_.sockets) && !host_.cpu_id.empty()) parts.push_back(count(node_.sockets, node_.cpu.id));
    if (!keys_.memory && host_.memory.base() > 0) parts.push_back(format_quantity(node_.memory) + " of memory");
    if (!keys_.gpu_fabric)
      parts.push_back("GPU fabric " + (node_.gpu_fabric.link.id.empty()
                                           ? node_.gpu_fabric.shape
                                           : node_.gpu_fabric.link.id + " " + node_.gpu_fabric.shape));
    if (node_.nic && (!keys_.nic || !keys_.nics)) parts.push_back(count(node_.nics, node_.nic->id));
    if (!keys_.storage && !host_.storage_id.empty()) parts.push_back(count(node_.storage.count, node_.storage.tier.id));
    if (!keys_.cooling.kind && !host_.cooling.empty())
      parts.push_back(word_of(kCoolingWords, node_.cooling.kind) + " cooling");
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
    if (text.empty()) return;
    context_.assume(keys_.pointer, text,
                    "what " + source_name() + " has" +
                        (host_.wired && !host_.id.empty() ? ", and \"" + host_.id + "\" beside" : ""));
  }

  ReadContext& context_;
  const NodeKeys& keys_;
  bool alone_;
  Host host_;
  NodeSpec node_;
  std::optional<Bytes> device_capacity_;
};

}  // namespace

NodeSpec resolve_node(ReadContext& context, const NodeKeys& keys, bool alone) {
  return NodeResolver(context, keys, alone).resolve();
}

StorageArray resolve_array(ReadContext& context, const ArrayKeys& keys) {
  StorageArray array;
  if (keys.tier) {
    array.tier = *keys.tier;
  } else {
    array.tier = context.catalog().storage("nvme-gen4-dc", context.at(keys.pointer + "/tier"));
    context.assume(keys.pointer + "/tier", "nvme-gen4-dc", "default");
  }
  array.count = keys.count.value_or(keys.tier ? 1 : 2);
  if (!keys.count) context.assume(keys.pointer + "/count", std::to_string(array.count), "default");
  array.raid = keys.raid.value_or(array.count > 1 ? Raid::raid0 : Raid::none);
  if (!keys.raid && array.count > 1) context.assume(keys.pointer + "/raid", "raid0", "default for several devices");
  const RaidLevel level =
      context.catalog().raid(word_of(kRaidWords, array.raid), array.count, context.at(keys.pointer + "/raid"));
  array.sequential_efficiency = level.sequential_efficiency;
  array.capacity = keys.capacity;
  if (!array.tier.id.empty()) refuse_unknown(context, keys.pointer + "/tier", array.tier);
  note_estimates(context, "storage", array.tier, {"read", "write", "read_iops", "read_latency", "open_latency"});
  note_estimates(context, "raid", level, {"sequential_efficiency"});
  return array;
}

}  // namespace clustersim
