#include "sim/read/catalog.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "clustersim/clustersim.h"
#include "sim/read/catalog_file.h"

using namespace clustersim;

namespace {

const std::string kData = std::string(CLUSTERSIM_SOURCE_DIR) + "/scenarios";

std::string text_of(const std::vector<Problem>& problems) {
  std::string out;
  for (const auto& p : problems)
    out += p.file + " " + p.pointer + ": expected " + p.expected + ", got " + p.got + " (" + p.hint + ")\n";
  return out;
}

std::vector<Problem> problems_of_sources(const std::string& text) {
  std::vector<Problem> problems;
  const JsonValue document = parse_json(text, "doctored.json", problems);
  REQUIRE(problems.empty());
  check_sources(document, "doctored.json", problems);
  return problems;
}

// A data directory of one doctored file, removed at the end.
class DoctoredData {
 public:
  DoctoredData(const std::string& kind, const std::string& id, const std::string& text)
      : folder_(std::filesystem::temp_directory_path() / ("clustersim_catalog_test_" + id)) {
    std::filesystem::create_directories(folder_ / "hardware" / kind);
    std::ofstream(folder_ / "hardware" / kind / (id + ".json")) << text;
  }
  DoctoredData(const DoctoredData&) = delete;
  DoctoredData& operator=(const DoctoredData&) = delete;
  ~DoctoredData() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("every file of the catalog reads into its type without a problem") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"test", "", problems};
  for (const auto& id : catalog.ids("gpu")) CHECK(catalog.gpu(id, by).id == id);
  for (const auto& id : catalog.ids("cpu")) CHECK(catalog.cpu(id, by).id == id);
  for (const auto& id : catalog.ids("link")) CHECK(catalog.link(id, by).id == id);
  for (const auto& id : catalog.ids("nic")) CHECK(catalog.nic(id, by).id == id);
  for (const auto& id : catalog.ids("switch")) CHECK(catalog.switch_(id, by).id == id);
  for (const auto& id : catalog.ids("storage")) CHECK(catalog.storage(id, by).id == id);
  for (const auto& id : catalog.ids("raid")) CHECK(catalog.raid(id, 4, by).id == id);
  for (const auto& id : catalog.ids("server")) CHECK(catalog.server(id, by).id == id);
  for (const auto& id : catalog.ids("cloud")) CHECK(catalog.cloud(id, by).id == id);
  INFO(text_of(problems));
  CHECK(problems.empty());
}

TEST_CASE("every file of every kind has a source or a reason for each number") {
  for (const auto& kind : catalog_kinds()) {
    for (const auto& id : entry_ids(kData, kind)) {
      std::vector<Problem> problems;
      const std::string path = entry_path(kData, kind, id);
      const JsonValue document = load_json(path, problems);
      check_sources(document, path, problems);
      INFO(text_of(problems));
      CHECK(problems.empty());
    }
  }
}

TEST_CASE("the catalog is whole, and an id names one thing") {
  // Counts of the survey that the files came from. Of its 56 interconnects 23 are links, 21 adapters and 10 switches;
  // the cable is a price and the NCCL model stands alone. The two links added are SATA 3 and the on-chip NIC.
  const std::map<std::string, std::size_t> expected = {
      {"gpu", 82},           {"cpu", 27},       {"link", 23 + 2}, {"nic", 21},    {"switch", 10},
      {"collective", 1},     {"storage", 33},   {"raid", 5},      {"server", 25}, {"cloud", 71},
      {"price", 22 + 1 + 1}, {"economics", 61}, {"model", 33}};
  std::set<std::string> seen;
  for (const auto& kind : catalog_kinds()) {
    const auto ids = entry_ids(kData, kind);
    CHECK(ids.size() == expected.at(kind.name));
    for (const auto& id : ids) CHECK(seen.insert(id).second);
  }
}

