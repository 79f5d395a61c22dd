// The manual of the scenario file, from the same lists that the reader uses.
#include <algorithm>
#include <cmath>

#include "clustersim/clustersim.h"
#include "clustersim/fields.h"
#include "sim/import/step_trace_file.h"
#include "sim/plan/question.h"
#include "sim/read/calibration_file.h"
#include "sim/read/did_you_mean.h"
#include "sim/read/hardware_part.h"
#include "sim/read/price_list.h"
#include "sim/read/read_context.h"
#include "sim/read/scenario_keys.h"
#include "sim/sweep/study_keys.h"

namespace clustersim {

namespace {

constexpr const char* kAnyElement = "N";  // stands for the number of a list's element

bool leads_to(const std::string& pointer, const std::string& target) {
  return target.starts_with(pointer) && (target.size() == pointer.size() || target[pointer.size()] == '/');
}

// "/cluster/groups/0/" as "/cluster/groups/N".
std::string normal_form(std::string pointer) {
  while (!pointer.empty() && pointer.back() == '/') pointer.pop_back();
  if (!pointer.empty() && pointer[0] != '/') pointer = "/" + pointer;
  std::string out;
  for (std::size_t begin = 0; begin < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin + 1), pointer.size());
    const std::string step = pointer.substr(begin + 1, end - begin - 1);
    const bool number = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    out += "/" + (number ? std::string(kAnyElement) : step);
    begin = end;
  }
  return out;
}

// Walks every key and writes down those at and below the target. Hardware in place and elements of lists are entered
// only on the way to the target: they repeat many keys.
class Manual : public FieldVisitor {
 public:
  explicit Manual(std::string target) : target_(std::move(target)) {}

  const std::string& text() const { return text_; }
  const std::vector<std::string>& pointers() const { return pointers_; }
  bool found() const { return found_; }

  // Every key of another file, under a step of its own.
  void under(const std::string& root, const Body& body) { inside(root, body); }

  void object(const Field& field, const Body& body) override {
    tell(field, "object", "");
    inside(field.name, body);
  }
  void list(const Field& field, const Body& body) override {
    tell(field, "list of objects", "its keys: clustersim explain " + here_ + "/" + field.name);
    if (!leads_to(here_ + "/" + field.name, target_)) return;
    inside(field.name + "/" + kAnyElement, body);
  }
  std::vector<std::pair<std::string, std::string>> texts(const Field& field) override {
    tell(field, "object of texts", "");
    return {};
  }
  std::optional<std::vector<std::string>> words(const Field& field) override {
    tell(field, "list of texts", "");
    return std::nullopt;
  }
  void json(const Field& field, const std::string& form, std::optional<std::string>&) override {
    tell(field, form, "");
  }
  void part(const Field& field, const std::string& kind, const std::vector<std::string>&,
            const std::function<void(const std::string& id)>&,
            const std::function<void(FieldVisitor&, const std::string& base)>& on_object) override {
    const std::string pointer = here_ + "/" + field.name;
    tell(field, "id of " + kind + " (clustersim catalog " + kind + "), or an object in place",
         "keys of the object, beside \"base\": clustersim explain " + pointer);
    if (leads_to(pointer, target_)) inside(field.name, [&](FieldVisitor& v) { on_object(v, ""); });
  }
  void file_or_object(const Field& field, const std::function<void(const std::string& path)>&,
                      const Body& on_object) override {
    const std::string pointer = here_ + "/" + field.name;
    tell(field, "name of a file, or its content in place", "keys of the content: clustersim explain " + pointer);
    if (leads_to(pointer, target_)) inside(field.name, on_object);
  }
  void skip(const std::string&) override {}
  bool given(const std::string&) const override { return false; }
  std::string pointer() const override { return here_; }

