#include "sim/read/resolve_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "sim/read/cloud_twin.h"

namespace clustersim {

std::optional<TimePrice> tariff(const CloudSpec& cloud, CloudPricing pricing) {
  switch (pricing) {
    case CloudPricing::on_demand:
      return cloud.on_demand;
    case CloudPricing::reserved_1y:
      return cloud.reserved_1y;
    case CloudPricing::reserved_3y:
      return cloud.reserved_3y;
    case CloudPricing::spot:
      return cloud.spot;
  }
  return std::nullopt;
}

namespace {

const char* tariff_field(CloudPricing pricing) {
  switch (pricing) {
    case CloudPricing::on_demand:
      return "on_demand";
    case CloudPricing::reserved_1y:
      return "reserved_1y";
    case CloudPricing::reserved_3y:
      return "reserved_3y";
    case CloudPricing::spot:
      return "spot";
  }
  return "";
}

class CostResolver {
 public:
  CostResolver(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates, Scenario& scenario)
      : context_(context), keys_(keys), cost_keys_(*keys.cost), rates_(rates), scenario_(scenario) {}

  void resolve() {
    scenario_.cost.emplace();
    const bool both = !cost_keys_.self_hosted && !cost_keys_.cloud;
    if (both) context_.assume("/cost", "self-hosted and cloud", "default: both, with catalog prices");
    add_currency();
    if (both || cost_keys_.self_hosted) add_self_hosted(cost_keys_.self_hosted.value_or(SelfHostedKeys{}));
    if (both || cost_keys_.cloud) add_cloud(cost_keys_.cloud.value_or(CloudCostKeys{}));
    if (!cost_keys_.date) note_catalog_dates();
    scenario_.cost->date = cost_keys_.date.value_or(newest_);
    if (cost_keys_.date && !months(*cost_keys_.date))
      context_.fault("/cost/date", "a year and month, such as \"2026-07\", or a day", "\"" + *cost_keys_.date + "\"");
    flag_old_prices();
    if (!cost_keys_.date && !newest_.empty()) context_.assume("/cost/date", newest_, "the newest of the catalog");
  }

 private:
  CostSpec& cost() { return *scenario_.cost; }

  // `what` is priced as of `date`.
  void note_price(const std::string& pointer, const std::string& what, const std::string& date) {
    note_newer(date);
    prices_.push_back({pointer, what, date});
  }

  // Months since year 0 of "2026", "2026-Q1", "2026-07" or "2026-07-20", in the middle of what is given; empty where it
  // is none of these.
  static std::optional<int> months(const std::string& date) {
    const auto digits = [&](std::size_t at, std::size_t count) {
      for (std::size_t i = at; i < at + count; ++i)
        if (i >= date.size() || date[i] < '0' || date[i] > '9') return -1;
      return std::stoi(date.substr(at, count));
    };
    const int year = digits(0, 4), month = digits(5, 2), day = digits(8, 2), quarter = digits(6, 1);
    if (year < 0 || (date.size() > 4 && date[4] != '-')) return std::nullopt;
    if (date.size() == 4) return 12 * year + 6;
    if (date.size() == 7 && date[5] == 'Q')
      return quarter >= 1 && quarter <= 4 ? std::optional(12 * year + 3 * quarter - 1) : std::nullopt;
    const bool has_day = date.size() == 10 && date[7] == '-' && day >= 1 && day <= 31;
    if (month < 1 || month > 12 || !(date.size() == 7 || has_day)) return std::nullopt;
    return 12 * year + month;
  }

  void note_newer(const std::string& date) {
    const int known = months(newest_).value_or(-1), next = months(date).value_or(-1);
    if (next > known || (next == known && date > newest_)) newest_ = date;
  }

  // Of all prices that are rented at.
  void note_catalog_dates() {
    std::vector<Problem> quiet;
    for (const std::string& id : context_.catalog().ids("cloud"))
      note_newer(context_.catalog().cloud(id, {context_.lookup.file, "", quiet}).on_demand_date);
  }

  void flag_old_prices() {
    const std::optional<int> today = months(cost().date);
    for (const DatedPrice& price : prices_) {
      const std::optional<int> then = months(price.date);
      if (!today || !then || std::abs(*today - *then) <= 12) continue;
      context_.estimate(price.pointer, price.what + " of " + price.date,
                        std::to_string(std::abs(*today - *then)) + " months from the date of the costs, " +
                            cost().date + ": ask for a new price");
    }
  }

