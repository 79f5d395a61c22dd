#include "clustersim/plan.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "clustersim/clustersim.h"
#include "sim/plan/search.h"
#include "sim/sweep/study.h"
#include "tests/sim/study_files.h"

using namespace clustersim;

namespace {

const study_files::Folder& folder() {
  static const study_files::Folder one("plan");
  return one;
}

// ResNet-50 for ten epochs of records in memory, on some machines.
std::string question(const std::string& limits, const std::string& only) {
  return folder().write("question.json", R"({"clustersim_question": 1, "name": "test",
    "job": {"model": "resnet-50", "target": {"epochs": 10}, "data": {"from": "synthetic"}},
    "machines": {"only": [)" + only + R"(], "most": 8}, )" +
                                             limits + "}");
}

const std::string some =
    R"("aws-p3-16xlarge", "aws-p4d-24xlarge", "aws-g4dn-xlarge", "aws-p5-48xlarge", "aws-g5-xlarge")";

std::set<std::string> faults(const std::string& text) {
  try {
    plan(folder().write("faulty.json", text));
  } catch (const InputError& error) {
    std::set<std::string> pointers;
    for (const Problem& p : error.problems()) pointers.insert(p.pointer);
    return pointers;
  }
  return {};
}

std::vector<std::string> names(const std::vector<PlanOffer>& offers) {
  std::vector<std::string> out;
  for (const PlanOffer& offer : offers) out.push_back(std::to_string(offer.count) + " " + offer.machine);
  return out;
}

}  // namespace

TEST_CASE("A question names every fault at once") {
  const auto found = faults(R"({"clustersim_question": 2, "job": {"model": "resnet-51", "batch": 3}, "deadline": "12",
    "budget": "-3 USD", "own_or_rent": "steal", "region": "Atlantis", "self_hosted": {"server_price": "3 USD"},
    "machines": {"only": ["dgx-a101"], "most": 0}, "more": 1})");
  for (const char* pointer :
       {"/clustersim_question", "/job/model", "/job/batch", "/deadline", "/budget", "/own_or_rent", "/region",
        "/self_hosted", "/machines/only/0", "/machines/most", "/more"}) {
    INFO(pointer);
    CHECK(found.count(pointer) == 1);
  }
  CHECK(faults(R"({"clustersim_question": 1, "job": {"model": "resnet-50"}})").count("") == 1);  // no limit at all
  // a step that takes as long on every GPU says nothing of which to take
  CHECK(faults(R"({"clustersim_question": 1, "deadline": "1 h",
    "job": {"model": {"emulated_step": "0.2 s", "batch": 4}, "target": {"samples": 100}}})")
            .count("/machines/only") == 1);
  // a job that no machine can run is at fault itself
  CHECK(
      faults(R"({"clustersim_question": 1, "job": {"model": "resnet-50", "batch_per_gpu": 65536}, "deadline": "1 h"})")
          .count("/job/batch_per_gpu") == 1);
}

TEST_CASE("What the bounds leave out would not have won") {
  const Catalog catalog = shared_catalog();
  for (const char* limits : {R"("deadline": "2 h", "budget": "30 USD")", R"("deadline": "20 min", "budget": "500 USD")",
                             R"("budget": "9 USD")"}) {
    const std::string path = question(limits, some);
    const Question asked = read_question(path, catalog);
    std::vector<std::pair<std::string, std::string>> left_out;
    std::vector<std::string> all;  // every offer of a search without bounds that keeps both
    int runs = 0;
    for (const MachineChoice& machine : machine_choices(asked, catalog, left_out)) {
      const MachineTried tried = try_machine(asked, machine, catalog, {false, false, false});
      runs += tried.runs;
      const PlanOffer* best = nullptr;
      for (const PlanOffer& offer : tried.offers) {
        const bool better =
            best == nullptr || (asked.deadline_s ? offer.outlay() < best->outlay() : offer.time_s < best->time_s);
        if (offer.in_time && offer.in_budget && better) best = &offer;
      }
      if (best != nullptr) all.push_back(std::to_string(best->count) + " " + best->machine);
    }
    const Plan answer = plan(path);
    std::vector<std::string> found = names(answer.offers);
    const std::vector<std::string> unproven = names(answer.unproven);
    found.insert(found.end(), unproven.begin(), unproven.end());
    std::sort(found.begin(), found.end());
    std::sort(all.begin(), all.end());
    INFO(limits);
    CHECK(found == all);
    CHECK(answer.runs <= runs);
  }
}

