#include "sim/plan/question.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/read/did_you_mean.h"
#include "sim/read/file_kind.h"
#include "sim/read/hardware_part.h"
#include "sim/read/json_reader.h"
#include "sim/read/read_scenario.h"

namespace clustersim {

namespace {

constexpr Choice<OwnOrRentWish> kOwnOrRentWords[] = {
    {"either", OwnOrRentWish::either, "whichever takes less money"},
    {"own", OwnOrRentWish::own, "the budget buys the machines"},
    {"rent", OwnOrRentWish::rent, "the budget pays the run"},
};

constexpr int most_machines_ever = 4096;

// Every id that `only` and `without` may name.
std::vector<std::string> nameable(const Catalog& catalog) {
  std::vector<std::string> ids;
  for (const char* kind : {"server", "cloud", "gpu"})
    for (std::string& id : catalog.ids(kind)) ids.push_back(std::move(id));
  return ids;
}

void check_ids(const std::optional<std::vector<std::string>>& given, const char* key, const char* what,
               const std::string& file, const std::vector<std::string>& known, std::vector<Problem>& problems) {
  if (!given) return;
  for (std::size_t i = 0; i < given->size(); ++i)
    if (std::find(known.begin(), known.end(), (*given)[i]) == known.end())
      problems.push_back({file, "/machines/" + std::string(key) + "/" + std::to_string(i), what,
                          "\"" + (*given)[i] + "\"", did_you_mean((*given)[i], known)});
}

constexpr double largest_batch_ever = 1e7;

void read_batches(const std::optional<std::string>& json, Question& question, std::vector<Problem>& problems) {
  if (!json) return;
  const JsonValue list = parse_json(*json, question.file, problems);
  const char* form = "a list of whole numbers above 0, such as [16, 32, 64]";
  if (list.kind != JsonValue::Kind::list || list.items.empty()) {
    problems.push_back({question.file, "/batch/per_gpu", form, to_text(list), ""});
    return;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const JsonValue& item = list.items[i];
    const bool sound = item.kind == JsonValue::Kind::number && item.number >= 1 && item.number <= largest_batch_ever &&
                       item.number == std::floor(item.number);
    if (sound)
      question.batches.push_back(static_cast<int>(item.number));
    else
      problems.push_back({question.file, "/batch/per_gpu/" + std::to_string(i), "a whole number from 1 to 10000000",
                          to_text(item), "samples of one pass on one GPU"});
  }
  std::sort(question.batches.begin(), question.batches.end());
  question.batches.erase(std::unique(question.batches.begin(), question.batches.end()), question.batches.end());
}

// The batch is said once: by the job, or to be searched.
void check_batches(const QuestionKeys& keys, const std::string& file, std::vector<Problem>& problems) {
  const bool per_step = keys.job.stack == Stack::mlperf;  // batch_per_gpu is then of a whole step
  const char* once = "leave one of them out";
  if (keys.batches && keys.job.batch_per_gpu)
    problems.push_back({file, "/batch/per_gpu", "batches to be tried, or /job/batch_per_gpu", "both", once});
  if (keys.global_batch && keys.job.accumulation)
    problems.push_back({file, "/batch/global", "samples of a step, or /job/accumulation", "both", once});
  if (keys.global_batch && per_step && (keys.job.batch_per_gpu || keys.batches))
    problems.push_back(
        {file, "/batch/global", "samples of a step, or those of a GPU in a step (stack mlperf)", "both", once});
  if ((keys.batches || keys.global_batch) && keys.job.model && keys.job.model->id.empty())
    problems.push_back({file, "/batch", "nothing: a step that was given or recorded has its batch", "a batch", once});
}

// A step that takes as long on every GPU tells nothing of machines that it was not timed on.
void check_model(const QuestionKeys& keys, const std::string& file, std::vector<Problem>& problems) {
  if (keys.job.model && keys.job.model->emulated_step && !keys.only)
    problems.push_back({file, "/machines/only", "the machines that the emulated step was timed on", "nothing",
                        "such as {\"only\": [\"a100-sxm4-80gb\"]}"});
}

// What a job would be at fault for on large machines, one for each stage of a divided model, so that faults of the file
// and of the job are told together.
void add_faults_of_job(const JsonValue& document, const Catalog& catalog, std::vector<Problem>& problems) {
  const JsonValue* job = document.find("job");
  if (job == nullptr || job->kind != JsonValue::Kind::object) return;
  const std::string file = problems.front().file;
  std::vector<Problem> quiet;
  const JsonValue* stages = job->find("pipeline_parallel");
  const bool whole =
      stages == nullptr || stages->kind != JsonValue::Kind::number || !(stages->number >= 1) || stages->number > 1024;
  const std::string nodes = whole ? "1" : std::to_string(static_cast<int>(stages->number));
  const JsonValue scenario =
      parse_json(R"({"clustersim": 1, "cluster": {"nodes": )" + nodes +
                     R"(, "node": {"server": "hgx-h200-8-gpu-server"}}, "job": )" + to_text(*job, 0) + "}",
                 file, quiet);
  if (!quiet.empty()) return;
  try {
    read_scenario(scenario, file, {}, catalog);
  } catch (const InputError& error) {
    for (const Problem& fault : error.problems()) {
      const bool known =
          std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.pointer == fault.pointer; });
      if (!known && fault.pointer.starts_with("/job")) problems.push_back(fault);
    }
  }
}