TEST_CASE("what one entry names exists elsewhere in the catalog") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"test", "", problems};
  const auto check_fabric = [&](const auto& node) {
    const auto fabric = catalog.gpu_fabric(node.gpu_fabric_link, node.gpu_fabric_shape, node.gpu_fabric_links_per_gpu,
                                           node.gpu_fabric_switch, by);
    const bool wired = fabric.shape != "none" && fabric.shape != "pcie";
    CHECK((wired ? fabric.link.achievable.base() > 0 : fabric.link.id.empty()));
  };
  for (const auto& id : catalog.ids("server")) {
    const ServerSpec s = catalog.server(id, by);
    INFO(id);
    CHECK((s.gpu_count == 0 || catalog.has("gpu", s.gpu_id)));
    CHECK(catalog.has("cpu", s.cpu_id));
    for (const auto& nic : s.nics) CHECK(catalog.has("nic", nic.id));
    for (const auto& drive : s.storage) {
      CHECK(catalog.has("storage", drive.id));
      CHECK((drive.raid == "none" || catalog.has("raid", drive.raid)));
    }
    if (!s.socket_link.empty()) CHECK(catalog.link(s.socket_link, by).id == s.socket_link);
    check_fabric(s);
    // Parents come first; every edge has a rate; the tree holds every GPU.
    std::set<std::string> above;
    int gpus = 0;
    for (const auto& vertex : s.pcie_tree) {
      CHECK((vertex.parent.empty() ? vertex.kind == "socket" : above.count(vertex.parent) == 1));
      CHECK((vertex.parent.empty() || vertex.link.base() > 0));
      CHECK(above.insert(vertex.id).second);
      gpus += vertex.kind == "gpu" ? 1 : 0;
    }
    CHECK(gpus == s.gpu_count);
  }
  for (const auto& id : catalog.ids("cloud")) {
    const CloudSpec c = catalog.cloud(id, by);
    INFO(id);
    CHECK(catalog.has("gpu", c.gpu_id));
    CHECK(catalog.has("cpu", c.cpu_id));
    CHECK((c.nic_id.empty() || catalog.has("nic", c.nic_id)));
    // Either the whole of a server or a slice that says how it is wired.
    CHECK((c.base_server.empty() ? c.sockets > 0 : catalog.server(c.base_server, by).gpu_count == c.gpu_count));
    if (c.base_server.empty()) check_fabric(c);
  }
  for (const auto& id : catalog.ids("model")) {
    if (load_json(entry_path(kData, *find_catalog_kind("model"), id), problems).find("record_type")->text != "model")
      continue;
    const ModelInfo m = catalog.model(id, by);
    CHECK(m.parameters > 0);
    CHECK((m.dataset_id.empty() || catalog.dataset(m.dataset_id, by).dataset.samples > 0));
  }
  INFO(text_of(problems));
  CHECK(problems.empty());
}

TEST_CASE("spot values arrive in base units") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"test", "", problems};

  const GpuSpec a100 = catalog.gpu("a100-sxm4-80gb", by);
  CHECK(a100.memory_bandwidth.base() == 2039e9);  // data sheet: 2039 GB/s
  CHECK(a100.peak_fp16->base() == 312e12);        // data sheet: 312 TFLOPS dense
  CHECK(a100.boost_clock.base() == 1410e6);       // data sheet: 1410 MHz
  CHECK(a100.tdp.base() == 400);                  // data sheet: 400 W
  CHECK(a100.slowdown.in_celsius() > a100.max_operating->in_celsius());
  CHECK_FALSE(a100.peak_fp8.has_value());  // Ampere has none: absent, not zero
  CHECK(a100.unknown.empty());
  CHECK_FALSE(catalog.gpu("p100-sxm2-16gb", by).has_tensor_cores());
  CHECK_FALSE(catalog.gpu("rtx-4090", by).p2p);
  CHECK(a100.p2p);

  // No peak was ever published for Gaudi 1: the reader says so instead of passing a zero on.
  const auto& unknown = catalog.gpu("gaudi", by).unknown;
  CHECK(std::find(unknown.begin(), unknown.end(), "peak_fp32") != unknown.end());

  const CpuSpec rome = catalog.cpu("epyc-7742", by);
  CHECK(rome.relative_ipc == 1.0);                     // the anchor of the scale
  CHECK(rome.launch_overhead.base() == Approx(6e-6));  // the anchor of the rule: 6 us

  // NVLink 3: 25 GB/s a link and direction, 12 links = 300 GB/s.
  const LinkSpec nvlink = catalog.link("nvlink3", by);
  CHECK(nvlink.theoretical.base() * nvlink.links_per_gpu == Approx(a100.nvlink_per_direction.base()));
  // PCIe 4.0 x4 is a quarter of x16.
  CHECK(catalog.link("pcie4-x4", by).achievable.base() == Approx(catalog.link("pcie4-x16", by).achievable.base() / 4));
  CHECK(catalog.link("pcie4-x4", by).latency == catalog.link("pcie4-x16", by).latency);
  CHECK(catalog.link("nvswitch3", by).in_network_reduction);
  CHECK_FALSE(catalog.link("nvswitch2", by).in_network_reduction);

  CHECK(catalog.nic("eth-100g", by).line_rate.base() == 12.5e9);  // 100 Gbit/s over 8 bits a byte
  CHECK(catalog.nic("efa-v1", by).line_rate.base() == 12.5e9);    // one of the four adapters of 400 Gbit/s
  CHECK(catalog.storage("sata-ssd", by).read.base() == 560e6);
  CHECK(catalog.storage("ceph-nvme", by).per == "server");
  CHECK(catalog.storage("fsx-lustre-250", by).per == "TiB");
  CHECK(catalog.server("dgx-a100-80gb", by).gpu_slot == "pcie4-x16");
  CHECK(problems.empty());
}

