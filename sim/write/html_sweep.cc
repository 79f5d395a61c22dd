// The data of a study's page: its rows as columns, its fronts as places in them.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "clustersim/page.h"
#include "clustersim/sweep.h"
#include "sim/sweep/study_keys.h"
#include "sim/write/html.h"
#include "sim/write/writers.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 10000;  // in the page: some 80 bytes a row

// The rows that the page holds, and where each of them is there.
class ShownRows {
 public:
  explicit ShownRows(const Sweep& sweep) : sweep_(sweep) {
    for (const std::size_t row : sweep.best) add(row);
    for (const SweepOffer& offer : sweep.cost_front) add(offer.row);
    std::vector<std::size_t> done;
    for (std::size_t r = 0; r < sweep.rows.size(); ++r)
      if (sweep.rows[r].status == SweepRow::Status::done) done.push_back(r);
    const std::size_t stride = std::max<std::size_t>(1, (done.size() + most_rows - 1) / most_rows);
    for (std::size_t i = 0; i < done.size(); i += stride) add(done[i]);
    left_out_ = done.size() - rows_.size();
  }

  std::size_t place(std::size_t row) const { return places_.at(row); }

  Json json() const {
    Json values = Json::array();
    for (std::size_t a = 0; a < sweep_.axes.size(); ++a) values.push_back(Json::array());
    Json limits = Json::array(), metrics = Json::object();
    for (const std::size_t r : rows_) {
      const SweepRow& row = sweep_.rows[r];
      const std::vector<std::size_t> at = sweep_.values_at(row.point);
      for (std::size_t a = 0; a < at.size(); ++a) values[a].push_back(at[a]);
      limits.push_back(row.limit_kind + " (" + row.limit_resource + ")");
    }
    for (const std::string& name : drawn_metrics()) {
      Json column = Json::array();
      for (const std::size_t r : rows_) {
        const auto value = sweep_.rows[r].metric(name);
        column.push_back(value ? Json(*value) : Json());
      }
      metrics[name] = std::move(column);
    }
    return {{"values", values}, {"metrics", metrics}, {"limit", limits}, {"left_out", left_out_}};
  }

  // Those that the page draws, as far as a row has them.
  std::vector<std::string> drawn_metrics() const {
    std::vector<std::string> names = {sweep_.objective, "time_to_train", "time_to_train_cloud", "cost_self_hosted",
                                      "cost_cloud",     "energy",        "throughput"};
    std::vector<std::string> drawn;
    for (const std::string& name : names)
      if (!std::count(drawn.begin(), drawn.end(), name) &&
          std::any_of(rows_.begin(), rows_.end(), [&](std::size_t r) { return sweep_.rows[r].metric(name); }))
        drawn.push_back(name);
    return drawn;
  }

 private:
  void add(std::size_t row) {
    if (places_.try_emplace(row, rows_.size()).second) rows_.push_back(row);
  }

  const Sweep& sweep_;
  std::vector<std::size_t> rows_;
  std::map<std::size_t, std::size_t> places_;
  std::size_t left_out_ = 0;
};

Json axes_json(const Sweep& sweep) {
  Json axes = Json::array();
  for (const StudyAxis& axis : sweep.axes) axes.push_back({{"name", axis.name}, {"labels", axis.labels}});
  return axes;
}

Json units_json(const std::vector<std::string>& names) {
  Json units = Json::object();
  for (const std::string& name : names) {
    const KnownMetric* known = find_metric(name);
    if (known) units[name] = known->dimension == Dimension::money ? "money" : known->unit;
  }
  return units;
}

Json sensitivities_json(const Sweep& sweep) {
  Json json = Json::array();
  for (const Sensitivity& s : sweep.sensitivities) {
    Json relative = Json::array();
    for (const auto& [value, ratio] : s.relative) relative.push_back({value, ratio});
    json.push_back({{"axis", s.axis},
                    {"metric", s.metric},
                    {"pairs", s.pairs},
                    {"elasticity", s.elasticity ? Json(*s.elasticity) : Json()},
                    {"least", s.least ? Json(*s.least) : Json()},
                    {"most", s.most ? Json(*s.most) : Json()},
                    {"relative", relative}});
  }
  return json;
}

Json faults_json(const Sweep& sweep) {
  Json json = Json::array();
  for (const CommonFault& fault : sweep.faults)
    json.push_back({{"points", fault.points},
                    {"pointer", fault.pointer},
                    {"expected", fault.example.expected},
                    {"got", fault.example.got},
                    {"hint", fault.example.hint}});
  return json;
}

}  // namespace

std::string page(const Sweep& sweep) {
  const ShownRows shown(sweep);
  std::string currency;
  for (const SweepRow& row : sweep.rows)
    if (currency.empty()) currency = row.currency;
  Json data = {{"page", "sweep"},
               {"version", CLUSTERSIM_VERSION},
               {"name", sweep.name},
               {"points", sweep.rows.size()},
               {"filtered", sweep.filtered},
               {"invalid", sweep.invalid},
               {"failed", sweep.failed},
               {"feasible", sweep.feasible},
               {"objective", sweep.objective},
               {"maximize", sweep.maximize},
               {"currency", currency},
               {"axes", axes_json(sweep)},
               {"units", units_json(shown.drawn_metrics())},
               {"rows", shown.json()},
               {"best", Json::array()},
               {"front", Json::array()},
               {"constraints", Json::array()},
               {"sensitivities", sensitivities_json(sweep)},
               {"faults", faults_json(sweep)}};
  for (const std::size_t row : sweep.best) data["best"].push_back(shown.place(row));
  for (const SweepOffer& offer : sweep.cost_front)
    data["front"].push_back(
        {{"row", shown.place(offer.row)}, {"rented", offer.rented}, {"time_s", offer.time_s}, {"cost", offer.cost}});
  for (const SweepConstraint& constraint : sweep.constraints) data["constraints"].push_back(constraint.text);
  return page_of(sweep.name + " - clustersim", data.dump(-1, ' ', false, Json::error_handler_t::replace),
                 write(sweep, "table"));
}

}  // namespace clustersim
