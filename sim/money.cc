#include "sim/money.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "models/outcome/availability.h"
#include "sim/bottleneck.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

std::string hours_text(Time time) { return rounded(time / hours(1)) + " h"; }

// A sum at the likely prices, and at the ends where one of its prices is a range.
struct Priced {
  Cost likely, low, high;
  bool ranged = false;
};

template <class Prices, class Function>
Priced priced(const Prices& prices, const RunUse& run, const Function& cost_of) {
  Priced out{cost_of(prices, run), {}, {}, has_range(prices)};
  if (!out.ranged) return out;
  out.low = cost_of(at_end(prices, RangeEnd::low), run);
  out.high = cost_of(at_end(prices, RangeEnd::high), run);
  return out;
}

class Accounts {
 public:
  Accounts(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain, Report& report)
      : cost_(*scenario.cost),
        own_job_(own),
        rented_job_(cloud ? *cloud : own),
        own_use_(own.projection.use(scenario.cluster)),
        rented_use_(rented_job_.projection.use(rented_job_.assembly.cluster())),
        explain_(explain),
        report_(report) {}

  void add() {
    report_.cost = CostBreakdown{cost_.currency, cost_.date};
    report_.cost->warnings = cost_.warnings;
    if (cost_.self_hosted) add_owned();
    if (cost_.cloud) add_rented();
    if (cost_.self_hosted && cost_.cloud) add_comparison();
  }

 private:
  void metric(const std::string& name, double value, const std::string& unit, const std::string& meaning) {
    report_.metrics.push_back({name, value, unit, meaning});
  }
  void note(const char* topic, std::string text) { report_.notes.push_back({topic, std::move(text)}); }
  void warn(std::string text) { report_.cost->warnings.push_back(std::move(text)); }

  double shown(Money money) const { return money.base() * cost_.currency_per_usd; }

  // The metric of a sum, and of its ends where it is a range.
  void add_sum(const std::string& name, const Priced& sum, const std::string& meaning) {
    if (!sum.likely.total) return;
    metric(name, shown(*sum.likely.total), cost_.currency, meaning);
    if (!sum.ranged || !sum.low.total) return;
    metric(name + "_low", shown(*sum.low.total), cost_.currency, "with every price that is a range at its low end");
    if (sum.high.total)
      metric(name + "_high", shown(*sum.high.total), cost_.currency,
             "with every price that is a range at its high end");
    else
      warn(name + " has no upper end: " + sum.high.unpriced.front());
  }

  void add_owned() {
    const Priced owned = priced(*cost_.self_hosted, own_use_, self_hosted_cost);
    take_apart("self-hosted", owned, report_.cost->owned);
    add_sum("cost_self_hosted", owned, "this run's share of owned machines");
    if (const auto year = annual_owned_cost(*cost_.self_hosted, own_use_))
      metric("cost_self_hosted_per_month", shown(*year) / 12, cost_.currency,
             "of the owned cluster, in use as the scenario says");
  }

  void add_rented() {
    const CloudCost& prices = *cost_.cloud;
    const Priced rented = priced(prices, rented_use_, cloud_cost);
    take_apart("cloud", rented, report_.cost->rented);
    add_sum("cost_cloud", rented, "this run on rented instances, for the time it takes there");
    metric("time_to_train_cloud", rented.likely.duration.base(), "s",
           prices.pricing == CloudPricing::spot ? "to the target on the rented instances, interruptions expected"
                                                : "to the target on the rented instances");
    note("cloud", std::to_string(prices.instances) + " x " + prices.instance_id + ": " +
                      rounded(rented_use_.duration / hours(1)) + " h at " + rounded(rented_job_.projection.throughput) +
                      " samples/s" + why_slower());
    if (prices.pricing == CloudPricing::spot) add_spot(prices);
  }

  // What limits the rented machines, where their GPUs do a tenth less than the owned ones.
  std::string why_slower() const {
    const auto per_gpu = [](const SimulatedJob& job) {
      return job.projection.throughput / job.assembly.cluster().gpus();
    };
    if (per_gpu(rented_job_) > 0.9 * per_gpu(own_job_)) return "";
    const Bottleneck limit = find_bottleneck(rented_job_.assembly, rented_job_.result.steady, rented_job_.result);
    return ", limited by " + limit.kind + ", " + rounded(100 * limit.share) + " % of the step";
  }

