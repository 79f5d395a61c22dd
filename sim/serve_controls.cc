// What a served scenario lets a reader change, and which values it takes.
#include <algorithm>

#include "clustersim/clustersim.h"
#include "clustersim/serve.h"
#include "sim/read/catalog.h"
#include "sim/read/json_value.h"
#include "sim/read/scenario_words.h"

namespace clustersim {
namespace {

constexpr std::size_t most_groups = 8;  // unequal nodes whose controls are shown

template <class Choices>
std::vector<std::string> words_of(const Choices& choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.name);
  return words;
}

// The value at a pointer as one would type it; "" where the file says nothing or more than one value.
std::string value_at(const JsonValue& document, const std::string& pointer) {
  const JsonValue* at = &document;
  for (std::size_t begin = 1; begin <= pointer.size() && at;) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string step = pointer.substr(begin, end - begin);
    if (at->kind == JsonValue::Kind::list) {
      const std::size_t index = std::stoul(step);  // pointers of controls, made here
      at = index < at->items.size() ? &at->items[index] : nullptr;
    } else {
      at = at->find(step);
    }
    begin = end + 1;
  }
  if (!at) return "";
  if (at->kind == JsonValue::Kind::text || at->kind == JsonValue::Kind::number) return at->text;
  return "";
}

class ControlList {
 public:
  ControlList(const JsonValue& document, const Catalog& catalog) : document_(document), catalog_(catalog) {}

  std::vector<Control> make() {
    const JsonValue* cluster = document_.find("cluster");
    const JsonValue* groups = cluster ? cluster->find("groups") : nullptr;
    if (groups && groups->kind == JsonValue::Kind::list) {
      for (std::size_t i = 0; i < std::min(most_groups, groups->items.size()); ++i)
        add_node("/cluster/groups/" + std::to_string(i), " of group " + std::to_string(i + 1));
    } else {
      add_node("/cluster", "");
    }
    add_network();
    if (cluster && cluster->find("storage"))
      integer("/cluster/storage/servers", "Storage", "storage servers", 1, 100000);
    add_job();
    add_prices();
    return std::move(controls_);
  }

 private:
  Control& add(Control::Kind kind, const std::string& pointer, const char* group, const std::string& label) {
    Control control;
    control.kind = kind;
    control.pointer = pointer;
    control.group = group;
    control.label = label;
    control.value = value_at(document_, pointer);
    controls_.push_back(std::move(control));
    return controls_.back();
  }
  void choice(const std::string& pointer, const char* group, const std::string& label,
              std::vector<std::string> choices) {
    add(Control::Kind::choice, pointer, group, label).choices = std::move(choices);
  }
  void integer(const std::string& pointer, const char* group, const std::string& label, double least, double most) {
    Control& control = add(Control::Kind::integer, pointer, group, label);
    control.least = least;
    control.most = most;
  }
  void number(const std::string& pointer, const char* group, const std::string& label, double least, double most) {
    Control& control = add(Control::Kind::number, pointer, group, label);
    control.least = least;
    control.most = most;
  }
  void quantity(const std::string& pointer, const char* group, const std::string& label, const char* example) {
    add(Control::Kind::quantity, pointer, group, label).example = example;
  }

  void add_node(const std::string& above, const std::string& of) {
    const std::string node = above + "/node";
    choice(node + "/gpu", "GPUs", "GPU" + of, catalog_.ids("gpu"));
    integer(node + "/gpus", "GPUs", "GPUs in a node" + of, 1, 64);
    quantity(node + "/gpu_power_limit", "GPUs", "power limit" + of, "300 W");
    quantity(node + "/gpu_clock_limit", "GPUs", "clock limit" + of, "1200 MHz");
    std::vector<std::string> servers = catalog_.ids("server");
    for (const std::string& cloud : catalog_.ids("cloud")) servers.push_back(cloud);
    integer(above + "/nodes", "Nodes", "nodes" + of, 1, 100000);
    choice(node + "/server", "Nodes", "server" + of, servers);
    choice(node + "/nic", "Network", "NIC" + of, catalog_.ids("nic"));
    integer(node + "/nics", "Network", "NICs in a node" + of, 0, 64);
    choice(node + "/storage/tier", "Storage", "drive" + of, catalog_.ids("storage"));
    integer(node + "/storage/count", "Storage", "drives in a node" + of, 1, 64);
    choice(node + "/cooling/kind", "Cooling", "cooling" + of, words_of(kCoolingWords));
    quantity(node + "/cooling/inlet", "Cooling", "inlet" + of, "25 degC");
    quantity(node + "/cooling/airflow", "Cooling", "airflow" + of, "100 CFM");
    choice(node + "/cooling/arrangement", "Cooling", "cards in the air" + of, words_of(kArrangementWords));
  }

  void add_network() {
    quantity("/cluster/fabric/link", "Network", "link", "100 Gbit/s");
    choice("/cluster/fabric/transport", "Network", "transport", words_of(kTransportWords));
    choice("/cluster/fabric/shape", "Network", "shape", words_of(kFabricWords));
    number("/cluster/fabric/oversubscription", "Network", "oversubscription", 1, 100);
  }

  void add_job() {
    choice("/job/data/from", "Storage", "data from", words_of(kDataSourceWords));
    choice("/job/data/loader", "Storage", "loader", words_of(kLoaderWords));
    integer("/job/data/workers_per_gpu", "Storage", "loader workers a GPU", 0, 1024);
    integer("/job/batch_per_gpu", "Batch", "batch a GPU", 1, 1000000);
    integer("/job/accumulation", "Batch", "micro-batches a step", 1, 1000);
    choice("/job/precision", "Batch", "precision", words_of(kPrecisionWords));
  }

  void add_prices() {
    quantity("/cost/self_hosted/server_price", "Prices", "a server", "150000 USD");
    quantity("/cost/self_hosted/network_price", "Prices", "the network", "20000 USD");
    quantity("/cost/self_hosted/electricity", "Prices", "electricity", "0.12 USD/kWh");
    number("/cost/self_hosted/pue", "Prices", "PUE", 1, 3);
    number("/cost/self_hosted/years", "Prices", "years in use", 0.5, 20);
    number("/cost/self_hosted/residual", "Prices", "price left at the end", 0, 1);
    number("/cost/self_hosted/utilization", "Prices", "share of the year in use", 0.01, 1);
    choice("/cost/cloud/instance", "Prices", "cloud instance", catalog_.ids("cloud"));
    choice("/cost/cloud/pricing", "Prices", "cloud tariff", words_of(kPricingWords));
  }

  const JsonValue& document_;
  const Catalog& catalog_;
  std::vector<Control> controls_;
};

}  // namespace

std::vector<Control> serve_controls(const ServedScenario& scenario) {
  std::vector<Problem> problems;
  const JsonValue document = parse_json(scenario.text, scenario.file, problems);
  if (!problems.empty()) throw InputError(problems);
  const Catalog catalog(data_directory());
  return ControlList(document, catalog).make();
}

}  // namespace clustersim
