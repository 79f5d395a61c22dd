// The keys of a scenario, and of its "cost".
#include "sim/read/hardware_part.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

namespace {

void visit_parts(FieldVisitor& v, PartsKeys& parts) {
  const auto one = [&](const char* name, const char* meaning, const char* usual, std::optional<RangeOf<Money>>& price) {
    v.key({.name = name, .meaning = meaning, .default_text = usual, .min = 0, .max = 1e9}, price);
  };
  one("gpu", "one GPU", "the catalog's street price", parts.gpu);
  one("cpu", "one processor", "the catalog's list price", parts.cpu);
  one("nic", "one network card, of a server that has its own", "that of the catalog", parts.nic);
  one("storage", "all drives of one server", "the catalog's price where their capacity is given", parts.storage);
  one("rest", "board, case, power supplies and whatever else one server has", "none: it then stays unpriced",
      parts.rest);
  v.key({.name = "memory", .meaning = "by size", .default_text = "none: it then stays unpriced", .min = 0, .max = 1},
        parts.memory);
}

}  // namespace

void visit_self_hosted(FieldVisitor& v, SelfHostedKeys& keys) {
  v.key({.name = "server_price",
         .meaning = "one whole server",
         .default_text = "that of the catalog",
         .min = 0,
         .max = 1e10},
        keys.server_price);
  v.object({.name = "parts",
            .meaning = "one server as the sum of its parts, in place of server_price",
            .default_text = "the price of the whole"},
           [&](FieldVisitor& in) { visit_parts(in, keys.parts.emplace()); });
  v.key({.name = "network_price",
         .meaning = "switches, cards and cables of the cluster",
         .default_text = "from catalog prices",
         .min = 0,
         .max = 1e12},
        keys.network_price);
  v.key({.name = "electricity", .meaning = "price of energy", .default_text = "0.12 USD/kWh", .min = 0, .max = 1e-3},
        keys.electricity);
  v.key({.name = "pue",
         .meaning = "energy of the site over that of the machines",
         .default_text = "1.4",
         .min = 1,
         .max = 10},
        keys.pue);
  v.key({.name = "years", .meaning = "until the machines are sold", .default_text = "3", .min = 0.1, .max = 30},
        keys.years);
  v.key({.name = "residual",
         .meaning = "share of the price that is left then",
         .default_text = "0.3",
         .min = 0,
         .max = 1},
        keys.residual);
  v.key({.name = "utilization",
         .meaning = "share of the hours in which the cluster works",
         .default_text = "0.6",
         .min = 0.001,
         .max = 1},
        keys.utilization);
  v.key({.name = "colocation",
         .meaning = "rent of installed power",
         .default_text = "none",
         .min = 0,
         .max = 1,
         .dimension = Dimension::power_time_price},
        keys.colocation);
  v.key({.name = "support",
         .meaning = "a year's support as a share of the servers' price",
         .default_text = "0",
         .min = 0,
         .max = 1},
        keys.support);
  v.key({.name = "staff", .meaning = "people", .default_text = "none", .min = 0, .max = 1e3}, keys.staff);
  v.key({.name = "spares",
         .meaning = "spare parts bought with the servers, as a share of their price",
         .default_text = "0",
         .min = 0,
         .max = 1},
        keys.spares);
  v.key({.name = "racks",
         .meaning = "racks, power distribution and installation of the cluster; nothing is left of them at the end",
         .default_text = "none",
         .min = 0,
         .max = 1e12},
        keys.racks);
}

