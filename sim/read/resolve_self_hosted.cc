// What owning costs: the prices of the scenario, of a price list, of the catalog, or usual ones, in this order.
#include <cmath>

#include "sim/read/cost_reading.h"
#include "sim/read/json_value.h"
#include "sim/read/price_parts.h"

namespace clustersim {

namespace {

class SelfHostedResolver {
 public:
  SelfHostedResolver(CostReading& reading, const SelfHostedKeys& keys)
      : reading_(reading), keys_(keys), context_(reading.context) {}

  SelfHosted make() {
    add_servers();
    add_network();
    own_.racks = take("racks", keys_.racks, own_.racks_range).value_or(Money());
    own_.electricity =
        take("electricity", keys_.electricity, own_.electricity_range).value_or(dollars_per_kilowatt_hour(0.12));
    if (!said("electricity")) usual("electricity", "0.12 USD/kWh");
    own_.colocation = take("colocation", keys_.colocation, own_.colocation_range, Dimension::power_time_price);
    own_.staff = take("staff", keys_.staff, own_.staff_range);
    for (const char* key : {"racks", "colocation", "staff"})
      if (!said(key)) context_.assume(at(key), "none", "default");
    own_.pue = share("pue", keys_.pue, 1.4, "1.4");
    own_.years = share("years", keys_.years, 3.0, "3");
    own_.residual = share("residual", keys_.residual, 0.3, "0.3");
    own_.utilization = share("utilization", keys_.utilization, 0.6, "0.6");
    own_.support = share("support", keys_.support, 0.0, "0");
    own_.spares = share("spares", keys_.spares, 0.0, "0");
    return std::move(own_);
  }

 private:
  static std::string at(const std::string& key) { return "/cost/self_hosted/" + key; }

  bool said(const std::string& key) const { return said_.find(key + "\n") != std::string::npos; }

  void usual(const std::string& key, const std::string& text) {
    context_.assume(at(key), text, "default");
    reading_.book.add_usual(key, text, at(key));
  }

  double share(const char* key, const std::optional<double>& given, double usual_value, const std::string& text) {
    if (!given) context_.assume(at(key), text, "default");
    return given.value_or(usual_value);
  }

  // Of the scenario or the price list, with its range where it is one; empty where neither states it.
  template <class Q>
  std::optional<Q> take(const char* key, const std::optional<RangeOf<Q>>& stated, std::optional<RangeOf<Q>>& range,
                        std::optional<Dimension> dimension = {}) {
    std::optional<RangeOf<Q>> found = stated;
    if (stated)
      reading_.book.add_stated(key, range_text(*stated, dimension.value_or(DimensionOf<Q>::value)), at(key));
    else
      found = reading_.listed<Q>(key, {key}, at(key), dimension);
    if (!found) return std::nullopt;
    said_ += std::string(key) + "\n";
    range = if_wide(*found);
    return found->likely;
  }

  void add_servers() {
    if (keys_.server_price && keys_.parts) context_.fault(at("parts"), "either server_price or parts", "both");
    if (keys_.server_price) {
      own_.server_price = keys_.server_price->likely;
      own_.server_price_range = if_wide(*keys_.server_price);
      own_.server_price_origin = "scenario";
      reading_.book.add_stated("servers", range_text(*keys_.server_price) + " each", at("server_price"));
      return;
    }
    RangeOf<Money> sum;
    int nodes = 0;
    for (const NodeGroup& group : reading_.scenario.cluster.groups) {
      const auto each = price_of(group.node);
      if (!each) {
        context_.assume(at("server_price"), "unknown",
                        keys_.parts ? "a part of it has no price: ownership stays unpriced"
                                    : "the catalog prices no such server: ownership stays unpriced");
        return;
      }
      sum.low += each->low * group.count;
      sum.likely += each->likely * group.count;
      sum.high += each->high * group.count;
      nodes += group.count;
    }
    if (nodes == 0) return;
    own_.server_price = sum.likely / nodes;
    own_.server_price_range = if_wide(RangeOf<Money>{sum.low / nodes, sum.likely / nodes, sum.high / nodes});
    context_.estimate(at("server_price"), format_quantity(*own_.server_price), own_.server_price_origin);
  }

  std::optional<RangeOf<Money>> price_of(const NodeSpec& node) {
    if (keys_.parts) {
      own_.server_price_origin = "the sum of its parts";
      return price_from_parts(reading_, *keys_.parts, node, own_.unpriced);
    }
    if (!node.server_id.empty()) {
      const auto listed = reading_.listed<Money>("servers", {node.server_id}, at("server_price"));
      if (listed) {
        own_.server_price_origin = "price list, \"" + node.server_id + "\"";
        return listed;
      }
    }
    if (!node.server_price) return std::nullopt;
    note_server_guess(node.server_id);
    if (node.server_price_origin.find("street prices") != std::string::npos)
      note_estimates(context_, "gpu", node.gpu, {"street_price"});
    own_.server_price_origin = "catalog, " + node.server_price_origin + ", " + node.server_price_date;
    const RangeOf<Money> price =
        node.server_price_range.value_or(RangeOf<Money>{*node.server_price, *node.server_price, *node.server_price});
    const std::string rule = rule_of(node.server_id);
    reading_.book.add({"servers", "price of " + node.server_id, range_text(price) + " each", node.server_price_date,
                       "catalog, " + node.server_price_origin + (rule.empty() ? "" : ": " + rule), at("server_price")});
    const bool composed = rule.find("barebone") != std::string::npos ||
                          node.server_price_origin.find("street prices") != std::string::npos;
    if (composed)
      reading_.book.warn("the price of " + node.server_id + " is put together, not an offer: " +
                         (rule.find("barebone") != std::string::npos ? rule : node.server_price_origin));
    if (if_wide(price))
      reading_.book.warn("sources differ on the price of " + node.server_id + ": " + range_text(price));
    return price;
  }

