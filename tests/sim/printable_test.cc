// Text for a terminal: what moves, colours or turns is spelled out, everything else stays.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "clustersim/clustersim.h"
#include "sim/write/readable.h"

using namespace clustersim;

TEST_CASE("text of any alphabet stays as it is", "[printable]") {
  for (const char* text : {"", "plain", "nöde", "四台のノード", "🚀 fast", "tab\tand\nline", "\xf4\x8f\xbf\xbd"})
    CHECK(printable(text) == text);
}

TEST_CASE("control characters are spelled out", "[printable]") {
  CHECK(printable("\x1b[31mred") == "\\u001b[31mred");
  CHECK(printable(std::string("a\0b", 3)) == "a\\u0000b");
  CHECK(printable("bell\a, back\b, return\r, del\x7f") == "bell\\u0007, back\\u0008, return\\u000d, del\\u007f");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");  // CSI as one character
  CHECK(printable("evil\xe2\x80\xae"
                  "txt.exe") == "evil\\u202etxt.exe");  // right to left
  CHECK(printable("a\nb\tc", false) == "a\\u000ab\\u0009c");
}

TEST_CASE("bytes that are no UTF-8 become the replacement character", "[printable]") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK(printable("\x9b"
                  "31m") == mark + "31m");  // CSI as one byte
  CHECK(printable("\xff\xfe") == mark + mark);
  CHECK(printable("\xc3") == mark);             // cut off
  CHECK(printable("\xc0\x9b") == mark + mark);  // a longer way to write ESC's sibling
  CHECK(printable("\xe0\x82\x9b") == mark + mark + mark);
  CHECK(printable("\xed\xa0\x80") == mark + mark + mark);  // half a surrogate pair
}

TEST_CASE("JSON reads spelled-out characters as what they were", "[printable]") {
  const std::string name = "a\xc2\x9b\xe2\x80\xae\x7f z";
  const nlohmann::json json = {{"name", name}};
  CHECK(nlohmann::json::parse(printable(json.dump(2)))["name"] == name);
}

TEST_CASE("faults keep to their lines", "[printable]") {
  const std::string text = problems_text({{"f\n.json", "/a\nb", "x", "y\r", "z\x1b"}});
  CHECK(text == "f\\u000a.json: 1 problem\n  /a\\u000ab\n    expected  x\n    got       y\\u000d      z\\u001b\n");
}

TEST_CASE("words longer than a line are broken, between characters", "[printable]") {
  CHECK(folded("ab abcdefghijkl mn", 2, 7) == "  ab\n  abcde\n  fghij\n  kl mn\n");
  CHECK(folded("四台四台四台", 0, 4) == "四台四台\n四台\n");
  CHECK(left("四台", 5) == "四台   ");
  CHECK(right("四台", 5) == "   四台");
  CHECK(cut("四台", 1) == "四");
}
