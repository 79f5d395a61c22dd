// A question file, read: a job, when it must be done, and what it may cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clustersim/plan.h"
#include "sim/read/catalog.h"
#include "sim/read/json_value.h"
#include "sim/read/scenario_keys.h"

namespace clustersim {

enum class OwnOrRentWish : std::uint8_t { either, own, rent };

struct QuestionKeys {
  std::optional<int> version;
  std::optional<std::string> name, budget, region;
  JobKeys job;
  std::optional<Time> deadline;
  OwnOrRentWish own_or_rent = OwnOrRentWish::either;
  CloudPricing pricing = CloudPricing::on_demand;
  std::optional<SelfHostedKeys> self_hosted;
  std::optional<std::vector<std::string>> only, without, networks;
  std::optional<int> global_batch, runs;
  std::optional<std::string> batches;  // a list, as JSON
  int most_machines = 64;
};

void visit_question(FieldVisitor& v, QuestionKeys& keys, const Lookup& lookup);

struct Question {
  std::string file, name, goal, region;
  std::string job, self_hosted;  // JSON text, for the scenario of each machine
  std::string currency = "USD";
  std::optional<double> deadline_s, budget;
  OwnOrRentWish own_or_rent = OwnOrRentWish::either;
  CloudPricing pricing = CloudPricing::on_demand;
  std::vector<std::string> only, without;            // ids of servers, instances and GPUs
  std::optional<std::vector<std::string>> networks;  // ids of cards that owned servers may get; empty: every one
  bool batch_given = false;                          // by the job
  bool sharded = false, divided = false;             // so that more machines hold more
  std::vector<int> batches;                          // of a GPU, those to be tried; empty: not said
  std::optional<int> global_batch;                   // samples of a step, on whatever machines
  std::optional<int> runs;                           // that the money is for; empty: one
  int most_machines = 64;
};

Question read_question(const std::string& path, const Catalog& catalog);

}  // namespace clustersim
