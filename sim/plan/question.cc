#include "sim/plan/question.h"

#include <algorithm>
#include <filesystem>

#include "sim/read/did_you_mean.h"
#include "sim/read/hardware_part.h"
#include "sim/read/json_reader.h"

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

void check_ids(const std::optional<std::vector<std::string>>& given, const char* key, const std::string& file,
               const std::vector<std::string>& known, std::vector<Problem>& problems) {
  if (!given) return;
  for (std::size_t i = 0; i < given->size(); ++i)
    if (std::find(known.begin(), known.end(), (*given)[i]) == known.end())
      problems.push_back({file, "/machines/" + std::string(key) + "/" + std::to_string(i),
                          "an id of server, cloud or gpu", "\"" + (*given)[i] + "\"",
                          did_you_mean((*given)[i], known)});
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
  if (keys.deadline) text += " within " + format_quantity(*keys.deadline);
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
  v.object({.name = "machines", .meaning = "which machines are tried", .default_text = "all that have a price"},
           [&](FieldVisitor& in) {
             if (const auto ids = in.words({.name = "only", .meaning = "ids of servers, instances or GPUs"}))
               keys.only = *ids;
             if (const auto ids = in.words({.name = "without", .meaning = "ids that do not come into question"}))
               keys.without = *ids;
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
  check_ids(keys.only, "only", path, known, problems);
  check_ids(keys.without, "without", path, known, problems);
  if (keys.region) catalog.carbon(*keys.region, lookup.at("/region"));
  if (keys.self_hosted && (keys.self_hosted->server_price || keys.self_hosted->network_price))
    problems.push_back({path, "/self_hosted", "prices beside those of machines and network",
                        "server_price or network_price", "each machine has its own, from the catalog"});
  if (!keys.deadline && !keys.budget)
    problems.push_back({path, "", "a deadline, a budget or both", "neither", "add \"deadline\": \"12 h\""});
  if (!problems.empty()) throw InputError(problems);

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
  question.most_machines = keys.most_machines;
  const JsonValue* model = document.find("job")->find("model");
  question.goal =
      goal_of(keys, model != nullptr && model->kind == JsonValue::Kind::text ? std::optional<std::string>(model->text)
                                                                             : std::nullopt);
  return question;
}

}  // namespace clustersim