  void add_spot(const CloudCost& prices) {
    const auto spot = interruptions_of(prices, rented_use_);
    if (!spot) {
      warn("the time in the cloud is that without interruptions");
      return;
    }
    metric("spot_interruptions", spot->interruptions, "1", "expected in a run");
    metric("spot_lost_time", spot->lost.base(), "s", "expected: work done twice, and restarts");
    const bool saves = rented_use_.checkpoint_interval > Time();
    std::string text = rounded(spot->interruptions) + " interruptions expected, one in " + hours_text(spot->mtbf) +
                       " of the " + std::to_string(prices.instances) + " instances";
    if (spot->interruptions > 0)
      text += "; each loses " + hours_text(spot->lost / spot->interruptions) + " on the mean: what was done since " +
              (saves ? "the last checkpoint, " : "the start, as there are no checkpoints, ") + "and " +
              hours_text(prices.spot->restart) + " to start again";
    text += "; " + hours_text(spot->wall) + " in all";
    note("spot", text);
    add_checkpoint_hint(prices, *spot);
  }

  // What the best interval between checkpoints would do (Daly).
  void add_checkpoint_hint(const CloudCost& prices, const SpotRun& spot) {
    const auto blocking = checkpoint_time(rented_job_.assembly);
    if (!blocking || spot.interruptions <= 0) return;
    const Time bare = rented_use_.duration - rented_job_.projection.time.checkpoint;
    const Time interval = std::max(daly_interval(*blocking, spot.mtbf), checkpoint_write_time(rented_job_.assembly));
    if (interval <= Time() || interval >= bare) return;
    const Time work = bare * (1 + *blocking / interval);
    const auto best = spot_run(*prices.spot->interruptions, prices.instances, work, interval, prices.spot->restart);
    if (!best) return;
    const std::string every =
        interval < seconds(60) ? rounded(interval.base()) + " s" : rounded(interval.base() / 60) + " min";
    note("spot", "a checkpoint every " + every +
                     " (Daly's optimum, or what the drives can write; one holds the run up for " +
                     rounded(blocking->base()) + " s) would end it after " + hours_text(best->wall) +
                     ": /job/checkpoint/every");
  }

  const PriceOrigin* next_origin(const std::string& line, const PriceOrigin* after) const {
    bool passed = after == nullptr;
    for (const PriceOrigin& origin : cost_.origins) {
      if (passed && belongs(origin.line, line)) return &origin;
      passed = passed || &origin == after;
    }
    return nullptr;
  }

  // Prices of the servers are those of their spares and support too.
  static bool belongs(const std::string& origin, const std::string& line) {
    if (origin == line || origin == line + "_price") return true;
    if (origin == "servers") return line == "spares" || line == "support";
    return origin == "interruptions" && line == "instances";
  }

  std::string source_of(const std::string& line) const {
    std::string text;
    for (const PriceOrigin* o = next_origin(line, nullptr); o; o = next_origin(line, o)) {
      text += (text.empty() ? "" : "; ") + o->price + ", " + o->source;
      if (!o->date.empty())
        text += ", of " + o->date;
      else
        text += o->source == "scenario" ? ", taken as of " + cost_.date
                                        : (o->source == "default" ? "" : ", of when is not known");
    }
    return text;
  }

  void take_apart(const char* topic, const Priced& sum, std::vector<CostPart>& parts) {
    const auto amount_in = [&](const Cost& cost, const std::string& what, double otherwise) {
      for (const CostLine& line : cost.lines)
        if (line.what == what) return shown(line.amount);
      return otherwise;
    };
    for (const CostLine& line : sum.likely.lines) {
      const double amount = shown(line.amount);
      parts.push_back({line.what, amount, line.basis, sum.ranged ? amount_in(sum.low, line.what, 0) : amount,
                       sum.ranged ? amount_in(sum.high, line.what, amount) : amount, line.formula,
                       source_of(line.what)});
    }
    for (const std::string& part : sum.likely.unpriced) {
      report_.cost->unpriced.push_back(part);
      note(topic, "no price known for " + part + ": not priced");
    }
    if (explain_)
      for (const CostPart& part : parts) note(topic, explained(part));
  }

  std::string explained(const CostPart& part) const {
    const auto text = [&](double value) { return rounded(value) + " " + cost_.currency; };
    std::string line = part.what + ": " + text(part.amount);
    if (rounded(part.low) != rounded(part.high)) line += ", " + rounded(part.low) + " to " + text(part.high);
    line += " = " + part.formula;
    if (cost_.currency != "USD") line += " x " + rounded(cost_.currency_per_usd) + " " + cost_.currency + "/USD";
    line += " (" + part.basis + ")";
    return part.source.empty() ? line : line + "; price: " + part.source;
  }

