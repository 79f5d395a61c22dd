#include "clustersim/serve.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "clustersim/clustersim.h"
#include "sim/read/json_value.h"
#include "sim/write/html.h"
#include "sim/write/html_pages.h"
#include "sim/write/readable.h"

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_changes = 64;
constexpr std::size_t longest_quantity = 40;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// A number and a unit, such as "0.12 USD/kWh": no other punctuation, so no path and no object.
bool is_quantity(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.size() > longest_quantity) return false;
  std::size_t at = 0;
  while (at < text.size() && std::string("0123456789.,+-eE").find(text[at]) != std::string::npos) ++at;
  if (at == 0) return false;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at == text.size() || !is_letter(text[at])) return false;
  for (; at < text.size(); ++at)
    if (!is_letter(text[at]) && !(text[at] == '/' && at + 1 < text.size() && is_letter(text[at + 1]))) return false;
  return true;
}

std::string plain(double value) {
  return value == std::floor(value) ? std::to_string(std::llround(value)) : shortest(value);
}

std::string range_text(const Control& control) {
  return (control.kind == Control::Kind::integer ? "a whole number from " : "a number from ") + plain(control.least) +
         " to " + plain(control.most);
}

// What the control takes, where the value is not that; "" where it is.
std::string refusal(const Control& control, const JsonValue& value) {
  switch (control.kind) {
    case Control::Kind::choice: {
      const bool offered =
          value.kind == JsonValue::Kind::text &&
          std::find(control.choices.begin(), control.choices.end(), value.text) != control.choices.end();
      return offered ? "" : "one of the choices of this control";
    }
    case Control::Kind::integer:
    case Control::Kind::number: {
      const bool whole = control.kind == Control::Kind::number || value.number == std::floor(value.number);
      const bool inside = value.kind == JsonValue::Kind::number && value.number >= control.least &&
                          value.number <= control.most && whole;
      return inside ? "" : range_text(control);
    }
    case Control::Kind::quantity:
      return value.kind == JsonValue::Kind::text && is_quantity(value.text)
                 ? ""
                 : "a number with a unit, such as \"" + control.example + "\"";
  }
  throw InternalError("this is a bug: a control of no kind");
}

// What a request asks for, or its faults.
struct Asked {
  std::vector<Override> overrides;
  bool what_if = false;
  std::vector<Problem> problems;
};

void take_change(const std::vector<Control>& controls, const JsonValue& change, Asked& asked) {
  const JsonValue *pointer = change.find("pointer"), *value = change.find("value");
  if (change.kind != JsonValue::Kind::object || !pointer || pointer->kind != JsonValue::Kind::text || !value ||
      change.members.size() != 2) {
    asked.problems.push_back({"", "/changes", "changes with a pointer and a value each", to_text(change), ""});
    return;
  }
  for (const Control& control : controls) {
    if (control.pointer != pointer->text) continue;
    const std::string expected = refusal(control, *value);
    if (expected.empty())
      asked.overrides.emplace_back(control.pointer, to_text(*value, 0));
    else
      asked.problems.push_back({"", control.pointer, expected, to_text(*value), ""});
    return;
  }
  asked.problems.push_back({"", "/changes", "the pointer of a control of this page", to_text(*pointer), ""});
}

Asked read_request(const ServedScenario& scenario, const std::string& request) {
  Asked asked;
  const JsonValue document = parse_json(request, "request", asked.problems);
  if (!asked.problems.empty()) return asked;
  if (document.kind != JsonValue::Kind::object) {
    asked.problems.push_back({"", "", "an object", to_text(document), ""});
    return asked;
  }
  const std::vector<Control> controls = serve_controls(scenario);
  for (const auto& [key, value] : document.members) {
    if (key == "what_if" && value.kind == JsonValue::Kind::boolean) {
      asked.what_if = value.boolean;
    } else if (key == "changes" && value.kind == JsonValue::Kind::list && value.items.size() <= most_changes) {
      for (const JsonValue& change : value.items) take_change(controls, change, asked);
    } else {
      asked.problems.push_back({"", "/" + pointer_step(key),
                                "changes (a list of at most 64) or what_if (true or false)", to_text(value), ""});
    }
  }
  return asked;
}

std::string faults_json(const std::vector<Problem>& problems) {
  Json faults = Json::array();
  for (const Problem& p : problems)
    faults.push_back({{"pointer", p.pointer}, {"expected", p.expected}, {"got", p.got}, {"hint", p.hint}});
  return text_of({{"faults", faults}});
}

RunPage run_served(const ServedScenario& scenario, const std::vector<Override>& overrides, bool what_if) {
  RunOptions options;
  options.what_if = what_if;
  RunPage result;
  result.report = run(read_scenario_text(scenario.text, scenario.file, overrides), options, &result.detail);
  return result;
}

Json control_json(const Control& control) {
  Json json = {{"pointer", control.pointer}, {"group", control.group}, {"label", control.label}};
  switch (control.kind) {
    case Control::Kind::choice:
      json["kind"] = "choice";
      json["choices"] = control.choices;
      break;
    case Control::Kind::integer:
    case Control::Kind::number:
      json["kind"] = control.kind == Control::Kind::integer ? "integer" : "number";
      json["least"] = control.least;
      json["most"] = control.most;
      break;
    case Control::Kind::quantity:
      json["kind"] = "quantity";
      json["example"] = control.example;
      break;
  }
  json["value"] = control.value;
  return json;
}

// The policy that the page states in its head; a policy sent beside it can only be stricter.
std::string stated_policy(const std::string& html) {
  const std::string mark = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t at = html.find(mark);
  require(at != std::string::npos, "the page states its policy");
  const std::size_t begin = at + mark.size();
  return html.substr(begin, html.find('"', begin) - begin);
}

}  // namespace

ServedScenario serve_scenario(const std::string& path) {
  read_scenario(path, {});  // every fault of the file, as any command says them
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  ServedScenario scenario{path, std::move(text).str()};
  run_served(scenario, {}, false);
  return scenario;
}

ServeAnswer serve_answer(const ServedScenario& scenario, const std::string& request) {
  try {
    const Asked asked = read_request(scenario, request);
    if (!asked.problems.empty()) return {false, faults_json(asked.problems)};
    return {true, run_page_data(run_served(scenario, asked.overrides, asked.what_if))};
  } catch (const InputError& error) {
    return {false, faults_json(error.problems())};
  }
}

ServedPage serve_page(const ServedScenario& scenario) {
  const RunPage result = run_served(scenario, {}, true);
  Json data = Json::parse(run_page_data(result));
  data["controls"] = Json::array();
  for (const Control& control : serve_controls(scenario)) data["controls"].push_back(control_json(control));
  std::string html = page_of(result.report.scenario + " - clustersim", text_of(data), write(result.report, "table"));
  // The page of a file asks nobody; this one asks the program that served it.
  const std::string closed = "default-src 'none';", open = "default-src 'none'; connect-src 'self';";
  const std::size_t at = html.find(closed);
  require(at != std::string::npos, "the page's policy forbids what it does not name");
  html.replace(at, closed.size(), open);
  const std::string policy = stated_policy(html) + "; frame-ancestors 'none'";
  return {std::move(html), policy};
}

}  // namespace clustersim
