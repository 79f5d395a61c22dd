#include "sim/import/slurm_topology.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "clustersim/error.h"
#include "sim/import/node_facts.h"
#include "sim/import/text_source.h"

namespace clustersim {
namespace {

constexpr std::size_t most_hosts = 200000, most_switches = 20000, deepest_switches = 64;

// At commas outside of brackets.
std::vector<std::string> split_lists(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// "01-03,7" as 01, 02, 03, 7; zeros in front are kept.
std::optional<std::vector<std::string>> unfold_range(const std::string& text, std::size_t most) {
  constexpr int most_number = 100000000;
  std::vector<std::string> numbers;
  for (const std::string& part : split_lists(text)) {
    const std::size_t dash = part.find('-');
    const std::string from = trimmed(part.substr(0, dash));
    const std::string to = dash == std::string::npos ? from : trimmed(part.substr(dash + 1));
    const auto first = whole_number(from, most_number), last = whole_number(to, most_number);
    if (!first || !last || *last < *first) return std::nullopt;
    if (static_cast<std::size_t>(*last - *first) >= most - std::min(most, numbers.size())) return std::nullopt;
    for (int i = *first; i <= *last; ++i) {
      std::string number = std::to_string(i);
      if (number.size() < from.size()) number.insert(0, from.size() - number.size(), '0');
      numbers.push_back(std::move(number));
    }
  }
  return numbers;
}

std::optional<std::vector<std::string>> unfold_one(const std::string& list, std::size_t most) {
  std::vector<std::string> names(1);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t open = std::min(list.find('[', at), list.size());
    for (std::string& name : names) name += list.substr(at, open - at);
    if (open == list.size()) break;
    const std::size_t close = list.find(']', open);
    if (close == std::string::npos) return std::nullopt;
    const auto numbers = unfold_range(list.substr(open + 1, close - open - 1), most);
    if (!numbers || names.size() * numbers->size() > most) return std::nullopt;
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (const std::string& number : *numbers) longer.push_back(name + number);
    names = std::move(longer);
    at = close + 1;
  }
  return names;
}

struct Switch {
  std::string nodes, children;  // as written
  bool block = false;
};

// A switch opens with its name; what follows belongs to it.
class Reader {
 public:
  std::map<std::string, Switch> switches;
  int topologies = 0;  // of a topology.yaml that holds several: the first is read

  void set(const std::string& key, const std::string& value) {
    const bool names_switch = key == "switchname" || key == "switch",
               names_block = key == "blockname" || key == "block";
    if (key == "topology") ++topologies;
    if (topologies > 1) return;
    if (names_switch || names_block) {
      open_ = switches.size() < most_switches || switches.contains(value) ? &switches[value] : nullptr;
      if (open_ != nullptr) open_->block = names_block;
    } else if (open_ != nullptr && key == "nodes") {
      join(open_->nodes, value);
    } else if (open_ != nullptr && (key == "switches" || key == "children")) {
      join(open_->children, value);
    }
  }

 private:
  static void join(std::string& list, const std::string& more) {
    if (!more.empty()) list += (list.empty() ? "" : ",") + more;
  }
  Switch* open_ = nullptr;
};

std::string without_quotes(std::string text) {
  std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
  return trimmed(text);
}

// "Key=value Key=value", or one "key: value" of YAML.
void read_line(const std::string& raw, Reader& reader) {
  const std::string line = trimmed(raw.substr(0, raw.find('#')));
  if (line.find('=') == std::string::npos) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return;
    std::string key = trimmed(line.substr(0, colon));
    while (key.starts_with("-")) key = trimmed(key.substr(1));
    if (const std::string value = without_quotes(line.substr(colon + 1)); !value.empty())
      reader.set(lower_case(key), value);
    return;
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string word = line.substr(at, end - at);
    if (const std::size_t equals = word.find('='); equals != std::string::npos)
      reader.set(lower_case(word.substr(0, equals)), without_quotes(word.substr(equals + 1)));
    at = std::min(line.find_first_not_of(" \t", end), line.size());
  }
}

Reader read_all(const std::string& text) {
  Reader reader;
  std::string held;
  for (const std::string& line : lines_of(text)) {
    const std::string bare = trimmed(line);
    held += held.ends_with(",") || bare.empty() ? bare : " " + bare;  // a list may go on
    if (held.ends_with("\\")) {
      held = trimmed(held.substr(0, held.size() - 1));
      continue;
    }
    read_line(held, reader);
    held.clear();
  }
  read_line(held, reader);
  return reader;
}

}  // namespace