void read_budget(const std::optional<std::string>& text, Question& question, std::vector<Problem>& problems) {
  if (!text) return;
  const ParsedQuantity parsed = parse_quantity(*text, Dimension::money);
  if (parsed.base && *parsed.base > 0) {
    question.budget = parsed.base;
    question.currency = parsed.currency.empty() ? "USD" : parsed.currency;
    return;
  }
  problems.push_back(
      {question.file, "/budget", "a sum of money above 0, such as \"100 USD\"", "\"" + *text + "\"", parsed.hint});
}

std::string goal_of(const QuestionKeys& keys, const std::optional<std::string>& model) {
  std::string text = model.value_or("the job");
  if (keys.runs) text += " " + std::to_string(*keys.runs) + " times" + (keys.deadline ? ", each" : "");
  if (keys.deadline) text += " within " + format_quantity(*keys.deadline);
  if (keys.runs && keys.budget) text += ", all";
  if (keys.budget) text += " for at most " + *keys.budget;
  switch (keys.own_or_rent) {
    case OwnOrRentWish::either:
      return text + ", rented or owned";
    case OwnOrRentWish::own:
      return text + " of own machines";
    case OwnOrRentWish::rent:
      return text + ", rented";
  }
  return text;
}

}  // namespace

void visit_question(FieldVisitor& v, QuestionKeys& keys, const Lookup& lookup) {
  v.key({.name = "clustersim_question", .meaning = "version of this format", .required = true, .min = 1, .max = 1},
        keys.version);
  v.key({.name = "name", .meaning = "name in the answer", .default_text = "that of the file"}, keys.name);
  v.object({.name = "job", .meaning = "the training, as in a scenario", .required = true},
           [&](FieldVisitor& in) { visit_job(in, keys.job, lookup); });
  v.key({.name = "deadline", .meaning = "the longest time to train", .default_text = "none", .min = 1, .max = 1e9},
        keys.deadline);
  v.key({.name = "budget",
         .meaning = "the most money: rented for the run, owned for the machines; sets the currency of the answer",
         .default_text = "none"},
        keys.budget);
  v.key({.name = "runs",
         .meaning = "how often the job is done: the budget is then for all of them, electricity of owned machines too",
         .default_text = "once; of owned machines the purchase alone counts",
         .min = 1,
         .max = 1e6},
        keys.runs);
  v.choice({.name = "own_or_rent", .meaning = "which machines come into question", .default_text = "either"},
           kOwnOrRentWords, keys.own_or_rent);
  v.choice({.name = "pricing", .meaning = "the tariff of rented machines", .default_text = "on-demand"}, kPricingWords,
           keys.pricing);
  v.key({.name = "region", .meaning = "country of the grid; CHN rents what is priced in CNY", .default_text = "USA"},
        keys.region);
  v.object({.name = "self_hosted",
            .meaning = "what owned machines cost beside their price, as in a scenario's cost",
            .default_text = "as in a scenario"},
           [&](FieldVisitor& in) { visit_self_hosted(in, keys.self_hosted.emplace()); });
  v.object({.name = "batch", .meaning = "batches that are tried", .default_text = "see its keys"},
           [&](FieldVisitor& in) {
             in.json({.name = "per_gpu",
                      .meaning = "samples of one pass on one GPU that are tried",
                      .default_text = "that of the job; where it gives none and the target is a quality, or global is "
                                      "given: powers of two and published batches that fit; else the usual one"},
                     "a list of whole numbers", keys.batches);
             in.key({.name = "global",
                     .meaning = "samples of one optimizer step, kept on all machines (to 5 %) by accumulation",
                     .default_text = "what the batch of a GPU makes",
                     .min = 1,
                     .max = 1e9},
                    keys.global_batch);
           });
  v.object({.name = "machines", .meaning = "which machines are tried", .default_text = "all that have a price"},
           [&](FieldVisitor& in) {
             if (const auto ids = in.words({.name = "only", .meaning = "ids of servers, instances or GPUs"}))
               keys.only = *ids;
             if (const auto ids = in.words({.name = "without", .meaning = "ids that do not come into question"}))
               keys.without = *ids;
             if (const auto ids = in.words({.name = "networks",
                                            .meaning = "cards that owned servers of a cluster may get in place of "
                                                       "their own, by id; [] for none",
                                            .default_text = "10G to 100G Ethernet, 100G to 400G InfiniBand"}))
               keys.networks = *ids;
             in.key({.name = "most",
                     .meaning = "how many of them together",
                     .default_text = "64",
                     .min = 1,
                     .max = most_machines_ever},
                    keys.most_machines);
           });
}