  OwnOrRentPrices exchanged(OwnOrRentPrices p) const {
    for (double* money : {&p.purchase, &p.fixed_per_year, &p.electricity_per_hour, &p.rented_per_hour})
      *money *= cost_.currency_per_usd;
    return p;
  }

  void add_comparison() {
    const SelfHosted& own = *cost_.self_hosted;
    const CloudCost& cloud = *cost_.cloud;
    const auto likely = own_or_rent(own, own_use_, cloud, rented_use_);
    if (!likely) return;
    report_.cost->own_or_rent = exchanged(*likely);
    std::optional<OwnOrRentPrices> best, worst;  // for owning
    if (has_range(own) || has_range(cloud)) {
      best = own_or_rent(at_end(own, RangeEnd::low), own_use_, at_end(cloud, RangeEnd::high), rented_use_);
      worst = own_or_rent(at_end(own, RangeEnd::high), own_use_, at_end(cloud, RangeEnd::low), rented_use_);
    }
    const OwnOrRentPrices& p = *report_.cost->own_or_rent;
    const double use = p.utilization;
    metric("cost_cloud_per_month", p.rented_a_year(use) / 12, cost_.currency,
           "for the work that the owned cluster does in a month");
    metric("cost_self_hosted_over_years", p.owned_a_year(use) * p.years, cost_.currency,
           "of the owned cluster for as long as it is kept, the sale taken off");
    metric("cost_cloud_over_years", p.rented_a_year(use) * p.years, cost_.currency,
           "for the work that the owned cluster does meanwhile");
    add_break_even("break_even_utilization", "1",
                   "share of the year at which owning and renting cost the same; above it owning is cheaper; above 1 "
                   "never",
                   likely->break_even_utilization(), best ? best->break_even_utilization() : std::nullopt,
                   worst ? worst->break_even_utilization() : std::nullopt, worst.has_value());
    add_break_even("break_even_months", "months",
                   "until the rent saved has paid for the machines, without a sale, in use as the scenario says",
                   likely->break_even_months(), best ? best->break_even_months() : std::nullopt,
                   worst ? worst->break_even_months() : std::nullopt, worst.has_value());
    note_years(p);
  }

  void add_break_even(const std::string& name, const std::string& unit, const std::string& meaning,
                      std::optional<double> likely, std::optional<double> low, std::optional<double> high,
                      bool ranged) {
    if (likely) metric(name, *likely, unit, meaning);
    if (!ranged) return;
    if (low) metric(name + "_low", *low, unit, "with owning at its cheapest and renting at its dearest");
    if (high) metric(name + "_high", *high, unit, "with owning at its dearest and renting at its cheapest");
    if (low && !high)
      warn(name + " has no upper end: with owning at its dearest and renting at its cheapest it never pays");
  }

  // Both ways over the years, and the month in which what was paid for machines has been saved in rent.
  void note_years(const OwnOrRentPrices& p) {
    const double use = p.utilization, months = 12 * p.years;
    std::string text = "over " + rounded(p.years) + " years in use " + rounded(100 * use) + " % of the time: owning " +
                       rounded(p.owned_a_year(use) * p.years) + " " + cost_.currency + ", renting for the same work " +
                       rounded(p.rented_a_year(use) * p.years) + " " + cost_.currency;
    if (const auto crossing = p.break_even_months())
      text += "; without a sale the machines are paid for after " + rounded(*crossing) + " months" +
              (*crossing > months ? ", later than they are kept" : "");
    else
      text += "; renting costs less a month than running them";
    if (!p.break_even_utilization()) text += "; at no use is owning cheaper: its electricity alone costs as much";
    note("own or rent", text);
  }

  const CostSpec& cost_;
  const SimulatedJob& own_job_;
  const SimulatedJob& rented_job_;
  const RunUse own_use_, rented_use_;
  bool explain_;
  Report& report_;
};

}  // namespace

void add_money(const Scenario& scenario, const SimulatedJob& own, const SimulatedJob* cloud, bool explain,
               Report& report) {
  if (scenario.cost) Accounts(scenario, own, cloud, explain, report).add();
}

}  // namespace clustersim
