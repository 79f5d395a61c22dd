#include "sim/import/node_facts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/import/text_source.h"

namespace clustersim {
namespace {

bool is_hex(const std::string& text, std::size_t least, std::size_t most) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() >= least && text.size() <= most && std::all_of(text.begin(), text.end(), hex);
}

}  // namespace

int NodeFacts::count(PartKind kind) const {
  return static_cast<int>(std::count_if(parts.begin(), parts.end(), [&](const NodePart& p) { return p.kind == kind; }));
}

std::vector<int> NodeFacts::of(PartKind kind) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].kind == kind) found.push_back(static_cast<int>(i));
  const auto number = [&](int i) { return parts[static_cast<std::size_t>(i)].number; };
  const bool numbered = std::all_of(found.begin(), found.end(), [&](int i) { return number(i).has_value(); });
  if (kind == PartKind::gpu && numbered)
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) { return *number(a) < *number(b); });
  return found;
}

std::string bus_id_of(const std::string& text) {
  std::string id = trimmed(text);
  for (char& c : id)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const std::size_t dot = id.rfind('.');
  if (dot == std::string::npos || dot + 2 != id.size() || !is_hex(id.substr(dot + 1), 1, 1)) return "";
  const std::string function = id.substr(dot);
  id.resize(dot);
  const std::size_t device_at = id.rfind(':');
  if (device_at == std::string::npos || !is_hex(id.substr(device_at + 1), 2, 2)) return "";
  const std::string device = id.substr(device_at);
  id.resize(device_at);
  const std::size_t domain_end = id.rfind(':');
  std::string domain = domain_end == std::string::npos ? "0000" : id.substr(0, domain_end);
  const std::string bus = domain_end == std::string::npos ? id : id.substr(domain_end + 1);
  if (!is_hex(bus, 2, 2) || !is_hex(domain, 1, 8)) return "";
  while (domain.size() > 4 && domain[0] == '0') domain.erase(0, 1);  // nvidia-smi writes eight digits
  domain.insert(0, domain.size() < 4 ? 4 - domain.size() : 0, '0');
  return domain + ":" + bus + device + function;
}

std::optional<int> whole_number(const std::string& text, int most) {
  const std::string word = trimmed(text);
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  const char* from = word.data() + (hex ? 2 : 0);
  const char* end = word.data() + word.size();
  long long value = 0;
  const auto [stop, error] = std::from_chars(from, end, value, hex ? 16 : 10);
  if (from == end || error != std::errc() || stop != end || value < 0 || value > most) return std::nullopt;
  return static_cast<int>(value);
}

std::optional<int> pcie_generation(const std::string& speed) {
  static constexpr double kGigatransfers[] = {2.5, 5, 8, 16, 32, 64};
  const std::string word = trimmed(speed);
  double rate = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), rate);
  if (error != std::errc()) return std::nullopt;
  const std::string unit = trimmed(word.substr(static_cast<std::size_t>(stop - word.data())));
  if (!unit.empty() && !unit.starts_with("GT/s")) return std::nullopt;
  for (int i = 0; i < 6; ++i)
    if (std::abs(rate - kGigatransfers[i]) < 0.01) return i + 1;
  return std::nullopt;
}

}  // namespace clustersim