 protected:
  std::optional<double> read_number(const Field& field) override {
    tell(field, "number" + range(field, std::nullopt), "");
    return std::nullopt;
  }
  std::optional<int> read_integer(const Field& field) override {
    tell(field, "whole number" + range(field, std::nullopt), "");
    return std::nullopt;
  }
  std::optional<bool> read_flag(const Field& field) override {
    tell(field, "true or false", "");
    return std::nullopt;
  }
  std::optional<std::string> read_text(const Field& field) override {
    tell(field, "text", "");
    return std::nullopt;
  }
  std::optional<double> read_quantity(const Field& field, Dimension dimension) override {
    tell(field, expected_quantity(dimension) + range(field, dimension), "");
    return std::nullopt;
  }
  std::optional<RangeOf<double>> read_range(const Field& field, Dimension dimension) override {
    tell(field, expected_quantity(dimension) + range(field, dimension) + ", or a range of it, low..high", "");
    return std::nullopt;
  }
  std::optional<std::size_t> read_choice(const Field& field, const std::vector<std::string>& names,
                                         const std::vector<std::string>& meanings) override {
    std::size_t width = 0;
    for (const auto& name : names) width = std::max(width, name.size());
    std::string lines;
    for (std::size_t i = 0; i < names.size(); ++i)
      lines += (i == 0 ? "" : "\n      ") + names[i] + std::string(width - names[i].size() + 2, ' ') + meanings[i];
    tell(field, "one of", lines);
    return std::nullopt;
  }

 private:
  void inside(const std::string& step, const Body& body) {
    const std::string outer = here_;
    here_ += "/" + step;
    note(here_);
    body(*this);
    here_ = outer;
  }

  void note(const std::string& pointer) {
    pointers_.push_back(pointer);
    found_ = found_ || pointer == target_;
  }

  static std::string range(const Field& field, const std::optional<Dimension>& dimension) {
    const auto shown = [&](double v) {
      return dimension ? format_quantity(v, *dimension, field.unit) : number_text(v);
    };
    const bool low = std::isfinite(field.min), high = std::isfinite(field.max);
    if (low && high) return ", from " + shown(field.min) + " to " + shown(field.max);
    if (low) return ", at least " + shown(field.min);
    if (high) return ", at most " + shown(field.max);
    return "";
  }

  void tell(const Field& field, const std::string& form, const std::string& more) {
    const std::string pointer = here_ + "/" + field.name;
    note(pointer);
    if (!target_.empty() && !leads_to(target_, pointer)) return;
    text_ += pointer + "\n    " + field.meaning + "\n    " + form;
    if (field.required) text_ += "; must be given";
    if (!field.default_text.empty()) text_ += "; default: " + field.default_text;
    if (!more.empty()) text_ += "\n      " + more;
    text_ += "\n";
  }

  std::string target_;
  std::string here_;
  std::string text_;
  std::vector<std::string> pointers_;
  bool found_ = false;
};

// The files beside the scenario, by the first step of their pointers.
struct OtherFile {
  const char* root;
  void (*visit)(FieldVisitor& v, const Lookup& lookup);
};
constexpr OtherFile other_files[] = {
    {"study",
     [](FieldVisitor& v, const Lookup&) {
       StudyKeys keys;
       visit_study(v, keys);
     }},
    {"question",
     [](FieldVisitor& v, const Lookup& lookup) {
       QuestionKeys keys;
       visit_question(v, keys, lookup);
     }},
    {"calibration",
     [](FieldVisitor& v, const Lookup&) {
       std::vector<CollectiveKeys> collectives;
       visit_calibration(v, collectives);
     }},
    {"prices",
     [](FieldVisitor& v, const Lookup&) {
       std::vector<ListedPrice> prices;
       visit_fields(v, prices);
     }},
    {"trace", [](FieldVisitor& v, const Lookup&) { visit_step_trace(v); }},
};

std::string files_text() {
  std::string text;
  for (const OtherFile& file : other_files)
    text += "The keys of a " + std::string(file.root) + " file: clustersim explain " + file.root + "\n";
  return text;
}

}  // namespace

std::string explain(const std::string& pointer) {
  const std::string target = normal_form(pointer);
  const Catalog catalog(data_directory());
  std::vector<Problem> problems;
  const Lookup lookup{catalog, "clustersim explain", problems};
  Manual manual(target);
  const auto other = std::find_if(std::begin(other_files), std::end(other_files), [&](const OtherFile& file) {
    return leads_to(std::string("/") + file.root, target);
  });
  if (other != std::end(other_files)) {
    manual.under(other->root, [&](FieldVisitor& v) { other->visit(v, lookup); });
  } else {
    ScenarioKeys keys;
    visit_scenario(manual, keys, lookup);
  }
  if (!problems.empty()) throw InputError(problems);
  if (target.empty()) return manual.text() + files_text();
  if (manual.found()) return manual.text();
  const std::string hint = did_you_mean(target, manual.pointers());
  throw InputError({{"clustersim explain", pointer, "a key of the scenario", "\"" + pointer + "\"",
                     hint.empty() ? "clustersim explain without a pointer lists all keys" : hint}});
}

}  // namespace clustersim
