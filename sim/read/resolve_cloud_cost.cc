// What renting costs: the tariff of the instance, what interruptions do to it, and data kept and taken out.
#include <algorithm>

#include "sim/read/cloud_twin.h"
#include "sim/read/cost_reading.h"
#include "sim/read/json_value.h"
#include "sim/read/resolve_cost.h"
#include "sim/read/spot_rates.h"

namespace clustersim {

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

const std::string& tariff_date(const CloudSpec& cloud, CloudPricing pricing) {
  if (pricing == CloudPricing::on_demand) return cloud.on_demand_date;
  return pricing == CloudPricing::spot ? cloud.spot_date : cloud.reserved_date;
}

// Where data of a provider's instances is usually kept, and what leaving costs: ids of the catalog's prices.
struct UsualService {
  const char* provider;
  const char* storage;
  const char* egress;
};
constexpr UsualService kUsualServices[] = {
    {"AWS", "aws-s3-standard", "aws-internet-egress-first-10-tb"},
    {"Azure", "azure-blob-hot-lrs", "azure-internet-egress"},
    {"GCP", "gcp-cloud-storage-standard", "gcp-internet-egress-premium-tier"},
    {"Lambda", "lambda-runpod-persistent-volume", "lambda-egress"},
    {"RunPod", "lambda-runpod-persistent-volume", ""},
    {"Aliyun", "aliyun-oss-standard", "aliyun-internet-egress"},
};

class CloudCostResolver {
 public:
  CloudCostResolver(CostReading& reading, const CloudCostKeys& keys)
      : reading_(reading), keys_(keys), context_(reading.context) {}

  std::optional<CloudCost> make() {
    const std::optional<CloudSpec> cloud = choose();
    if (!cloud || cloud->id.empty()) return std::nullopt;
    rent_.instance_id = cloud->id;
    rent_.pricing = keys_.pricing.value_or(CloudPricing::on_demand);
    if (!keys_.pricing) context_.assume(at("pricing"), "on-demand", "default");
    add_tariff(*cloud);
    add_reserved();
    if (cluster_is(*cloud))
      rent_.instances = reading_.scenario.cluster.nodes();
    else
      rent_.instances = add_cloud_twin(context_, reading_.keys.job, *cloud, reading_.scenario);
    add_spot(*cloud);
    add_storage(*cloud);
    add_egress(*cloud);
    return std::move(rent_);
  }

 private:
  static std::string at(const std::string& key) { return "/cost/cloud/" + key; }

  // A price that the catalog only estimates is no offer to compare with, unless the scenario names the instance.
  static bool is_guess(const CloudSpec& cloud) {
    return std::any_of(cloud.estimated.begin(), cloud.estimated.end(),
                       [](const EstimatedField& field) { return field.field == "on_demand"; });
  }

  // The cheapest instance with the cluster's GPU, by the hour and GPU; one with as many GPUs as a node has, if any.
  std::optional<CloudSpec> cheapest() {
    if (reading_.scenario.cluster.groups.empty()) return std::nullopt;
    const std::string& gpu = reading_.scenario.cluster.groups.front().node.gpu.id;
    std::optional<CloudSpec> best;
    const int node_gpus = reading_.scenario.cluster.groups.front().node.gpus;
    double best_price = 0;
    bool best_small = false;
    std::vector<Problem> quiet;  // a fault in an entry that nobody asked for is no fault of this file
    for (const std::string& id : context_.catalog().ids("cloud")) {
      CloudSpec candidate = context_.catalog().cloud(id, {context_.lookup.file, "", quiet});
      if (candidate.gpu_id != gpu || !candidate.on_demand || candidate.gpu_count < 1) continue;
      if (is_guess(candidate)) continue;
      // Of a price that sources differ on the dear end, which is sure to be enough.
      const TimePrice dear = candidate.on_demand_range ? candidate.on_demand_range->high : *candidate.on_demand;
      const double price = dear.base() / candidate.gpu_count;
      // Many small instances in place of one node are no match while there are others.
      const bool small = candidate.gpu_count < std::min(node_gpus, reading_.scenario.cluster.gpus());
      if (best && (small != best_small ? small : price >= best_price)) continue;
      if (!can_hold(candidate)) continue;
      best = std::move(candidate);
      best_price = price;
      best_small = small;
    }
    return best;
  }