  void add_currency() {
    cost().currency = cost_keys_.currency.value_or("USD");
    if (!cost_keys_.currency) context_.assume("/cost/currency", "USD", "default");
    const auto usd = in_usd(1.0, cost().currency, rates_);
    if (!usd) {
      std::string known = "USD";
      for (const auto& [code, rate] : rates_.usd_per_unit) known += ", " + code;
      context_.fault("/cost/currency", "one of: " + known, "\"" + cost().currency + "\"");
      return;
    }
    cost().currency_per_usd = 1 / *usd;
    if (cost().currency != "USD")
      context_.assume("/cost/currency", number_text(cost().currency_per_usd) + " " + cost().currency + " per USD",
                      "rate of the catalog, " + rates_.date);
  }

  template <class T>
  T take(const char* key, const std::optional<T>& given, T usual, const std::string& text) {
    if (!given) context_.assume(std::string("/cost/self_hosted/") + key, text, "default");
    return given.value_or(usual);
  }

  void add_self_hosted(const SelfHostedKeys& keys) {
    SelfHosted own;
    add_server_price(keys, own);
    add_network_price(keys, own);
    own.electricity = take("electricity", keys.electricity, dollars_per_kilowatt_hour(0.12), "0.12 USD/kWh");
    own.pue = take("pue", keys.pue, 1.4, "1.4");
    own.years = take("years", keys.years, 3.0, "3");
    own.residual = take("residual", keys.residual, 0.3, "0.3");
    own.utilization = take("utilization", keys.utilization, 0.6, "0.6");
    own.support = take("support", keys.support, 0.0, "0");
    own.colocation = keys.colocation;
    own.staff = keys.staff;
    if (!keys.colocation) context_.assume("/cost/self_hosted/colocation", "none", "default");
    if (!keys.staff) context_.assume("/cost/self_hosted/staff", "none", "default");
    cost().self_hosted = own;
  }

  void add_server_price(const SelfHostedKeys& keys, SelfHosted& own) {
    if (keys.server_price) {
      own.server_price = keys.server_price;
      own.server_price_origin = "scenario";
      return;
    }
    const std::string pointer = "/cost/self_hosted/server_price";
    Money sum;
    int nodes = 0;
    for (const NodeGroup& group : scenario_.cluster.groups) {
      if (!group.node.server_price) {
        context_.assume(pointer, "unknown", "the catalog prices no such server: ownership stays unpriced");
        return;
      }
      note_server_guess(group.node.server_id);
      if (group.node.server_price_origin.find("street prices") != std::string::npos)
        note_estimates(context_, "gpu", group.node.gpu, {"street_price"});
      sum += *group.node.server_price * group.count;
      nodes += group.count;
      own.server_price_origin = "catalog, " + group.node.server_price_origin + ", " + group.node.server_price_date;
      note_price(pointer, "price of " + group.node.server_id, group.node.server_price_date);
    }
    if (nodes == 0) return;
    own.server_price = sum / nodes;
    context_.estimate(pointer, format_quantity(*own.server_price), own.server_price_origin);
  }

  void note_server_guess(const std::string& id) {
    if (!context_.catalog().has("server", id)) return;
    std::vector<Problem> quiet;
    note_estimates(context_, "server", context_.catalog().server(id, {context_.lookup.file, "", quiet}), {"price"});
  }

  // Switches by the ports they must have, and the cards of nodes that no server came with.
  void add_network_price(const SelfHostedKeys& keys, SelfHosted& own) {
    if (keys.network_price) {
      own.network_price = *keys.network_price;
      return;
    }
    const std::string pointer = "/cost/self_hosted/network_price";
    const Cluster& cluster = scenario_.cluster;
    if (cluster.nodes() < 2) {
      context_.assume(pointer, "0 USD", "one node needs no network");
      return;
    }
    Money price;
    std::string unpriced;
    double ports = 0;
    for (const NodeGroup& group : cluster.groups) {
      ports += static_cast<double>(group.count) * group.node.nics;
      if (!group.node.server_id.empty() || !group.node.nic) continue;
      note_estimates(context_, "nic", *group.node.nic, {"price"});
      if (group.node.nic->price)
        price += *group.node.nic->price * (group.count * group.node.nics);
      else
        unpriced = group.node.nic->id;
    }
    const SwitchSpec& part = cluster.fabric.switch_spec;
    if (part.price && part.ports > 0) {
      price += *part.price * switches(ports, part.ports);
    } else {
      unpriced = part.id.empty() ? "the switch" : part.id;
    }
    own.network_price = price;
    note_estimates(context_, "switch", part, {"price"});
    context_.estimate(pointer, format_quantity(price),
                      unpriced.empty() ? "switches and cards at catalog prices, without cables"
                                       : "the catalog has no price of " + unpriced + ", which is left out");
  }