namespace {

void visit_spot(FieldVisitor& v, SpotKeys& keys) {
  v.key({.name = "interruptions",
         .meaning = "how often one instance is taken back",
         .default_text = "that of the catalog for its family; without one it stays unpriced",
         .min = 0,
         .max = 1,
         .dimension = Dimension::interruption_rate},
        keys.interruptions);
  v.key({.name = "restart",
         .meaning = "from an interruption to the next step: other instances, start, checkpoint read back",
         .default_text = "10 min",
         .min = 0,
         .max = 1e6},
        keys.restart);
}

constexpr const char* kServiceMeaning = "an id of price (clustersim catalog price) in place of a price";

void visit_storage(FieldVisitor& v, StoredKeys& keys) {
  v.key({.name = "size",
         .meaning = "what is kept while the run lasts",
         .default_text = "the data set",
         .min = 0,
         .max = 1e21},
        keys.size);
  v.key({.name = "price", .meaning = "by the month", .default_text = "of the service", .min = 0, .max = 1}, keys.price);
  v.key({.name = "service", .meaning = kServiceMeaning, .default_text = "the object store of the provider"},
        keys.service);
}

void visit_egress(FieldVisitor& v, SentKeys& keys) {
  v.key({.name = "size", .meaning = "what leaves the cloud in a run", .required = true, .min = 0, .max = 1e21},
        keys.size);
  v.key({.name = "price", .meaning = "of data", .default_text = "of the service", .min = 0, .max = 1}, keys.price);
  v.key({.name = "service", .meaning = kServiceMeaning, .default_text = "the provider's way to the internet"},
        keys.service);
}

void visit_cloud(FieldVisitor& v, CloudCostKeys& cloud, const Lookup& lookup) {
  hardware_part(v,
                {.name = "instance",
                 .meaning = "the instance",
                 .default_text = "that of the cluster, else the cheapest on demand per GPU of this kind"},
                "cloud", cloud.instance, lookup);
  v.choice({.name = "pricing", .meaning = "the tariff", .default_text = "on-demand"}, kPricingWords, cloud.pricing);
  v.key({.name = "utilization",
         .meaning = "of reserved pricing: share of the hours paid for that work",
         .default_text = "1",
         .min = 0.001,
         .max = 1},
        cloud.utilization);
  v.object({.name = "spot",
            .meaning = "of spot pricing: interruptions; what they lose depends on /job/checkpoint/every",
            .default_text = "those of the catalog"},
           [&](FieldVisitor& in) { visit_spot(in, cloud.spot.emplace()); });
  v.object({.name = "storage", .meaning = "data kept in the cloud during the run", .default_text = "none"},
           [&](FieldVisitor& in) { visit_storage(in, cloud.storage.emplace()); });
  v.object({.name = "egress", .meaning = "data taken out of the cloud", .default_text = "none"},
           [&](FieldVisitor& in) { visit_egress(in, cloud.egress.emplace()); });
}

void visit_cost(FieldVisitor& v, CostKeys& keys, const Lookup& lookup) {
  v.key({.name = "currency", .meaning = "of the answers", .default_text = "USD"}, keys.currency);
  v.key({.name = "date", .meaning = "of the prices", .default_text = "newest of the catalog"}, keys.date);
  v.object({.name = "self_hosted", .meaning = "bought machines", .default_text = "with catalog prices if cost is {}"},
           [&](FieldVisitor& in) { visit_self_hosted(in, keys.self_hosted.emplace()); });
  v.object({.name = "cloud",
            .meaning = "rented instances; the same job is simulated on them",
            .default_text = "the cheapest instance with this GPU if cost is {}"},
           [&](FieldVisitor& in) { visit_cloud(in, keys.cloud.emplace(), lookup); });
  v.json({.name = "prices",
          .meaning = "prices of your own, before those of the catalog: what `clustersim import prices` writes",
          .default_text = "none"},
         "name of a file beside the scenario, or its content in place", keys.prices);
  v.key({.name = "prices_region", .meaning = "the region of the list that counts", .default_text = "any"},
        keys.prices_region);
  v.texts({.name = "exchange",
           .meaning = "rates of your own: {\"date\": \"2026-07\", \"GBP\": \"1.27 USD\"}",
           .default_text = "EUR and CNY of the catalog"});
}

}  // namespace

void visit_scenario(FieldVisitor& v, ScenarioKeys& keys, const Lookup& lookup) {
  v.key({.name = "clustersim", .meaning = "version of this format", .required = true, .min = 1, .max = 1},
        keys.version);
  v.key({.name = "name", .meaning = "name in the report", .default_text = "that of the file"}, keys.name);
  v.key({.name = "seed", .meaning = "of every random number", .default_text = "1", .min = 0}, keys.seed);
  v.object({.name = "cluster", .meaning = "the machines", .required = true},
           [&](FieldVisitor& in) { visit_cluster(in, keys.cluster, lookup); });
  v.object({.name = "job", .meaning = "the training", .required = true},
           [&](FieldVisitor& in) { visit_job(in, keys.job, lookup); });
  v.object({.name = "cost", .meaning = "what it costs", .default_text = "no cost"},
           [&](FieldVisitor& in) { visit_cost(in, keys.cost.emplace(), lookup); });
}

}  // namespace clustersim