TEST_CASE("arrays follow the formulas of their level") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"s.json", "/cluster/node/storage", problems};
  // n devices of RAID 5: n-1 hold data, all n read, n-1 are written in whole stripes.
  for (const int n : {3, 4, 8}) {
    const RaidLevel five = catalog.raid("raid5", n, by);
    CHECK(five.capacity_share == Approx((n - 1.0) / n));
    CHECK(five.read_scaling == Approx(n));
    CHECK(five.write_scaling == Approx(n - 1));
    CHECK(catalog.raid("raid0", n, by).capacity_share == Approx(1));
    CHECK(catalog.raid("raid10", n, by).capacity_share == Approx(0.5));
    CHECK(catalog.raid("none", n, by).read_scaling == Approx(n));
  }
  CHECK(problems.empty());
  // Two devices of RAID 6 hold nothing.
  CHECK(catalog.raid("raid6", 2, by).id.empty());
  CHECK(problems.size() == 1);
}

TEST_CASE("prices in other currencies come out in dollars, with the rate named") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"test", "", problems};
  const ExchangeRates rates = catalog.rates(by);
  const CloudSpec china = catalog.cloud("aws-china-p3-2xlarge", by);
  CHECK(china.currency == "CNY");
  REQUIRE(china.on_demand.has_value());
  // 36.078 CNY/h.
  CHECK(china.on_demand->base() == Approx(36.078 * rates.usd_per_unit.at("CNY") / 3600));
  const auto named = std::find_if(china.estimated.begin(), china.estimated.end(), [](const EstimatedField& e) {
    return e.field == "on_demand" && e.why.find("7.2 per USD") != std::string::npos;
  });
  CHECK(named != china.estimated.end());
  CHECK(catalog.cloud("aws-p3-2xlarge", by).on_demand->base() == Approx(3.06 / 3600));
  // 369.5 g/kWh over 3.6 MJ a kWh.
  CHECK(catalog.carbon("USA", by).base() == Approx(369.5 / 3.6e6));
  CHECK(*catalog.quantity("economics", "elec-us-industrial", "price_usd_typical", Dimension::energy_price, by) ==
        Approx(0.081 / 3.6e6));
  // 0.12 CNY for a GB and month.
  CHECK(*catalog.quantity("price", "aliyun-oss-standard", "price", Dimension::byte_price, by) ==
        Approx(0.12 * rates.usd_per_unit.at("CNY") / 1e9));
  CHECK(problems.empty());
}

TEST_CASE("a data set counts its samples and their bytes in each container") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"test", "", problems};
  const DatasetInfo imagenet = catalog.dataset("imagenet-1k", by);
  CHECK(imagenet.dataset.samples == 1281167);
  CHECK(imagenet.dataset.images);
  CHECK(imagenet.dataset.tensor_bytes.base() == 224 * 224 * 3);
  CHECK(imagenet.dataset.record_bytes == imagenet.bytes_per_sample.at("tfrecord"));
  CHECK(catalog.model("resnet-50", by).dataset_id == "imagenet-1k");
  CHECK(catalog.model("resnet-50", by).train_flop_per_sample->base() == 24535105536.0);
  CHECK(problems.empty());
  CHECK(catalog.dataset("resnet-50", by).id.empty());
  CHECK(catalog.model("imagenet-1k", by).id.empty());
  CHECK(problems.size() == 2);
}

TEST_CASE("a wrong id names the nearest") {
  const Catalog catalog(kData);
  std::vector<Problem> problems;
  const Asked by{"s.json", "/cluster/node/gpu", problems};
  CHECK(catalog.gpu("a100-sxm4-80g", by).id.empty());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].file == "s.json");
  CHECK(problems[0].pointer == "/cluster/node/gpu");
  CHECK(problems[0].hint == "did you mean \"a100-sxm4-80gb\"?");
  // An id is a name, never a way out of the folder.
  CHECK(catalog.gpu("../cpu/epyc-7742", by).id.empty());
  CHECK(catalog.link("pcie4-x3", by).id.empty());
  CHECK(catalog.carbon("USD", by).base() == 0);
  CHECK(problems.size() == 4);
}

