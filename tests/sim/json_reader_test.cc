#include "sim/read/json_reader.h"

#include <catch2/catch.hpp>

#include "clustersim/fields.h"
#include "sim/read/did_you_mean.h"

using namespace clustersim;

namespace {

enum class Colour { red, green };
constexpr Choice<Colour> kColours[] = {{"red", Colour::red, "as blood"}, {"green", Colour::green, "as grass"}};

struct Box {
  int count = 7;
  double ratio = 0.5;
  bool open = false;
  std::string label = "none";
  std::optional<Bandwidth> rate;
  std::optional<Money> price;
  Colour colour = Colour::red;
  std::string part;
  std::vector<int> sizes;
};

struct Outcome {
  Box box;
  std::vector<Problem> problems;
  std::vector<Conversion> conversions;
};

void visit_box(FieldVisitor& v, Box& box) {
  v.key({.name = "count", .meaning = "how many", .min = 1, .max = 10}, box.count);
  v.key({.name = "ratio", .meaning = "a share", .min = 0, .max = 1}, box.ratio);
  v.key({.name = "open", .meaning = "whether it is open"}, box.open);
  v.key({.name = "label", .meaning = "what it says"}, box.label);
  v.key({.name = "rate", .meaning = "how fast", .min = 0}, box.rate);
  v.key({.name = "price", .meaning = "how dear"}, box.price);
  v.choice({.name = "colour", .meaning = "what it looks like"}, kColours, box.colour);
  v.part(
      {.name = "part", .meaning = "what is in it"}, "thing", {"bolt", "nut"},
      [&](const std::string& id) { box.part = id; },
      [&](FieldVisitor& in, const std::string& base) {
        box.part = "from " + base;
        in.key({.name = "size", .meaning = "of it", .required = true}, box.count);
      });
  v.list({.name = "inner", .meaning = "boxes within"}, [&](FieldVisitor& in) {
    int size = 0;
    in.key({.name = "size", .meaning = "of one", .required = true, .min = 1}, size);
    box.sizes.push_back(size);
  });
}

Outcome read_box(const std::string& text) {
  Outcome out;
  const ExchangeRates rates{{{"EUR", 1.5}}, "2026-01"};
  const JsonValue document = parse_json(text, "box.json", out.problems);
  if (document.kind == JsonValue::Kind::null) return out;
  JsonReader reader(document, "box.json", out.problems, &rates);
  reader.read([&](FieldVisitor& v) { visit_box(v, out.box); });
  out.conversions = reader.conversions();
  return out;
}

// The only problem of a text.
Problem only_problem(const std::string& text) {
  const Outcome out = read_box(text);
  INFO(text);
  REQUIRE(out.problems.size() == 1);
  return out.problems.front();
}

}  // namespace

TEST_CASE("what is given is read and what is left out stays") {
  const Outcome out = read_box(R"({"count": 3, "rate": "8 Gbit/s", "colour": "green", "part": "bolt", "open": true,
                                   "inner": [{"size": 2}, {"size": 5}]})");
  CHECK(out.problems.empty());
  CHECK(out.box.count == 3);
  CHECK(out.box.ratio == 0.5);
  CHECK(out.box.open);
  CHECK(out.box.rate->base() == Approx(1e9));  // 8 bit = 1 B
  CHECK(out.box.colour == Colour::green);
  CHECK(out.box.part == "bolt");
  CHECK(out.box.sizes == std::vector<int>{2, 5});
}

TEST_CASE("an object in place starts from its base, and nothing is required of it then") {
  const Outcome based = read_box(R"({"part": {"base": "nut"}})");
  CHECK(based.problems.empty());
  CHECK(based.box.part == "from nut");
  const Problem missing = only_problem(R"({"part": {}})");
  CHECK(missing.pointer == "/part/size");
  CHECK(missing.got == "nothing");
}

TEST_CASE("each kind of fault names its place, what was expected and what was got") {
  const Problem unknown = only_problem(R"({"cuont": 3})");
  CHECK(unknown.pointer == "/cuont");
  CHECK(unknown.got == "\"cuont\"");
  CHECK(unknown.hint == "did you mean \"count\"?");

  const Problem bare = only_problem(R"({"rate": 0})");
  CHECK(bare.expected == "bandwidth with a unit, such as \"100 Gbit/s\"");
  CHECK(bare.got == "0");
  CHECK_FALSE(bare.hint.empty());

  CHECK(only_problem(R"({"rate": "3 W"})").hint == "\"W\" is a unit of power");
  CHECK(only_problem(R"({"count": 11})").expected == "from 1 to 10");
  CHECK(only_problem(R"({"count": 1e300})").expected == "from 1 to 10");
  CHECK(only_problem(R"({"count": 2.5})").expected == "a whole number");
  CHECK(only_problem(R"({"count": "3"})").expected == "a whole number");
  CHECK(only_problem(R"({"ratio": -0.1})").expected == "from 0 to 1");
  CHECK(only_problem(R"({"open": "true"})").expected == "true or false");
  CHECK(only_problem(R"({"label": 3})").expected == "a text");
  CHECK(only_problem(R"({"label": null})").got == "null");
  CHECK(only_problem(R"({"colour": "greem"})").expected == "one of: green, red");
  CHECK(only_problem(R"({"colour": "greem"})").hint == "did you mean \"green\"?");
  CHECK(only_problem(R"({"part": "bolz"})").hint == "did you mean \"bolt\"?");
  CHECK(only_problem(R"({"part": {"base": "zzzzzz", "size": 1}})").pointer == "/part/base");
  CHECK(only_problem(R"({"inner": [{"size": 1}, {"size": 0}]})").pointer == "/inner/1/size");
  CHECK(only_problem(R"({"inner": [3]})").pointer == "/inner/0");
  CHECK(only_problem(R"({"inner": {}})").expected == "a list of objects, [{...}]");
  CHECK(only_problem("[1]").expected == "an object, {...}");
}

