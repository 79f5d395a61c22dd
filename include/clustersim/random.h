// Random numbers that follow from their name alone: a stream, a seed and a counter. No state, so the order in which
// they are drawn, and who else draws, changes nothing.
//
//   bits(stream, seed, i) = mix(mix(mix(name) + seed) + i)      mix: finaliser of splitmix64
// Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
// Checked by: tests/include/random_test.cc
#pragma once

#include <cstdint>
#include <string_view>

namespace clustersim {

// Every input bit moves about half of the output bits.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t random_bits(std::string_view stream, std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t name = 0;
  for (const char c : stream) name = mix_bits(name ^ static_cast<unsigned char>(c));
  return mix_bits(mix_bits(name + seed) + counter);
}

// 0 <= x < 1, in steps of 2^-53.
constexpr double random_uniform(std::string_view stream, std::uint64_t seed, std::uint64_t counter) {
  return static_cast<double>(random_bits(stream, seed, counter) >> 11) * 0x1p-53;
}

}  // namespace clustersim