  // Without a network card only one instance can work on a job.
  bool can_hold(const CloudSpec& cloud) const {
    return !cloud.nic_id.empty() || cloud.gpu_count >= reading_.scenario.cluster.gpus();
  }

  std::optional<CloudSpec> choose() {
    if (keys_.instance) return keys_.instance;
    const ClusterKeys& cluster = reading_.keys.cluster;
    if (cluster.node && cluster.node->cloud) return cluster.node->cloud;
    std::optional<CloudSpec> found = cheapest();
    if (found)
      context_.assume(at("instance"), found->id, "the cheapest on demand per GPU of this kind");
    else
      context_.assume(at("instance"), "none", "the catalog rents no such GPU: no cloud cost");
    return found;
  }

  bool cluster_is(const CloudSpec& cloud) const {
    const auto& groups = reading_.scenario.cluster.groups;
    return std::all_of(groups.begin(), groups.end(), [&](const NodeGroup& g) { return g.node.server_id == cloud.id; });
  }

  void add_tariff(const CloudSpec& cloud) {
    const std::string term = word_of(kPricingWords, rent_.pricing);
    const auto listed = reading_.listed<TimePrice>("instances", {cloud.id, cloud.instance}, at("pricing"), {}, term);
    if (listed) {
      rent_.price = listed->likely;
      rent_.price_range = if_wide(*listed);
      rent_.price_date = "the price list";
      return;
    }
    rent_.price = tariff(cloud, rent_.pricing);
    rent_.price_date = tariff_date(cloud, rent_.pricing);
    if (!rent_.price) {
      refuse_tariff(cloud, term);
      return;
    }
    if (rent_.pricing == CloudPricing::on_demand) rent_.price_range = cloud.on_demand_range;
    const RangeOf<TimePrice> price =
        rent_.price_range.value_or(RangeOf<TimePrice>{*rent_.price, *rent_.price, *rent_.price});
    reading_.book.add({"instances", "price of " + cloud.id, range_text(price) + " each, " + term, rent_.price_date,
                       "catalog, cloud/" + cloud.id, at("pricing")});
    if (!cloud.currency.empty() && cloud.currency != "USD")
      reading_.book.add_rate(cloud.currency, number_text(reading_.rates.usd_per_unit.at(cloud.currency)) + " USD",
                             reading_.rates.date_of(cloud.currency));
    if (rent_.price_range) reading_.book.warn("sources differ on the price of " + cloud.id + ": " + range_text(price));
    note_estimates(context_, "cloud", cloud, {tariff_field(rent_.pricing)});
    if (rent_.price_range) note_estimates(context_, "cloud", cloud, {"on_demand_range"});
  }

  void refuse_tariff(const CloudSpec& cloud, const std::string& term) {
    std::string known;
    for (const auto& word : kPricingWords)
      if (tariff(cloud, word.value)) known += (known.empty() ? "" : ", ") + std::string(word.name);
    context_.fault(at("pricing"), "a tariff of \"" + cloud.id + "\": " + (known.empty() ? "none known" : known),
                   "\"" + term + "\"");
  }

  // Reserved hours are paid whether they work or not.
  void add_reserved() {
    const bool reserved = rent_.pricing == CloudPricing::reserved_1y || rent_.pricing == CloudPricing::reserved_3y;
    if (!reserved) {
      if (keys_.utilization)
        context_.fault(at("utilization"), "reserved pricing", word_of(kPricingWords, rent_.pricing),
                       "only reserved hours are paid for when they are idle");
      return;
    }
    rent_.utilization = keys_.utilization.value_or(1.0);
    if (keys_.utilization) return;
    context_.assume(at("utilization"), "1", "default");
    reading_.book.warn(
        "reserved hours are paid for when idle too: counted as all in use; /cost/cloud/utilization "
        "says otherwise");
  }

