// What the catalog knows of a part, typed. Reads only the file of the id it is asked for, once, or asks files read
// before.
//
// A fault never throws: it becomes a Problem, and the spec that comes back has an empty id.
//
//   Catalog catalog(data_directory());
//   std::vector<Problem> problems;
//   GpuSpec gpu = catalog.gpu("a100-sxm4-80gb", {scenario_path, "/cluster/node/gpu", problems});
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/hardware.h"
#include "clustersim/scenario.h"
#include "clustersim/units_text.h"

namespace clustersim {

struct CatalogFile;
class CatalogFiles;
struct CatalogKind;
class FieldVisitor;
struct JsonValue;

// Who asks, for the words of a fault.
struct Asked {
  std::string file;
  std::string pointer;
  std::vector<Problem>& problems;
};

struct DatasetInfo : Entry {
  Dataset dataset;                                // samples of the container that training reads
  double tokens = 0;                              // of all text, 0: unknown
  std::map<std::string, Bytes> bytes_per_sample;  // of every container known ("raw_jpeg", "tfrecord_seq128", ...)
};

struct ModelInfo : Entry {
  std::string family;
  double parameters = 0;
  std::optional<Flop> train_flop_per_sample;  // one image
  std::optional<Flop> train_flop_per_token;
  std::string dataset_id;  // "" where the set is not in the catalog
  std::optional<double> reference_epochs;
  std::optional<TransformerShape> shape;  // of a decoder or a vision transformer; positions: as many as it learned
  int context = 0;                        // tokens of a decoder's sequence
};

class Catalog {
 public:
  explicit Catalog(std::string data_dir, std::shared_ptr<const CatalogFiles> files = nullptr)
      : data_dir_(std::move(data_dir)), files_(std::move(files)) {}

  GpuSpec gpu(const std::string& id, const Asked& by) const;
  CpuSpec cpu(const std::string& id, const Asked& by) const;
  // Also "pcie4-x4" and other widths, as their share of x16, and the id of a nic wired from GPU to GPU.
  LinkSpec link(const std::string& id, const Asked& by) const;
  NicSpec nic(const std::string& id, const Asked& by) const;
  SwitchSpec switch_(const std::string& id, const Asked& by) const;
  StorageSpec storage(const std::string& id, const Asked& by) const;
  // "" and "none" are devices side by side.
  RaidLevel raid(const std::string& level, int devices, const Asked& by) const;
  // With the rates and latencies of the links of its PCIe tree.
  ServerSpec server(const std::string& id, const Asked& by) const;
  // With prices in USD; where they were not, `estimated` names the rate.
  CloudSpec cloud(const std::string& id, const Asked& by) const;
  ModelInfo model(const std::string& id, const Asked& by) const;
  DatasetInfo dataset(const std::string& id, const Asked& by) const;

  // The link of a GPU fabric and what its switch can do. An empty link stands for PCIe.
  GpuFabricSpec gpu_fabric(const std::string& link_id, const std::string& shape, int links_per_gpu,
                           const std::string& switch_id, const Asked& by) const;

  // Of a country ("USD" is money, "USA" a country: ISO 3166 alpha-3) or a cloud region ("gcp-us-central1").
  CarbonIntensity carbon(const std::string& region, const Asked& by) const;
  ExchangeRates rates(const Asked& by) const;
  // Any quantity of any entry by the path of its key ("price_typical", "facts/per_direction_total").
  std::optional<double> quantity(const std::string& kind, const std::string& id, const std::string& path,
                                 Dimension dimension, const Asked& by) const;

  // What the file of an entry says, untyped; null where there is none or it is faulty.
  std::shared_ptr<const JsonValue> document(const std::string& kind, const std::string& id) const;

  bool has(const std::string& kind, const std::string& id) const;
  // Sorted; lists the folder of that kind.
  std::vector<std::string> ids(const std::string& kind) const;
  const std::string& data_dir() const { return data_dir_; }

 private:
  bool exists(const CatalogKind& kind, const std::string& id) const;
  std::vector<std::string> ids_of(const CatalogKind& kind) const;
  // The document, sound and with a source for each number; else null and problems.
  std::shared_ptr<const JsonValue> load(const CatalogKind& kind, const std::string& id, const Asked& by) const;
  template <class Spec, class Fields>
  Spec read(const char* kind, const std::string& id, const Asked& by, const ExchangeRates* rates,
            const Fields& fields) const;
  std::optional<LinkSpec> narrow_pcie(const std::string& id, const Asked& by) const;

  std::string data_dir_;
  const CatalogFile& file(const std::string& path) const;

  std::shared_ptr<const CatalogFiles> files_;  // null: each file is read when it is first asked for
  // Without files_: what was read and listed. Such a catalog is for one thread.
  mutable std::map<std::string, std::shared_ptr<const CatalogFile>> read_;
  mutable std::map<std::string, std::vector<std::string>> listed_;
};

}  // namespace clustersim