  // One switch, or leaves with 1 / (1 + oversubscription) of their ports up and the spines that these need.
  double switches(double ports, int ports_each) const {
    if (ports <= ports_each) return 1;
    const double o = scenario_.cluster.fabric.oversubscription;
    const double leaves = std::ceil(ports / std::floor(ports_each * o / (1 + o)));
    return leaves + std::ceil(leaves * ports_each / (1 + o) / ports_each);
  }

  // A price that the catalog only estimates is no offer to compare with, unless the scenario names the instance.
  static bool is_guess(const CloudSpec& cloud) {
    return std::any_of(cloud.estimated.begin(), cloud.estimated.end(),
                       [](const EstimatedField& field) { return field.field == "on_demand"; });
  }

  // The cheapest instance with the cluster's GPU, by the hour and GPU.
  std::optional<CloudSpec> cheapest() {
    if (scenario_.cluster.groups.empty()) return std::nullopt;
    const std::string& gpu = scenario_.cluster.groups.front().node.gpu.id;
    std::optional<CloudSpec> best;
    double best_price = 0;
    std::vector<Problem> quiet;  // a fault in an entry that nobody asked for is no fault of this file
    for (const std::string& id : context_.catalog().ids("cloud")) {
      CloudSpec candidate = context_.catalog().cloud(id, {context_.lookup.file, "", quiet});
      if (candidate.gpu_id != gpu || !candidate.on_demand || candidate.gpu_count < 1) continue;
      if (is_guess(candidate)) continue;
      const double price = candidate.on_demand->base() / candidate.gpu_count;
      if (best && price >= best_price) continue;
      if (!can_hold(candidate)) continue;
      best = std::move(candidate);
      best_price = price;
    }
    return best;
  }

  // Without a network card only one instance can work on a job.
  bool can_hold(const CloudSpec& cloud) const {
    return !cloud.nic_id.empty() || cloud.gpu_count >= scenario_.cluster.gpus();
  }

  std::optional<CloudSpec> choose(const CloudCostKeys& keys) {
    if (keys.instance) return keys.instance;
    if (keys_.cluster.node && keys_.cluster.node->cloud) return keys_.cluster.node->cloud;
    std::optional<CloudSpec> found = cheapest();
    if (found)
      context_.assume("/cost/cloud/instance", found->id, "the cheapest on demand per GPU of this kind");
    else
      context_.assume("/cost/cloud/instance", "none", "the catalog rents no such GPU: no cloud cost");
    return found;
  }

  bool cluster_is(const CloudSpec& cloud) const {
    return std::all_of(scenario_.cluster.groups.begin(), scenario_.cluster.groups.end(),
                       [&](const NodeGroup& g) { return g.node.server_id == cloud.id; });
  }

  void add_cloud(const CloudCostKeys& keys) {
    const std::optional<CloudSpec> cloud = choose(keys);
    if (!cloud || cloud->id.empty()) return;
    CloudCost rent;
    rent.instance_id = cloud->id;
    rent.pricing = keys.pricing.value_or(CloudPricing::on_demand);
    if (!keys.pricing) context_.assume("/cost/cloud/pricing", "on-demand", "default");
    rent.price = tariff(*cloud, rent.pricing);
    rent.price_date = rent.pricing == CloudPricing::spot ? cloud->spot_date : cloud->on_demand_date;
    if (!rent.price) {
      std::string known;
      for (const auto& word : kPricingWords)
        if (tariff(*cloud, word.value)) known += (known.empty() ? "" : ", ") + std::string(word.name);
      context_.fault("/cost/cloud/pricing",
                     "a tariff of \"" + cloud->id + "\": " + (known.empty() ? "none known" : known),
                     "\"" + word_of(kPricingWords, rent.pricing) + "\"");
    }
    note_price("/cost/cloud/pricing", "price of " + rent.instance_id, rent.price_date);
    note_estimates(context_, "cloud", *cloud, {tariff_field(rent.pricing)});
    if (cluster_is(*cloud)) {
      rent.instances = scenario_.cluster.nodes();
    } else {
      rent.instances = add_cloud_twin(context_, keys_.job, *cloud, scenario_);
    }
    cost().cloud = rent;
  }

  ReadContext& context_;
  const ScenarioKeys& keys_;
  const CostKeys& cost_keys_;
  const ExchangeRates& rates_;
  Scenario& scenario_;
  struct DatedPrice {
    std::string pointer, what, date;
  };
  std::string newest_;
  std::vector<DatedPrice> prices_;
};

}  // namespace

void resolve_cost(ReadContext& context, const ScenarioKeys& keys, const ExchangeRates& rates, Scenario& scenario) {
  if (keys.cost) CostResolver(context, keys, rates, scenario).resolve();
}

}  // namespace clustersim
