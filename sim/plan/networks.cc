#include "sim/plan/networks.h"

namespace clustersim {

namespace {

struct Usual {
  const char* card;
  bool many;  // of the fastest, one card for two GPUs too
};
constexpr Usual usual_cards[] = {{"eth-10g", false}, {"eth-25g", false}, {"eth-100g", false},
                                 {"ib-edr", false},  {"ib-hdr", true},   {"ib-ndr", true}};

// Direct-attached copper of 3 m, by the rate of the port.
std::optional<double> cable_price(const Catalog& catalog, Bandwidth rate) {
  constexpr double slow = 100e9 / 8;
  std::vector<Problem> quiet;
  return catalog.quantity("price", "cable-dac", rate.base() <= slow ? "price_per_100g_3m" : "price_per_400g_3m",
                          Dimension::money, {"", "", quiet});
}

}  // namespace

std::vector<NetworkChoice> network_choices(const Question& question, const MachineChoice& machine, int gpus,
                                           int count) {
  if (machine.rented || count == 1) return {NetworkChoice{}};
  std::vector<NetworkChoice> choices;
  if (machine.cards > 0) choices.push_back({});
  if (!machine.own_cards) return choices;
  if (machine.cards > 1) choices.push_back({"", 1});
  const auto add = [&](const std::string& card, bool many) {
    if (card == machine.card) return;  // it has these
    choices.push_back({card, 1});
    if (many && gpus >= 4) choices.push_back({card, gpus / 2});
  };
  if (question.networks) {
    for (const std::string& card : *question.networks) add(card, true);
  } else {
    for (const Usual& usual : usual_cards) add(usual.card, usual.many);
  }
  return choices;
}

std::optional<Money> network_cost(const Scenario& scenario, const NetworkChoice& network, const Catalog& catalog) {
  const Cluster& cluster = scenario.cluster;
  if (cluster.nodes() < 2) return Money();
  const NodeSpec& node = cluster.groups.front().node;
  const SwitchSpec& part = cluster.fabric.switch_spec;
  if (!node.nic || !part.price || part.ports < 1) return std::nullopt;
  const double ports = static_cast<double>(cluster.nodes()) * node.nics;
  Money cost = scenario.cost->self_hosted->network_price;  // of servers, the switches
  if (!network.card.empty()) {
    if (!node.nic->price) return std::nullopt;
    cost += *node.nic->price * ports;
  }
  const std::optional<double> cable = cable_price(catalog, cluster.fabric.link);
  if (!cable) return std::nullopt;
  const double cables = ports <= part.ports ? ports : 2 * ports;
  return cost + Money::from_base(*cable * cables);
}

}  // namespace clustersim