TEST_CASE("Offers keep deadline and budget, the least money first, each machine once") {
  const Plan answer = plan(question(R"("deadline": "3 h", "budget": "100 USD")", some));
  REQUIRE(answer.offers.size() > 1);
  std::set<std::string> machines;
  for (std::size_t o = 0; o < answer.offers.size(); ++o) {
    const PlanOffer& offer = answer.offers[o];
    CHECK(offer.time_s <= 3 * 3600);
    CHECK(offer.run_cost <= 100);
    CHECK(offer.worst_error.has_value());
    CHECK(machines.insert(offer.machine).second);
    if (o > 0) CHECK(answer.offers[o - 1].outlay() <= offer.outlay());
    // rent is price x machines x time
    const std::string text =
        R"({"clustersim": 1, "cluster": {"nodes": )" + std::to_string(offer.count) + R"(, "node": {"server": ")" +
        offer.machine +
        R"("}}, "job": {"model": "resnet-50", "target": {"epochs": 10}, "data": {"from": "synthetic"}},
                             "cost": {"cloud": {}}})";
    const Scenario same = read_scenario_text(text, "same", {});
    CHECK(offer.run_cost == Approx(same.cost->cloud->price->base() * offer.count * offer.time_s));
  }
}

TEST_CASE("For owning the budget is the purchase: servers and, of several, the network") {
  const auto ask = [](const std::string& limits) {
    return plan(question(R"("own_or_rent": "own", )" + limits, R"("dgx-a100-40gb", "8x-rtx-4090-server")"));
  };
  // 10 epochs of 1.28 M images at about 20,000/s take 10 min; one DGX is listed at 199,000 USD
  const Plan enough = ask(R"("deadline": "1 h", "budget": "200000 USD")");
  REQUIRE(enough.offers.size() >= 1);
  const PlanOffer& dgx = enough.offers.back();
  CHECK(dgx.machine == "dgx-a100-40gb");
  CHECK(*dgx.purchase == Approx(199000));
  CHECK(dgx.run_cost < 100);
  for (const PlanOffer& offer : ask(R"("deadline": "1 h", "budget": "198000 USD")").offers)
    CHECK(offer.machine != "dgx-a100-40gb");
  // The time of one, cut by 1.9, takes more of them: their network is bought too.
  const Plan two = ask(R"("deadline": ")" + std::to_string(dgx.time_s / 1.9) + R"( s", "budget": "2000000 USD")");
  for (const PlanOffer& offer : two.offers) {
    if (offer.machine != "dgx-a100-40gb") continue;
    CHECK(offer.count > 1);
    CHECK(*offer.purchase > 199000 * offer.count);
  }
}

TEST_CASE("Where nothing keeps both, what comes nearest misses one of them") {
  const Plan answer = plan(question(R"("deadline": "40 min", "budget": "1 USD")", some));
  CHECK(answer.offers.empty());
  CHECK(!answer.sure);
  // None is within 1 USD at all. What misses least stands first, and no product of the misses of others is less.
  REQUIRE(!answer.nearest.empty());
  const auto misses = [](const PlanOffer& o) { return std::max(1.0, o.time_s / 2400) * std::max(1.0, o.outlay() / 1); };
  for (const PlanOffer& offer : answer.tried)
    if (offer.proven) CHECK(misses(answer.nearest[0]) <= misses(offer));
  CHECK(std::any_of(answer.nearest.begin(), answer.nearest.end(), [](const PlanOffer& o) { return o.in_time; }));
  for (const PlanOffer& offer : answer.nearest) CHECK(!offer.in_budget);
  CHECK(write(answer, "table").find("Nothing keeps both limits") != std::string::npos);
}

TEST_CASE("What comes nearest is told where no machine has published rows either") {
  const Plan answer = plan(folder().write("decoder.json", R"({"clustersim_question": 1, "deadline": "1 h",
    "budget": "1 USD", "job": {"model": "llama-3-8b", "sharding": "full", "activation_checkpointing": true,
    "target": {"samples": 20000}}, "machines": {"only": ["aws-p5-48xlarge"], "most": 2}})"));
  CHECK(answer.offers.empty());
  CHECK(answer.unproven.empty());
  REQUIRE(!answer.nearest.empty());
  CHECK(answer.nearest[0].machine == "aws-p5-48xlarge");
  CHECK(write(answer, "table").find("What comes nearest") != std::string::npos);
}

TEST_CASE("Faults of the batch are told with those of the job") {
  const auto found = faults(R"({"clustersim_question": 1, "deadline": "1 h",
    "job": {"model": "resnet-50", "batch_per_gpu": 64, "accumulation": 2, "target": {"epochs": 1, "steps": 2}},
    "batch": {"per_gpu": [16, 0, 1.5], "global": 1024}, "machines": {"networks": ["eth-11g"]}})");
  for (const char* pointer : {"/batch/per_gpu", "/batch/per_gpu/1", "/batch/per_gpu/2", "/batch/global",
                              "/machines/networks/0", "/job/target"}) {
    INFO(pointer);
    CHECK(found.count(pointer) == 1);
  }
  CHECK(faults(R"({"clustersim_question": 1, "job": {"model": "resnet-50"}, "deadline": "1 h",
    "batch": {"per_gpu": 32}})")
            .count("/batch/per_gpu") == 1);
}

