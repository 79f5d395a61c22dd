#include "sim/plan/machines.h"

#include <algorithm>

#include "sim/read/read_context.h"
#include "sim/read/resolve_cost.h"
#include "sim/read/scenario_words.h"

namespace clustersim {

namespace {

std::string tariff_key(CloudPricing pricing) {
  std::string key = word_of(kPricingWords, pricing);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string quoted(const std::string& text) {
  JsonValue value;
  value.kind = JsonValue::Kind::text;
  value.text = text;
  return to_text(value, 0);
}

class Choices {
 public:
  Choices(const Question& question, const Catalog& catalog, std::vector<std::pair<std::string, std::string>>& left_out)
      : question_(question), catalog_(catalog), left_out_(left_out) {}

  std::vector<MachineChoice> make() {
    if (question_.own_or_rent != OwnOrRentWish::rent)
      for (const std::string& id : catalog_.ids("server")) add_server(id);
    if (question_.own_or_rent != OwnOrRentWish::own)
      for (const std::string& id : catalog_.ids("cloud")) add_instance(id);
    return std::move(choices_);
  }

 private:
  bool wanted(const std::string& id, const std::string& gpu) const {
    const auto names = [&](const std::vector<std::string>& ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end() || std::find(ids.begin(), ids.end(), gpu) != ids.end();
    };
    return (question_.only.empty() || names(question_.only)) && !names(question_.without);
  }

  void leave_out(const std::string& why, const std::string& id) { left_out_.emplace_back(why, id); }

  void add_server(const std::string& id) {
    std::vector<Problem> quiet;
    const ServerSpec server = catalog_.server(id, {question_.file, "", quiet});
    if (server.gpu_count < 1 || !wanted(id, server.gpu_id)) return;
    if (!server.price) return leave_out("no price of the whole machine is known", id);
    MachineChoice choice;
    choice.id = id;
    choice.clusters = server.rack_units > 0;  // desktops and open frames are not cabled into a cluster
    choice.price_date = server.price_date;
    choice.scenario = scenario_of(id, R"({"self_hosted": )" + question_.self_hosted + ", ");
    for (const PartCount& nic : server.nics) {
      if (nic.role != "compute") continue;
      if (choice.cards == 0) choice.card = nic.id;
      choice.cards += nic.count;
    }
    choice.own_cards = !on_gpus(server);
    choices_.push_back(std::move(choice));
  }

  // Cards on the dies of the GPUs come and go with these.
  bool on_gpus(const ServerSpec& server) const {
    return std::any_of(server.pcie_tree.begin(), server.pcie_tree.end(), [&](const PcieVertex& card) {
      return card.kind == "nic" &&
             std::any_of(server.pcie_tree.begin(), server.pcie_tree.end(),
                         [&](const PcieVertex& v) { return v.id == card.parent && v.kind == "gpu"; });
    });
  }

  void add_instance(const std::string& id) {
    std::vector<Problem> quiet;
    const CloudSpec cloud = catalog_.cloud(id, {question_.file, "", quiet});
    if (cloud.gpu_count < 1 || !wanted(id, cloud.gpu_id)) return;
    const bool in_china = question_.region == "CHN";
    if ((cloud.currency == "CNY") != in_china)
      return leave_out(in_china ? "not priced in China" : "priced in China alone", id);
    const std::string word = word_of(kPricingWords, question_.pricing);
    if (!tariff(cloud, question_.pricing)) return leave_out("no " + word + " price is known", id);
    MachineChoice choice;
    choice.id = id;
    choice.rented = true;
    choice.clusters = !cloud.nic_id.empty() && !rented_alone(id);
    const std::string key = tariff_key(question_.pricing);
    choice.guessed_price = std::any_of(cloud.estimated.begin(), cloud.estimated.end(), [&](const EstimatedField& e) {
      return e.field == key && e.why.find(" per USD (") == std::string::npos;  // a conversion is no guess
    });
    if (question_.pricing == CloudPricing::on_demand && cloud.on_demand_range) choice.guessed_price = true;
    choice.price_date = question_.pricing == CloudPricing::spot ? cloud.spot_date : cloud.on_demand_date;
    choice.scenario =
        scenario_of(id, R"({"cloud": {"instance": )" + quoted(id) + R"(, "pricing": )" + quoted(word) + "}, ");
    choices_.push_back(std::move(choice));
  }

  // Containers that are rented one by one and joined by no network worth the name: the catalog says so as a fact.
  bool rented_alone(const std::string& id) const {
    const auto document = catalog_.document("cloud", id);
    const JsonValue* facts = document ? document->find("facts") : nullptr;
    return facts != nullptr && facts->find("alone") != nullptr;
  }

  JsonValue scenario_of(const std::string& id, const std::string& cost) const {
    const std::string text = R"({"clustersim": 1, "name": )" + quoted(id) + R"(, "cluster": {"nodes": 1, "region": )" +
                             quoted(question_.region) + R"(, "node": {"server": )" + quoted(id) + R"(}}, "job": )" +
                             question_.job + R"(, "cost": )" + cost + R"("currency": )" + quoted(question_.currency) +
                             "}}";
    std::vector<Problem> problems;
    JsonValue document = parse_json(text, id, problems);
    require(problems.empty(), "the scenario of a machine is sound JSON");
    return document;
  }

  const Question& question_;
  const Catalog& catalog_;
  std::vector<std::pair<std::string, std::string>>& left_out_;
  std::vector<MachineChoice> choices_;
};

}  // namespace

std::vector<MachineChoice> machine_choices(const Question& question, const Catalog& catalog,
                                           std::vector<std::pair<std::string, std::string>>& left_out) {
  return Choices(question, catalog, left_out).make();
}

}  // namespace clustersim
