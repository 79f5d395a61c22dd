#include "sim/import/fabric_choice.h"

#include <algorithm>

#include "sim/import/product_names.h"
#include "sim/read/node_links.h"

namespace clustersim {
namespace {

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

std::string count_of(std::size_t n, const std::string& thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

class FabricChooser {
 public:
  FabricChooser(const Catalog& catalog, NodeFacts& facts, NodeChoices& out)
      : catalog_(catalog), facts_(facts), out_(out), gpus_(facts.of(PartKind::gpu)) {}

  void choose() {
    std::optional<int> capability;
    if (!gpus_.empty() && !facts_.xgmi) capability = part(gpus_.front()).capability;
    link_ = gpu_link_of(out_.gpu, capability);
    settle_unsure();
    recognise_switch();
    const bool shown_any = !facts_.to_switch.empty() || !facts_.cables.empty();
    if (gpus_.size() < 2) {
      if (shown_any) out_.known.push_back(std::string(wires()) + ", but one GPU alone has nobody to reach");
      return;
    }
    if (shown_any && link_.empty())
      out_.unknown.push_back(std::string("generation of ") + wires() + ": that of the GPU, once it is named");
    if (!facts_.to_switch.empty()) {
      take_switch();
    } else if (!facts_.cables.empty()) {
      out_.fabric.link = link_;
      out_.fabric.shape = "cables";
      check_cables();
    } else {
      take_unshown();
    }
    heed_links_up();
    if (out_.fabric.shape == "switch" && !link_.empty())
      out_.fabric.gpu_switch = usual_gpu_switch(catalog_.link(out_.fabric.link, quiet()));
  }

 private:
  Asked quiet() { return {"", "", problems_}; }
  const NodePart& part(int i) const { return facts_.parts[static_cast<std::size_t>(i)]; }
  const char* wires() const { return facts_.xgmi ? "xGMI" : "NVLink"; }
  void assume(const std::string& why) { out_.assumed.emplace_back("gpu_fabric", why); }

  // The fewest and most links that the driver says are up; nothing where it says so of no GPU.
  struct LinksUp {
    int fewest = 0, most = 0, fewest_gpu = 0;
    std::size_t told = 0;
  };
  LinksUp links_up() const {
    LinksUp up;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      const auto links = part(gpus_[g]).nvlinks;
      if (!links) continue;
      if (up.told == 0 || *links < up.fewest) up.fewest = *links, up.fewest_gpu = static_cast<int>(g);
      up.most = std::max(up.most, *links);
      ++up.told;
    }
    return up;
  }

  // Pairs that one file leaves open may be told by another, or by the mirrored entry.
  void settle_unsure() {
    int fewest = 0;
    for (const NvlinkCable& cable : facts_.cables) {
      facts_.unsure_cables.erase(std::minmax(cable.a, cable.b));
      fewest = fewest == 0 ? cable.links : std::min(fewest, cable.links);
    }
    for (const int gpu : facts_.unsure_to_switch) facts_.to_switch.erase(gpu);
    unsure_ = facts_.unsure_cables.size() + facts_.unsure_to_switch.size();
    if (facts_.unsure_cables.empty() || fewest == 0) return;
    const std::string pairs = count_of(facts_.unsure_cables.size(), "pair") + " of GPUs";
    const std::string taken = std::to_string(fewest) + ", the fewest of another pair";
    out_.unknown.push_back(std::string(wires()) + " of " + pairs + ": " + taken + ", is assumed");
    assume("the file's number of links of " + pairs + " is impossible; " + taken);
    for (const auto& [a, b] : facts_.unsure_cables) facts_.cables.push_back({a, b, fewest});
    std::sort(facts_.cables.begin(), facts_.cables.end(),
              [](const NvlinkCable& x, const NvlinkCable& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  }

  // Every pair joined, and a GPU by more links than it has: only a switch does that, and a pair shows the links of the
  // GPU that has fewer. Two GPUs of a board with all links between them are part of a larger board.
  void recognise_switch() {
    const std::size_t n = gpus_.size();
    if (!facts_.to_switch.empty() || n < 2 || facts_.cables.size() != n * (n - 1) / 2) return;
    std::map<int, int> sum, most;
    for (const NvlinkCable& cable : facts_.cables)
      for (const int gpu : {cable.a, cable.b}) {
        sum[gpu] += cable.links;
        most[gpu] = std::max(most[gpu], cable.links);
      }
    const int own = out_.gpu.nvlink_links > 0 ? out_.gpu.nvlink_links : kMostGpuLinks;
    const bool too_many = std::any_of(sum.begin(), sum.end(), [&](const auto& gpu) { return gpu.second > own; });
    const bool part_of_board = n == 2 && on_baseboard(out_.gpu) && facts_.cables.front().links == out_.gpu.nvlink_links;
    if (!too_many && !part_of_board) return;
    facts_.cables.clear();
    facts_.to_switch = most;
  }

  void take_switch() {
    FabricChoice& fabric = out_.fabric;
    int most = 0, least = 0;
    for (const auto& [gpu, links] : facts_.to_switch) {
      most = std::max(most, links);
      least = least == 0 ? links : std::min(least, links);
    }
    fabric.link = link_;
    fabric.shape = "switch";
    fabric.links_per_gpu = least;
    out_.known.push_back("NVSwitch: " + std::to_string(least) + " links of each GPU" + in_brackets(link_));
    if (!facts_.cables.empty()) out_.warnings.push_back("links to NVSwitch and to other GPUs: the latter are left out");
    if (least != most)
      take_fewest("the GPUs have " + std::to_string(least) + " to " + std::to_string(most) + " links to NVSwitch");
    if (facts_.to_switch.size() < gpus_.size()) {
      const std::string silent = "links to NVSwitch of " + count_of(gpus_.size() - facts_.to_switch.size(), "GPU");
      out_.unknown.push_back(silent + ": " + std::to_string(least) + " are assumed, as of the others");
      assume("the file does not tell " + silent + ": as many as of the others");
    }
    const int own = out_.gpu.nvlink_links;
    if (own > 0 && least > own) {
      fabric.links_per_gpu = own;
      const std::string text = std::to_string(least) + " links are more than the " + std::to_string(own) + " of \"" +
                               out_.gpu.id + "\": the product's number is taken";
      out_.warnings.push_back(text);
      assume(text);
    } else if (least > kMostGpuLinks) {
      fabric.links_per_gpu = 0;
      out_.warnings.push_back(std::to_string(least) +
                              " links to NVSwitch are more than any GPU has: those of the GPU "
                              "count, once it is named");
    }
  }

  void take_fewest(const std::string& what) {
    out_.warnings.push_back(what + ": the fewest are taken for each, since what goes to all GPUs passes that one");
    assume(what + ": the fewest for each");
  }

  void check_cables() {
    std::map<int, int> links;
    for (const NvlinkCable& cable : facts_.cables) {
      links[cable.a] += cable.links;
      links[cable.b] += cable.links;
    }
    int most = 0;
    for (const auto& [gpu, count] : links) most = std::max(most, count);
    out_.known.push_back(std::string(wires()) + ": " + count_of(facts_.cables.size(), "pair") +
                         " of GPUs joined directly, up to " + std::to_string(most) + " links of a GPU" +
                         in_brackets(link_));
    const int own = out_.gpu.nvlink_links > 0 ? out_.gpu.nvlink_links : kMostGpuLinks;
    if (facts_.xgmi || most <= own) return;
    cap_cables(own);
    const std::string text = "a GPU with " + std::to_string(most) + " links, of which " +
                             (out_.gpu.id.empty() ? "none" : "\"" + out_.gpu.id + "\"") + " has " +
                             (out_.gpu.id.empty() ? "more than " : "") + std::to_string(own) +
                             ": each pair is taken to have its share of them";
    out_.warnings.push_back(text);
    assume(text);
  }

  // No GPU beyond `own` links: where it has more, its pairs keep the same ratios.
  void cap_cables(int own) {
    std::map<int, int> sum;
    for (const NvlinkCable& cable : facts_.cables) sum[cable.a] += cable.links, sum[cable.b] += cable.links;
    for (NvlinkCable& cable : facts_.cables) {
      const int worst = std::max(sum[cable.a], sum[cable.b]);
      if (worst > own) cable.links = std::max(1, cable.links * own / worst);
    }
  }

  // No wire is told: what the driver says is up, what the product has, or none.
  void take_unshown() {
    const LinksUp up = links_up();
    const bool all_down = up.told == gpus_.size() && up.most == 0;
    FabricChoice& fabric = out_.fabric;
    if (all_down) {
      fabric.shape = "pcie";
      if (!link_.empty()) out_.warnings.push_back("no NVLink of the GPUs is up: PCIe alone counts");
    } else if (link_.empty()) {
      if (unsure_ == 0 && up.most == 0) fabric.shape = "pcie";
      if (unsure_ > 0 || up.most > 0)
        out_.unknown.push_back("NVLink between the GPUs: that of the GPU, once it is named, is assumed");
    } else if (on_baseboard(out_.gpu) || up.most > 0) {
      take_product(up);
    } else {
      fabric.shape = "pcie";
      out_.unknown.push_back(std::string("NVLink bridges between the GPUs: ") +
                             (unsure_ > 0 ? "the file's number of links is impossible, so PCIe alone is assumed"
                                          : "the file shows none, so PCIe alone counts"));
      if (unsure_ > 0) assume("the file's number of NVLinks is impossible; PCIe alone");
    }
  }

  // Boards of this GPU and count in the catalog, else what is usual for the link.
  void take_product(const LinksUp& up) {
    FabricChoice& fabric = out_.fabric;
    const int count = static_cast<int>(gpus_.size());
    fabric.link = link_;
    fabric.links_per_gpu = out_.gpu.nvlink_links;
    for (const std::string& id : catalog_.ids("server")) {
      const ServerSpec server = catalog_.server(id, quiet());
      if (server.gpu_id != out_.gpu.id || server.gpu_count != count || server.gpu_fabric_link != link_) continue;
      fabric.shape = server.gpu_fabric_shape;
      if (server.gpu_fabric_links_per_gpu > 0) fabric.links_per_gpu = server.gpu_fabric_links_per_gpu;
      break;
    }
    if (fabric.shape.empty()) fabric.shape = usual_gpu_shape(out_.gpu, catalog_.link(link_, quiet()), count);
    const std::string table = link_ + " " + fabric.shape + ", " + std::to_string(fabric.links_per_gpu) + " links a GPU";
    const std::string why = unsure_ > 0   ? "the file's number of links is impossible"
                            : up.most > 0 ? "which GPUs it joins is not told"
                                          : "the file shows none, as in a virtual machine";
    out_.unknown.push_back("NVLink: " + why + "; the table of \"" + out_.gpu.id + "\" says " + table);
    assume((unsure_ > 0   ? "the file's number of NVLinks is impossible; "
            : up.most > 0 ? "the file tells how many NVLinks are up, not where they lead; "
                          : "the file shows no NVLink; ") +
           table + " is the product's");
  }

  // Links that are down, as nvidia-smi nvlink -s tells them.
  void heed_links_up() {
    const LinksUp up = links_up();
    FabricChoice& fabric = out_.fabric;
    if (up.told == 0 || fabric.shape.empty() || fabric.shape == "pcie") return;
    std::map<int, int> wired;  // GPU part -> links that are taken
    for (const NvlinkCable& cable : facts_.cables)
      if (fabric.shape == "cables") wired[cable.a] += cable.links, wired[cable.b] += cable.links;
    const int expected = fabric.shape == "cables"   ? wired[gpus_[static_cast<std::size_t>(up.fewest_gpu)]]
                         : fabric.links_per_gpu > 0 ? fabric.links_per_gpu
                                                    : up.most;
    if (up.fewest >= expected) return;
    const std::string what = "GPU " + std::to_string(up.fewest_gpu) + " has " + std::to_string(up.fewest) + " of " +
                             std::to_string(expected) + " NVLinks up";
    if (fabric.shape == "cables") {
      out_.warnings.push_back(what + ", other than the links to other GPUs say: these are taken");
    } else if (up.fewest == 0) {
      fabric = {};
      fabric.shape = "pcie";
      out_.warnings.push_back(what + ": what goes to all GPUs then takes PCIe");
      assume(what + ": PCIe alone");
    } else {
      fabric.links_per_gpu = up.fewest;
      take_fewest(what);
    }
  }

  const Catalog& catalog_;
  NodeFacts& facts_;
  NodeChoices& out_;
  std::vector<int> gpus_;
  std::string link_;
  std::size_t unsure_ = 0;  // pairs, or ways to a switch, whose number of links is impossible
  std::vector<Problem> problems_;
};

}  // namespace

void choose_fabric(const Catalog& catalog, NodeFacts& facts, NodeChoices& out) {
  FabricChooser(catalog, facts, out).choose();
}

}  // namespace clustersim