TEST_CASE("a number without a source is refused") {
  const auto one = problems_of_sources(R"({"tdp": "400 W", "sources": [], "estimated": {}})");
  REQUIRE(one.size() == 1);
  CHECK(one[0].pointer == "/tdp");
  // A source that names other fields does not cover it, one that names none does, a reason does.
  CHECK(problems_of_sources(R"({"tdp": "400 W", "ports": 2, "estimated": {},
      "sources": [{"what": "a", "where": "b", "fields": ["ports"]}]})")
            .size() == 1);
  CHECK(problems_of_sources(R"({"tdp": "400 W", "sources": [{"what": "a", "where": "b"}], "estimated": {}})").empty());
  CHECK(problems_of_sources(R"({"tdp": "400 W", "sources": [], "estimated": {"tdp": "guess"}})").empty());
  // Numbers inside other things count too; what names a container covers what is in it.
  CHECK(problems_of_sources(R"({"a": {"b": [1, 2]}, "sources": [], "estimated": {}})").size() == 2);
  CHECK(problems_of_sources(R"({"a": {"b": [1, 2]}, "sources": [], "estimated": {"a/b": "guess"}})").empty());
  CHECK(problems_of_sources(R"({"facts": {"b": 1}, "sources": [], "estimated": {"b": "guess"}})").empty());
  // A date is no number, a name that begins alike is no container.
  CHECK(problems_of_sources(R"({"date": "2024-2025", "sources": [], "estimated": {}})").empty());
  CHECK(problems_of_sources(R"({"price": "1 USD", "price_x": "1 USD", "sources": [],
      "estimated": {"price": "guess"}})")
            .size() == 1);
  // A source of a field that is not there, a source that says nothing, no sources at all.
  CHECK(
      problems_of_sources(R"({"sources": [{"what": "a", "where": "b", "fields": ["tpd"]}], "estimated": {}})").size() ==
      1);
  CHECK(problems_of_sources(R"({"sources": [{"what": "a"}], "estimated": {"x": "y"}})").size() == 2);
  CHECK(problems_of_sources(R"({"tdp": "400 W"})").size() == 3);
}

TEST_CASE("a fault in a catalog file names the file and who asked for it") {
  const DoctoredData data("switch", "sw-mine",
                          R"({"kind": "ethernet", "ports": 32, "port_rate": 100, "latencyy": "1 us",
      "sources": [{"what": "a", "where": "b"}], "estimated": {}})");
  const Catalog catalog(data.path());
  std::vector<Problem> problems;
  CHECK(catalog.switch_("sw-mine", {"s.json", "/cluster/fabric/switch", problems}).id.empty());
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].file == data.path() + "/hardware/switch/sw-mine.json");
  CHECK(problems[0].pointer == "/port_rate");
  CHECK(problems[1].pointer == "/latencyy");
  for (const auto& p : problems) CHECK(p.hint.find("asked for by s.json /cluster/fabric/switch") != std::string::npos);
}

TEST_CASE("catalog() lists kinds, entries and the source of each number") {
  CHECK(catalog("").find("gpu         82") != std::string::npos);
  CHECK(catalog("gpu").find("a100-sxm4-80gb") != std::string::npos);
  const std::string entry = catalog("a100-sxm4-80gb");
  CHECK(entry.find("2039 GB/s") != std::string::npos);
  CHECK(entry.find("estimated: slightly below the 67 W capture") != std::string::npos);
  CHECK(entry.find("[1] TechPowerUp") != std::string::npos);
  for (const auto& kind : catalog_kinds()) {
    CHECK_FALSE(catalog(kind.name).empty());
    for (const auto& id : entry_ids(kData, kind)) CHECK(catalog(id).starts_with(id));
  }
  try {
    catalog("a100-sxm4-80bg");
    FAIL("an unknown id must be refused");
  } catch (const InputError& e) {
    CHECK(e.problems()[0].hint == "did you mean \"a100-sxm4-80gb\"?");
  }
}

TEST_CASE("the data directory is the named one, and a wrong name is a fault") {
  const DoctoredData data("switch", "sw-none", "{}");
  setenv("CLUSTERSIM_DATA", data.path().c_str(), 1);
  CHECK(data_directory() == data.path());
  setenv("CLUSTERSIM_DATA", "/no/such/folder", 1);
  CHECK_THROWS_AS(data_directory(), InputError);
  unsetenv("CLUSTERSIM_DATA");
  CHECK(std::filesystem::is_directory(data_directory() + "/hardware"));
}
