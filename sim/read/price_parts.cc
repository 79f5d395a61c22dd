#include "sim/read/price_parts.h"

#include <algorithm>

namespace clustersim {

namespace {

template <class Q>
std::optional<RangeOf<Q>> alone(const std::optional<Q>& price) {
  return price ? std::optional(RangeOf<Q>{*price, *price, *price}) : std::nullopt;
}

class Parts {
 public:
  Parts(CostReading& reading, std::vector<std::string>& unpriced) : reading_(reading), unpriced_(unpriced) {}

  // `known`: the price of the catalog, of `date`.
  void add(const char* key, const std::string& id, const std::optional<RangeOf<Money>>& stated, double count,
           const std::optional<Money>& known = {}, const std::string& date = "") {
    if (count <= 0) return;
    const std::string pointer = at(key);
    std::optional<RangeOf<Money>> each = stated;
    if (stated)
      reading_.book.add_stated("servers", number_text(count) + " x " + range_text(*stated), pointer);
    else if (!id.empty())
      each = reading_.listed<Money>("servers", {id}, pointer);
    if (!each && known) {
      each = alone(known);
      reading_.book.add({"servers", "price of " + id, number_text(count) + " x " + format_quantity(*known), date,
                         "catalog, " + std::string(key) + "/" + id, pointer});
      reading_.context.estimate(pointer, format_quantity(*known), "catalog, " + std::string(key) + "/" + id);
    }
    sum(key, id,
        each ? std::optional(RangeOf<Money>{each->low * count, each->likely * count, each->high * count})
             : std::nullopt);
  }

  void add_memory(const std::optional<RangeOf<BytePrice>>& stated, Bytes size) {
    if (stated) reading_.book.add_stated("servers", format_quantity(size) + " at " + range_text(*stated), at("memory"));
    sum("memory", "",
        stated ? std::optional(RangeOf<Money>{stated->low * size, stated->likely * size, stated->high * size})
               : std::nullopt);
  }

  std::optional<RangeOf<Money>> total() const { return complete_ ? std::optional(total_) : std::nullopt; }

 private:
  static std::string at(const std::string& key) { return "/cost/self_hosted/parts/" + key; }

  void sum(const std::string& key, const std::string& id, const std::optional<RangeOf<Money>>& price) {
    if (!price) {
      unpriced_.push_back("the " + key + " of a server" + (id.empty() ? "" : ", " + id));
      complete_ = false;
      return;
    }
    total_.low += price->low;
    total_.likely += price->likely;
    total_.high += price->high;
  }

  CostReading& reading_;
  std::vector<std::string>& unpriced_;
  RangeOf<Money> total_;
  bool complete_ = true;
};

}  // namespace

std::optional<RangeOf<Money>> price_from_parts(CostReading& reading, const PartsKeys& keys, const NodeSpec& node,
                                               std::vector<std::string>& unpriced) {
  Parts parts(reading, unpriced);
  parts.add("gpu", node.gpu.id, keys.gpu, node.gpus, node.gpu.street_price, node.gpu.street_price_date);
  parts.add("cpu", node.cpu.id, keys.cpu, node.sockets, node.cpu.list_price);
  parts.add_memory(keys.memory, node.memory);
  const StorageArray& drives = node.storage;
  std::optional<Money> known;
  if (drives.tier.price && drives.capacity) known = *drives.tier.price * *drives.capacity;
  if (!drives.tier.id.empty()) parts.add("storage", drives.tier.id, keys.storage, 1, known, drives.tier.price_date);
  // Cards of nodes that are put together are priced with the network.
  if (node.nic && !node.server_id.empty()) parts.add("nic", node.nic->id, keys.nic, node.nics, node.nic->price);
  parts.add("rest", "", keys.rest, 1);
  return parts.total();
}

}  // namespace clustersim