Question read_question(const std::string& path, const Catalog& catalog) {
  std::vector<Problem> problems;
  const JsonValue document = load_json(path, problems);
  if (problems.empty()) is_another_kind(document, FileKind::question, path, problems);
  if (!problems.empty()) throw InputError(problems);
  Question question;
  question.file = path;
  QuestionKeys keys;
  const Lookup lookup{catalog, path, problems};
  const ExchangeRates rates = catalog.rates(lookup.at(""));
  JsonReader reader(document, path, problems, &rates);
  reader.name_manual("/question");
  reader.read([&](FieldVisitor& v) { visit_question(v, keys, lookup); });
  read_budget(keys.budget, question, problems);
  const std::vector<std::string> known = nameable(catalog);
  const char* machine = "an id of server, cloud or gpu";
  check_ids(keys.only, "only", machine, path, known, problems);
  check_ids(keys.without, "without", machine, path, known, problems);
  check_ids(keys.networks, "networks", "an id of nic", path, catalog.ids("nic"), problems);
  read_batches(keys.batches, question, problems);
  check_batches(keys, path, problems);
  check_model(keys, path, problems);
  if (keys.region) catalog.carbon(*keys.region, lookup.at("/region"));
  if (keys.self_hosted && (keys.self_hosted->server_price || keys.self_hosted->network_price))
    problems.push_back({path, "/self_hosted", "prices beside those of machines and network",
                        "server_price or network_price", "each machine has its own, from the catalog"});
  if (!keys.deadline && !keys.budget)
    problems.push_back({path, "", "a deadline, a budget or both", "neither", "add \"deadline\": \"12 h\""});
  if (!problems.empty()) {
    add_faults_of_job(document, catalog, problems);
    throw InputError(problems);
  }

  question.name = keys.name.value_or(std::filesystem::path(path).stem().string());
  question.region = keys.region.value_or("USA");
  question.job = to_text(*document.find("job"), 0);
  const JsonValue* own = document.find("self_hosted");
  question.self_hosted = own == nullptr ? "{}" : to_text(*own, 0);
  if (keys.deadline) question.deadline_s = keys.deadline->base();
  question.own_or_rent = keys.own_or_rent;
  question.pricing = keys.pricing;
  question.only = keys.only.value_or(std::vector<std::string>());
  question.without = keys.without.value_or(std::vector<std::string>());
  question.networks = keys.networks;
  question.batch_given = keys.job.batch_per_gpu.has_value();
  question.divided = keys.job.tensor_parallel.value_or(1) * keys.job.pipeline_parallel.value_or(1) > 1;
  question.sharded = question.divided || keys.job.sharding.value_or(Sharding::none) != Sharding::none;
  question.global_batch = keys.global_batch;
  question.runs = keys.runs;
  question.most_machines = keys.most_machines;
  const JsonValue* model = document.find("job")->find("model");
  question.goal =
      goal_of(keys, model != nullptr && model->kind == JsonValue::Kind::text ? std::optional<std::string>(model->text)
                                                                             : std::nullopt);
  return question;
}

}  // namespace clustersim
