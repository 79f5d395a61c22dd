// Damaged outputs of every benchmark: cut off, flipped, doubled, with huge numbers. A reader may find anything or
// nothing in them, but returns, throws nothing, and what it returns is positive and finite. Deterministic: the same
// mutations every time.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "clustersim/error.h"
#include "sim/calibrate/constants.h"
#include "sim/calibrate/sweeps.h"
#include "sim/import/measurement_formats.h"
#include "sim/import/text_source.h"
#include "tests/sim/fuzz_rounds.h"
#include "tests/sim/measurement_samples.h"

using namespace clustersim;

namespace {

// Marsaglia's xorshift: a sequence of our own.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return n == 0 ? 0 : static_cast<std::size_t>(state_ % n);
  }

 private:
  std::uint64_t state_;
};

std::string mutated(std::string text, Sequence& next) {
  static const char* const odd[] = {"1e308",   "-1",       "99999999999999999999999",
                                    "nan",     "{",        "}",
                                    "\"",      "\\",       "\n",
                                    "[",       "0",        "1e-320",
                                    "\x1b[4m", "\xff\xfe", "N/A",
                                    "\t\t",    "-0.0",     "4294967296"};
  const std::size_t times = 1 + next.below(4);
  for (std::size_t i = 0; i < times && !text.empty(); ++i) {
    const std::size_t at = next.below(text.size());
    switch (next.below(5)) {
      case 0:  // cut off
        text.resize(at);
        break;
      case 1:  // flip
        text[at] = static_cast<char>(next.below(256));
        break;
      case 2: {  // say a part twice
        const std::string part = text.substr(at, 1 + next.below(200));
        text.insert(next.below(text.size()), part);
        break;
      }
      case 3:  // another word in place of some bytes
        text.replace(at, next.below(8), odd[next.below(std::size(odd))]);
        break;
      default:  // leave a part out
        text.erase(at, 1 + next.below(60));
    }
  }
  return text;
}

void check(const MeasuredFile& file) {
  for (const Measured& m : file.values) {
    CHECK((m.value > 0 && std::isfinite(m.value)));
    CHECK((m.bytes >= 0 && std::isfinite(m.bytes) && m.streams >= 1 && std::isfinite(m.streams)));
  }
  for (const CollectiveTime& row : file.collectives) {
    CHECK((row.seconds > 0 && std::isfinite(row.seconds) && row.bytes > 0 && std::isfinite(row.bytes)));
    CHECK((row.ranks >= 2 && row.nodes >= 1));
  }
}

}  // namespace

TEST_CASE("readers and fits survive damaged outputs", "[measurements][fuzz]") {
  Sequence next(88172645463325252ull);
  int usable = 0;
  for (const auto& [format, text] : samples::all())
    for (int round = 0; round < fuzz_rounds(150); ++round) {
      const MeasuredFile file = read_measurements("fuzz", clean_text(mutated(text, next)));
      check(file);
      usable += file.empty() ? 0 : 1;
      std::vector<std::string> notes;
      for (const Constant& c : constants_of({file}, {}, notes)) CHECK((c.value > 0 && std::isfinite(c.value)));
      for (const SourcedSweep& sweep : sweeps_of({file})) fit_curve(sweep.sweep.points);
    }
  CHECK(usable > 500);  // most damage leaves something to read
}

TEST_CASE("a reader given another program's output finds nothing wrong with it", "[measurements][fuzz]") {
  for (const MeasurementFormat& format : measurement_formats())
    for (const auto& [name, text] : samples::all()) {
      MeasuredFile file;
      format.read(text, {}, file);
      check(file);
    }
}
