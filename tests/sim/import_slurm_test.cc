// SLURM's topology.conf and topology.yaml: nodes, leaves and levels; beside a node's files, a whole cluster.
#include "clustersim/clustersim.h"
#include "sim/import/slurm_topology.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::example;
using imports::fault_of;
using imports::says;
using imports::ScratchFile;

const std::string tree_conf =
    "# the network\nSwitchName=s0 Nodes=dev[0-5]   # first\nswitchname=s1 NODES=dev[6-11] LinkSpeed=100\n"
    "SwitchName=s2 Nodes=dev[12-15],\\\n  dev16,dev17\nSwitchName=s3 Switches=s[0-2]\n";

}  // namespace

TEST_CASE("host lists are unfolded, with zeros in front and several ranges; bad ones are none") {
  CHECK(unfold_hosts("r[1-2]n[01-03],x7", 100) ==
        std::vector<std::string>{"r1n01", "r1n02", "r1n03", "r2n01", "r2n02", "r2n03", "x7"});
  CHECK(unfold_hosts("a[1,3-4]b", 100) == std::vector<std::string>{"a1b", "a3b", "a4b"});
  CHECK(unfold_hosts("", 100)->empty());
  for (const char* bad : {"a[1-", "a[3-1]", "a[x]", "a[0-200]", "a[0-9]b[0-9]c[0-9]", "a[-]"})
    CHECK_FALSE(unfold_hosts(bad, 100));
}

TEST_CASE("a tree: eighteen nodes on three leaves, two levels; keys in any case, comments, lines that go on") {
  const SwitchTree tree = read_slurm_topology(tree_conf, "t");
  CHECK(tree.nodes == 18);  // 6 + 6 + 6
  CHECK(tree.leaves == std::vector<int>{6, 6, 6});
  CHECK(tree.levels == 2);
  CHECK(tree.warnings.empty());
  CHECK_FALSE(tree.blocks);
}

TEST_CASE("the same as YAML, and blocks instead of switches") {
  const SwitchTree yaml = read_slurm_topology(
      "---\n- topology: main\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        children: "
      "s[0-1]\n"
      "      - switch: s0\n        nodes: \"dev[0-5]\"\n      - switch: s1\n        nodes: dev[6-9]\n- topology: "
      "other\n"
      "  tree:\n    switches:\n      - switch: x\n        nodes: y[1-99]\n",
      "t");
  CHECK(yaml.nodes == 10);
  CHECK(yaml.leaves == std::vector<int>{6, 4});
  CHECK(yaml.levels == 2);
  CHECK(says(yaml.warnings, "several topologies"));
  const SwitchTree blocks =
      read_slurm_topology("BlockName=b1 Nodes=n[1-32]\nBlockName=b2 Nodes=n[33-64]\nBlockSizes=30,60\n", "t");
  CHECK(blocks.nodes == 64);
  CHECK(blocks.blocks);
}

TEST_CASE("nodes on several rails count once, parts without a top are one network, circles end") {
  const SwitchTree rails = read_slurm_topology("SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[1-4]\n", "t");
  CHECK(rails.nodes == 4);
  CHECK(says(rails.warnings, "4 nodes stand below several switches"));
  CHECK(says(rails.warnings, "2 switches have none above them"));
  const SwitchTree circle = read_slurm_topology("SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=n1\n", "t");
  CHECK(circle.nodes == 1);
  CHECK(says(circle.warnings, "switches stand below themselves, \"a\": the circle is cut there"));
  CHECK(says(read_slurm_topology("SwitchName=a Switches=a Nodes=n1\n", "t").warnings, "below themselves"));
  CHECK_FALSE(says(rails.warnings, "below themselves"));
  const SwitchTree open = read_slurm_topology("SwitchName=a Switches=b,c\nSwitchName=b Nodes=n[1-4]\n", "t");
  CHECK(says(open.warnings, "1 switch is named below another and not described"));
}

TEST_CASE("what is no topology of SLURM is refused or left to others") {
  CHECK_FALSE(is_slurm_topology("NodeName=n[1-4] CPUs=64\n"));
  CHECK_FALSE(is_slurm_topology(""));
  CHECK(is_slurm_topology(tree_conf));
  CHECK(fault_of([] { read_slurm_topology("SwitchName=a Switches=b\n", "t"); }).got == "none");
  CHECK(fault_of([] { read_slurm_topology("SwitchName=a Nodes=n[1-999999999]\n", "t"); }).expected.find("at most") !=
        std::string::npos);
}

TEST_CASE("beside a node's file it makes a cluster of as many nodes, joined by a fat tree") {
  const ScratchFile conf(tree_conf);
  const Imported imported = import_files("node", {example("nvswitch_8xa100.xml"), conf.path()});
  CHECK(says(imported.known, "18 nodes on 3 leaf switches, 6 on each"));
  CHECK(says(imported.unknown, "oversubscription"));
  CHECK_FALSE(says(imported.unknown, "how many nodes"));
  const Scenario scenario = read_scenario_text(imported.document, "c.json", {});
  CHECK(scenario.cluster.nodes() == 18);
  CHECK(scenario.cluster.fabric.shape == FabricShape::fat_tree);
  const ScratchFile one("SwitchName=only Nodes=n[1-4]\n");
  CHECK(import_files("node", {example("nvswitch_8xa100.xml"), one.path()}).document.find("\"single-switch\"") !=
        std::string::npos);
  CHECK_THROWS_AS(import_files("node", {conf.path()}), InputError);
  CHECK_THROWS_AS(import_files("node", {example("nvswitch_8xa100.xml"), conf.path(), one.path()}), InputError);
}

}  // namespace clustersim