  void add_spot(const CloudSpec& cloud) {
    if (rent_.pricing != CloudPricing::spot) {
      if (keys_.spot)
        context_.fault(at("spot"), "spot pricing", word_of(kPricingWords, rent_.pricing),
                       "only spot instances are taken back");
      return;
    }
    SpotMarket market;
    const SpotKeys keys = keys_.spot.value_or(SpotKeys{});
    std::optional<RangeOf<Frequency>> rate = keys.interruptions;
    if (rate) {
      reading_.book.add_stated("interruptions", range_text(*rate, Dimension::interruption_rate), at("spot"));
    } else if (const auto known = spot_rate(context_, cloud)) {
      rate = known->interruptions;
      context_.estimate(at("spot/interruptions"), range_text(*rate, Dimension::interruption_rate),
                        "economics/" + known->id + ": " + known->text);
      reading_.book.add({"interruptions", "rate of interruptions of " + cloud.id, known->text, known->date,
                         "catalog, economics/" + known->id, at("spot/interruptions")});
    } else {
      context_.assume(at("spot/interruptions"), "unknown", "no rate is known of this instance: it stays unpriced");
    }
    if (rate) {
      market.interruptions = rate->likely;
      market.interruptions_range = if_wide(*rate);
    }
    market.restart = keys.restart.value_or(seconds(600));
    if (!keys.restart)
      context_.estimate(at("spot/restart"), "10 min", "a guess: 3 to 15 min from an interruption to the next step");
    rent_.spot = market;
  }

  const UsualService* usual(const CloudSpec& cloud) const {
    const auto* found = std::find_if(std::begin(kUsualServices), std::end(kUsualServices),
                                     [&](const UsualService& s) { return cloud.provider == s.provider; });
    return found == std::end(kUsualServices) ? nullptr : found;
  }

  // A price stated, of the list, or of a service of the catalog; empty and told where there is none.
  template <class Price>
  std::optional<RangeOf<Price>> data_price(const std::string& line, const std::optional<RangeOf<Price>>& stated,
                                           const std::optional<std::string>& service, const std::string& usual_service,
                                           const char* field) {
    if (stated) {
      reading_.book.add_stated(line, range_text(*stated), at(line + "/price"));
      return stated;
    }
    if (!service)
      if (auto listed = reading_.listed<Price>(line, {line}, at(line + "/price"))) return listed;
    const std::string id = service.value_or(usual_service);
    if (id.empty()) return std::nullopt;
    const std::string pointer = at(line + "/service");
    const auto price = context_.catalog().quantity("price", id, field, DimensionOf<Price>::value, context_.at(pointer));
    const auto document = context_.catalog().document("price", id);
    if (!price || !document) {
      if (document && service)
        context_.fault(pointer, "a service with a price of data " + line, "\"" + id + "\"",
                       "clustersim catalog price lists them");
      return std::nullopt;
    }
    const JsonValue* date = document->find("date");
    const JsonValue* guess = document->find("estimated");
    const Price one = Price::from_base(*price);
    context_.estimate("price/" + id + "/" + field, format_quantity(one),
                      guess && guess->find(field) ? guess->find(field)->text : "of the catalog");
    reading_.book.add(
        {line, "price of " + id, format_quantity(one), date ? date->text : "", "catalog, price/" + id, pointer});
    return RangeOf<Price>{one, one, one};
  }

  void add_storage(const CloudSpec& cloud) {
    if (!keys_.storage) {
      context_.assume(at("storage"), "none", "default");
      return;
    }
    const StoredKeys& keys = *keys_.storage;
    const Job& job = reading_.scenario.job;
    const Bytes sample =
        job.data.container == Container::raw ? job.data.dataset.raw_bytes : job.data.dataset.record_bytes;
    rent_.stored = keys.size.value_or(sample * job.data.dataset.samples);
    if (!keys.size) context_.assume(at("storage/size"), format_quantity(rent_.stored), "the data set once");
    const UsualService* service = usual(cloud);
    const auto price =
        data_price<ByteTimePrice>("storage", keys.price, keys.service, service ? service->storage : "", "price");
    if (!price) return;
    rent_.storage_price = price->likely;
    rent_.storage_price_range = if_wide(*price);
  }

  void add_egress(const CloudSpec& cloud) {
    if (!keys_.egress) {
      context_.assume(at("egress"), "none", "default");
      return;
    }
    const SentKeys& keys = *keys_.egress;
    rent_.sent = keys.size.value_or(Bytes());
    const UsualService* service = usual(cloud);
    const auto price =
        data_price<BytePrice>("egress", keys.price, keys.service, service ? service->egress : "", "egress_price");
    if (!price) return;
    rent_.egress_price = price->likely;
    rent_.egress_price_range = if_wide(*price);
  }

  CostReading& reading_;
  const CloudCostKeys& keys_;
  ReadContext& context_;
  CloudCost rent_;
};

}  // namespace

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

std::optional<CloudCost> resolve_cloud_cost(CostReading& reading, const CloudCostKeys& keys) {
  return CloudCostResolver(reading, keys).make();
}

}  // namespace clustersim