  // How the catalog came to the price of a server.
  std::string rule_of(const std::string& id) const {
    const auto document = context_.catalog().document("server", id);
    const JsonValue* rule = document ? document->find("price_rule") : nullptr;
    return rule ? rule->text : "";
  }

  void note_server_guess(const std::string& id) {
    if (!context_.catalog().has("server", id)) return;
    std::vector<Problem> quiet;
    note_estimates(context_, "server", context_.catalog().server(id, {context_.lookup.file, "", quiet}),
                   {"price", "price_range"});
  }

  // Switches by the ports they must have, and the cards of nodes that no server came with.
  void add_network() {
    if (const auto stated = take("network_price", keys_.network_price, own_.network_price_range)) {
      own_.network_price = *stated;
      return;
    }
    if (const auto listed = reading_.listed<Money>("network", {"network"}, at("network_price"))) {
      own_.network_price = listed->likely;
      own_.network_price_range = if_wide(*listed);
      return;
    }
    const Cluster& cluster = reading_.scenario.cluster;
    if (cluster.nodes() < 2) {
      context_.assume(at("network_price"), "0 USD", "one node needs no network");
      return;
    }
    double ports = 0;
    for (const NodeGroup& group : cluster.groups) {
      ports += static_cast<double>(group.count) * group.node.nics;
      if (!group.node.server_id.empty() || !group.node.nic) continue;
      note_estimates(context_, "nic", *group.node.nic, {"price"});
      add_part("nic", group.node.nic->id, group.node.nic->price, group.count * group.node.nics);
    }
    const SwitchSpec& part = cluster.fabric.switch_spec;
    note_estimates(context_, "switch", part, {"price"});
    if (part.id.empty() || part.ports < 1)
      own_.unpriced.push_back("the switch");
    else
      add_part("switch", part.id, part.price, switches(ports, part.ports));
    std::string missing;
    for (const std::string& name : own_.unpriced) missing += (missing.empty() ? "" : ", ") + name;
    context_.estimate(at("network_price"), format_quantity(own_.network_price),
                      missing.empty() ? "switches and cards at catalog prices, without cables"
                                      : "no price is known of " + missing + ": ownership stays unpriced");
  }

  void add_part(const std::string& kind, const std::string& id, const std::optional<Money>& price, double count) {
    std::optional<RangeOf<Money>> each = reading_.listed<Money>("network", {id}, at("network_price"));
    if (!each && price) {
      each = RangeOf<Money>{*price, *price, *price};
      reading_.book.add({"network", "price of " + id, number_text(count) + " x " + format_quantity(*price),
                         date_of(kind, id), "catalog, " + kind + "/" + id, at("network_price")});
    }
    if (!each) {
      own_.unpriced.push_back(id);
      return;
    }
    const RangeOf<Money> known =
        own_.network_price_range.value_or(RangeOf<Money>{own_.network_price, own_.network_price, own_.network_price});
    own_.network_price += each->likely * count;
    own_.network_price_range =
        if_wide(RangeOf<Money>{known.low + each->low * count, own_.network_price, known.high + each->high * count});
  }

  // The year that the catalog's file gives its prices, "" where it does not.
  std::string date_of(const std::string& kind, const std::string& id) const {
    const auto document = context_.catalog().document(kind, id);
    const JsonValue* date = document ? document->find("price_date") : nullptr;
    return date ? date->text : "";
  }

  // One switch, or leaves with 1 / (1 + oversubscription) of their ports up and the spines that these need.
  double switches(double ports, int ports_each) const {
    if (ports <= ports_each) return 1;
    const double o = reading_.scenario.cluster.fabric.oversubscription;
    const double leaves = std::ceil(ports / std::floor(ports_each * o / (1 + o)));
    return leaves + std::ceil(leaves * ports_each / (1 + o) / ports_each);
  }

  CostReading& reading_;
  const SelfHostedKeys& keys_;
  ReadContext& context_;
  SelfHosted own_;
  std::string said_;  // keys that the scenario or the list states, a line each
};

}  // namespace

SelfHosted resolve_self_hosted(CostReading& reading, const SelfHostedKeys& keys) {
  return SelfHostedResolver(reading, keys).make();
}

}  // namespace clustersim