TEST_CASE("all faults are reported at once") {
  const Outcome out = read_box(R"({"count": 0, "ratio": 2, "rate": 3, "nothing": 1, "colour": "blue"})");
  CHECK(out.problems.size() == 5);
}

TEST_CASE("a key that stands twice is a fault, wherever it is") {
  CHECK(only_problem(R"({"count": 3, "count": 4})").pointer == "/count");
  CHECK(only_problem(R"({"inner": [{"size": 1}, {"size": 1, "size": 2}]})").pointer == "/inner/1/size");
  // Where a second key stands makes no difference: near the first, far from it, or far behind many others.
  std::string text;
  for (int i = 0; i < 60; ++i) text += "\"k" + std::to_string(i) + "\": 0, ";
  for (const char* key : {"k0", "k14", "k15", "k16", "k17", "k59"}) {
    std::vector<Problem> problems;
    parse_json("{\"a\": [{}, {\"b\": {" + text + "\"" + key + "\": 1}}]}", "keys.json", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().pointer == std::string("/a/1/b/") + key);
  }
}

TEST_CASE("text that is not JSON is refused with line and column") {
  // The comma is missing after the 3 of line 2: the parser meets a quote in column 3 of line 3.
  const Problem p = only_problem("{\n  \"count\": 3\n  \"ratio\": 1\n}");
  CHECK(p.got.find("line 3, column ") != std::string::npos);
  for (const char* text :
       {"", "{", "{\"a\":}", "nul", "{\"a\": 1e999}", "{} {}", "\xff", "{\"count\": 3,}", "{'a': 1}"})
    CHECK(only_problem(text).expected == "JSON text");
}

TEST_CASE("deep nesting and large texts are refused") {
  const std::string deep(100000, '[');
  CHECK(only_problem(deep).got == "deeper nesting");
  std::vector<Problem> problems;
  parse_json(std::string(kMaxFileBytes + 1, ' '), "big.json", problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].expected == "a file of at most 16 MiB");
  problems.clear();
  load_json("/nowhere/at/all.json", problems);
  load_json("/", problems);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].got == "no file of this name");
  CHECK(problems[1].got == "a folder");
}

TEST_CASE("money of another currency is converted at the rate given and remembered") {
  const Outcome out = read_box(R"({"price": "100 EUR"})");
  REQUIRE(out.box.price);
  CHECK(out.box.price->base() == Approx(100 * 1.5));
  REQUIRE(out.conversions.size() == 1);
  CHECK(out.conversions[0].pointer == "/price");
  CHECK(out.conversions[0].written == "100 EUR");
  CHECK(only_problem(R"({"price": "100 ABC"})").hint.find("EUR") != std::string::npos);
}

TEST_CASE("an override reaches into the document and makes what is missing") {
  std::vector<Problem> problems;
  JsonValue document = parse_json(R"({"part": "bolt", "inner": [{"size": 1}]})", "box.json", problems);
  apply_override(document, "/count", "4", "box.json", problems);
  apply_override(document, "/label", "4 W", "box.json", problems);    // no JSON: a text
  apply_override(document, "/part/size", "9", "box.json", problems);  // an id becomes the base
  apply_override(document, "/inner/0/size", "2", "box.json", problems);
  apply_override(document, "/new/a~1b", "{\"c\": [1]}", "box.json", problems);
  CHECK(problems.empty());
  CHECK(to_text(document, 0) ==
        R"({"count":4,"inner":[{"size":2}],"label":"4 W","new":{"a/b":{"c":[1]}},"part":{"base":"bolt","size":9}})");
  for (const char* pointer : {"count", "", "/a~2", "/inner/1/size", "/inner/x", "/count/deeper"}) {
    problems.clear();
    apply_override(document, pointer, "1", "box.json", problems);
    INFO(pointer);
    CHECK(problems.size() == 1);
  }
}

TEST_CASE("near words are found by edits, far ones are not") {
  CHECK(edit_distance("ring", "rings") == 1);
  CHECK(edit_distance("nicc", "nic") == 1);
  CHECK(edit_distance("ab", "ba") == 1);  // a swap of neighbours is one edit
  CHECK(edit_distance("", "abc") == 3);
  CHECK(nearest_word("rnig", {"tree", "ring"}) == "ring");
  CHECK(nearest_word("zebra", {"tree", "ring"}).empty());
  CHECK(did_you_mean("zebra", {"tree"}).empty());
  CHECK(did_you_mean("dgx-a100", {"dgx-h100", "dgx-a100-40gb", "dgx-a100-80gb"}) ==
        "did you mean \"dgx-a100-40gb\" or \"dgx-a100-80gb\"?");
}