std::optional<std::vector<std::string>> unfold_hosts(const std::string& list, std::size_t most) {
  std::vector<std::string> names;
  for (const std::string& part : split_lists(list)) {
    if (trimmed(part).empty()) continue;
    const auto more = unfold_one(trimmed(part), most - std::min(most, names.size()));
    if (!more) return std::nullopt;
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

bool is_slurm_topology(const std::string& text) {
  const Reader reader = read_all(text);
  return std::any_of(reader.switches.begin(), reader.switches.end(),
                     [](const auto& s) { return !s.second.nodes.empty() || !s.second.children.empty(); });
}

SwitchTree read_slurm_topology(const std::string& text, const std::string& path) {
  const Reader reader = read_all(text);
  SwitchTree tree;
  std::set<std::string> nodes, below;
  std::map<std::string, std::vector<std::string>> children;
  const auto unfolded = [&](const std::string& list, std::size_t most) {
    const auto names = unfold_hosts(list, most);
    if (!names)
      throw InputError(
          {{path, "", "lists such as dev[0-5], of at most " + std::to_string(most) + " names", shown(list), ""}});
    return *names;
  };
  int twice = 0;
  for (const auto& [name, entry] : reader.switches) {
    tree.blocks = tree.blocks || entry.block;
    int own = 0;
    for (const std::string& node : unfolded(entry.nodes, most_hosts)) {
      if (nodes.size() > most_hosts)
        throw InputError({{path, "", "at most " + std::to_string(most_hosts) + " nodes", "more", ""}});
      const bool is_new = nodes.insert(node).second;
      own += is_new;
      twice += !is_new;
    }
    if (own > 0) tree.leaves.push_back(own);
    for (const std::string& child : unfolded(entry.children, most_switches)) {
      below.insert(child);
      children[name].push_back(child);
    }
  }
  tree.nodes = static_cast<int>(nodes.size());
  if (tree.nodes == 0) throw InputError({{path, "", "nodes below the switches", "none", "is it the whole file?"}});
  std::sort(tree.leaves.rbegin(), tree.leaves.rend());
  std::set<std::string> open, circles;  // on the way down: a circle ends there
  std::map<std::string, int> known;
  bool deep = false;
  const std::function<int(const std::string&)> height = [&](const std::string& name) {
    if (const auto found = known.find(name); found != known.end()) return found->second;
    if (!open.insert(name).second) {
      circles.insert(name);
      return 0;
    }
    if (open.size() > deepest_switches) {
      deep = true;
      return 0;
    }
    int most = 0;
    for (const std::string& child : children[name]) most = std::max(most, height(child));
    open.erase(name);
    return known[name] = most + 1;
  };
  int roots = 0;
  for (const auto& [name, entry] : reader.switches) {
    tree.levels = std::max(tree.levels, height(name));
    roots += below.count(name) == 0;
  }
  if (!circles.empty())
    tree.warnings.push_back("switches stand below themselves, " + shown(*circles.begin()) +
                            (circles.size() > 1 ? " and " + std::to_string(circles.size() - 1) + " others" : "") +
                            ": the circle is cut there, and the number of levels is a guess");
  const auto missing =
      std::count_if(below.begin(), below.end(), [&](const auto& name) { return !reader.switches.contains(name); });
  if (missing > 0)
    tree.warnings.push_back(std::to_string(missing) + (missing == 1 ? " switch is" : " switches are") +
                            " named below another and not described: what hangs there is not counted");
  if (twice > 0) tree.warnings.push_back(std::to_string(twice) + " nodes stand below several switches: counted once");
  if (roots > 1 && !tree.blocks)
    tree.warnings.push_back(std::to_string(roots) + " switches have none above them: taken for one network");
  if (reader.topologies > 1) tree.warnings.push_back("several topologies: the first is read");
  return tree;
}

}  // namespace clustersim