TEST_CASE("The batch is searched where the samples to a quality follow from it, and the fastest is kept") {
  const auto ask = [](const std::string& job) {
    return plan(folder().write("batch.json", R"({"clustersim_question": 1, "deadline": "24 h",
      "machines": {"only": ["lambda-gpu-8x-v100"], "most": 1}, "job": {"model": "resnet-50",
      "data": {"from": "synthetic"}, )" + job));
  };
  const Plan searched = ask(R"("optimizer": "lars", "target": {"quality": "mlperf"}}})");
  REQUIRE(searched.offers.size() == 1);
  const PlanOffer& best = searched.offers[0];
  for (const PlanBatch& batch : best.batches) {
    CHECK(best.time_s <= batch.time_s);
    CHECK(batch.global == 8 * batch.per_gpu);
    CHECK(!batch.extrapolated);  // 1,632 to 67,840 a step are published, and 204 to 256 a GPU fit in 16 GB
  }
  // In full precision fewer fit than are published: 32, 64 and 128 a GPU.
  const Plan full = ask(R"("optimizer": "lars", "precision": "fp32", "target": {"quality": "mlperf"}}})");
  REQUIRE(full.offers.size() == 1);
  REQUIRE(full.offers[0].batches.size() > 1);
  for (const PlanBatch& batch : full.offers[0].batches) {
    CHECK(full.offers[0].time_s <= batch.time_s);
    CHECK(batch.extrapolated);
  }
  // A target of epochs says nothing of the batch: it stays the usual one.
  const Plan usual = ask(R"("target": {"epochs": 1}}})");
  REQUIRE(usual.offers.size() == 1);
  CHECK(usual.offers[0].batches.size() == 1);
  CHECK(usual.offers[0].batch.per_gpu == 256);
  // A batch of the job is kept.
  CHECK(ask(R"("optimizer": "lars", "batch_per_gpu": 64, "target": {"quality": "mlperf"}}})").offers[0].batch.per_gpu ==
        64);
  CHECK(ask(R"("target": {"epochs": 1}}, "batch": {"per_gpu": [32, 128, 65536]}})").offers[0].batch.per_gpu == 128);
}

TEST_CASE("The samples of a step are kept on all machines by accumulation") {
  const Plan answer = plan(folder().write("step.json", R"({"clustersim_question": 1, "deadline": "1000 h",
    "job": {"model": "bert-large", "sequence_length": 512, "target": {"steps": 10}}, "batch": {"global": 4096},
    "machines": {"only": ["aws-p3-16xlarge", "aws-p4d-24xlarge", "lambda-gpu-1x-a6000"], "most": 3}})"));
  REQUIRE(answer.tried.size() > 3);
  for (const PlanOffer& offer : answer.tried) {
    INFO(offer.machine << " " << offer.count);
    CHECK(offer.batch.global == Approx(4096).epsilon(0.05));
    CHECK(offer.batch.global == offer.batch.per_gpu * offer.batch.accumulation * offer.gpus);
  }
}

TEST_CASE("Owned servers of a cluster are joined by the cheapest network that is in time, at the price of its parts") {
  const auto ask = [](const std::string& limits) {
    return plan(question(R"("own_or_rent": "own", )" + limits, R"("8x-rtx-4090-server")"));
  };
  const Plan one = ask(R"("deadline": "100 h")");
  const PlanOffer* alone = nullptr;
  for (const PlanOffer& offer : one.tried)
    if (offer.count == 1) alone = &offer;
  REQUIRE(alone != nullptr);
  CHECK(alone->network_cost == 0);
  CHECK(alone->network.empty());
  // Half the time takes two or more; 10 GbE hardly carries the gradients, a faster network does.
  const Plan more = ask(R"("deadline": ")" + std::to_string(alone->time_s / 1.9) + R"( s")");
  REQUIRE(!more.tried.empty());
  double least = 1e99;
  for (const PlanOffer& offer : more.tried)
    if (offer.in_time) least = std::min(least, offer.outlay());
  bool found = false;
  for (const PlanOffer& offer : more.tried) {
    if (offer.count == 1) continue;
    CHECK(*offer.purchase == Approx(34722 * offer.count + offer.network_cost).epsilon(1e-4));
    if (offer.network.find("1 x eth-10g") == 0) {  // cards at 250, one switch at 5,000, cables at 90 USD each
      CHECK(offer.network_cost == Approx(5000 + offer.count * (250 + 90)));
      found = true;
    }
    if (offer.in_time) CHECK(offer.outlay() >= least);
  }
  CHECK(found);
  const auto& best = more.offers.empty() ? more.unproven : more.offers;
  REQUIRE(!best.empty());
  CHECK(best[0].outlay() == Approx(least));
}

TEST_CASE("Money for many runs is rent, or machines and electricity, of all of them") {
  const auto ask = [](const std::string& runs) {
    return plan(question(R"("deadline": "5 h", "runs": )" + runs, R"("dgx-a100-40gb", "aws-p4d-24xlarge")"));
  };
  const Plan one = ask("1"), many = ask("100000");
  REQUIRE(one.offers.size() == 2);
  REQUIRE(many.offers.size() == 2);
  CHECK(one.offers[0].rented);    // a run of minutes pays no machine
  CHECK(!many.offers[0].rented);  // many do
  for (const PlanOffer& offer : many.offers) {
    CHECK(offer.runs == 100000);
    if (offer.rented) CHECK(offer.outlay() == Approx(1e5 * offer.run_cost));
    // 0.12 USD/kWh, the energy of a run in J with the site's overhead in it
    double energy = 0;
    for (const Metric& metric : offer.report.metrics)
      if (metric.name == "energy") energy = metric.value;
    if (!offer.rented) CHECK(offer.outlay() == Approx(199000 + 1e5 * 0.12 * energy / 3.6e6).epsilon(1e-6));
  }
}

TEST_CASE("A first epoch from cold storage is named where it sets the time") {
  // 1.28 M records of 116 kB from one SATA disk of some 0.5 GB/s take minutes; the second epoch is in memory.
  const Plan answer = plan(folder().write("cold.json", R"({"clustersim_question": 1, "deadline": "100 h",
    "job": {"model": "resnet-50", "target": {"epochs": 2}, "data": {"loader": "dali-gpu"}},
    "machines": {"only": ["aws-p3-16xlarge"], "most": 1}})"));
  REQUIRE(answer.offers.size() == 1);
  CHECK(answer.offers[0].limit_kind == "first epoch");
  CHECK(answer.offers[0].limit.find("reads 1") != std::string::npos);
}

TEST_CASE("Rivals within the errors of both are a toss-up, others are behind by price and GPU-hours") {
  const Plan answer = plan(question(R"("deadline": "3 h", "budget": "100 USD")", some));
  REQUIRE(answer.offers.size() > 1);
  CHECK(answer.offers[0].why_behind.empty());
  for (std::size_t o = 1; o < answer.offers.size(); ++o) {
    const PlanOffer &best = answer.offers[0], &offer = answer.offers[o];
    CHECK(offer.behind == Approx(offer.outlay() / best.outlay() - 1));
    CHECK(!offer.why_behind.empty());
    CHECK(offer.toss_up == (offer.behind <= std::hypot(*best.worst_error, *offer.worst_error)));
  }
}

TEST_CASE("A plan does not depend on the number of threads") {
  const std::string path = question(R"("deadline": "3 h", "budget": "100 USD")", some);
  CHECK(write(plan(path, {1}), "json") == write(plan(path, {3}), "json"));
}

TEST_CASE("Machines are rented where they are offered, and those that are not cabled work alone") {
  const Catalog catalog = shared_catalog();
  const auto ids = [&](const std::string& region, bool chinese) {
    const Question asked = read_question(
        folder().write("region.json", R"({"clustersim_question": 1, "job": {"model": "resnet-50"}, "deadline": "1 h",
          "region": ")" + region + R"("})"),
        catalog);
    std::vector<std::pair<std::string, std::string>> left_out;
    int count = 0;
    for (const MachineChoice& machine : machine_choices(asked, catalog, left_out)) {
      count += machine.rented && machine.id.starts_with("aws-china") == chinese ? 1 : 0;
      if (machine.id == "2x-rtx-3090-desktop") CHECK(!machine.clusters);
      if (machine.id == "dgx-a100-80gb") CHECK(machine.clusters);
      if (machine.id == "runpod-secure-rtx-4090") CHECK(!machine.clusters);  // pods at 100 Mbit/s
      if (machine.id == "aws-g5-xlarge") CHECK(machine.clusters);
    }
    return count;
  };
  CHECK(ids("USA", true) == 0);
  CHECK(ids("CHN", true) > 0);
}

TEST_CASE("Counts rise by one up to eight, then by a quarter of the power of two below") {
  CHECK(counts_up_to(20) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20});
  CHECK(counts_up_to(1) == std::vector<int>{1});
}
