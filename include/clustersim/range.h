// A quantity that is known as a range: "17.84..49.24 USD/h", or "80000..95000..120000 USD" with the likely one between.
#pragma once

#include <optional>

namespace clustersim {

// low <= likely <= high; `likely` is the middle where nothing better is known.
template <class Q>
struct RangeOf {
  Q low, likely, high;
  bool operator==(const RangeOf&) const = default;
};

// Which of them a sum is worked out from.
enum class RangeEnd : unsigned char { low, likely, high };

template <class Q>
Q at(const RangeOf<Q>& range, RangeEnd end) {
  return end == RangeEnd::low ? range.low : end == RangeEnd::high ? range.high : range.likely;
}

// A range of one value counts as none.
template <class Q>
std::optional<RangeOf<Q>> if_wide(const RangeOf<Q>& range) {
  return range.low < range.high ? std::optional(range) : std::nullopt;
}

}  // namespace clustersim
