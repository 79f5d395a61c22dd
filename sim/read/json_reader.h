// Reads a JSON object into structs through their field lists, collects every fault and reads on.
//
//   std::vector<Problem> problems;
//   const JsonValue document = load_json(path, problems);
//   JsonReader(document, path, problems).read([&](FieldVisitor& v) { visit_fields(v, cpu); });
//   if (!problems.empty()) throw InputError(problems);
#pragma once

#include <string>
#include <vector>

#include "clustersim/error.h"
#include "clustersim/fields.h"
#include "sim/read/json_value.h"

namespace clustersim {

// Money that was written in another currency than USD.
struct Conversion {
  std::string pointer;
  std::string written;  // "1000 EUR"
  double usd_per_unit = 1;
  std::string date;
  std::string currency;
};

class JsonReader : public FieldVisitor {
 public:
  // The document and the problems must outlive the reader. Without rates only USD is understood.
  JsonReader(const JsonValue& document, std::string file, std::vector<Problem>& problems,
             const ExchangeRates* rates = nullptr);

  // What `clustersim explain` calls the top of a file that is no scenario ("study").
  void name_manual(const std::string& root) { manual_ = root; }

  // Visits the whole document with `fields`, then reports the keys that nobody asked for.
  void read(const Body& fields);

  const std::vector<Conversion>& conversions() const { return conversions_; }

  void object(const Field& field, const Body& body) override;
  void list(const Field& field, const Body& body) override;
  std::vector<std::pair<std::string, std::string>> texts(const Field& field) override;
  std::optional<std::vector<std::string>> words(const Field& field) override;
  void json(const Field& field, const std::string& form, std::optional<std::string>& text) override;
  void part(const Field& field, const std::string& kind, const std::vector<std::string>& ids,
            const std::function<void(const std::string& id)>& on_id,
            const std::function<void(FieldVisitor&, const std::string& base)>& on_object) override;
  void file_or_object(const Field& field, const std::function<void(const std::string& path)>& on_path,
                      const Body& on_object) override;
  void skip(const std::string& name) override;
  bool given(const std::string& name) const override;
  std::string pointer() const override;

 protected:
  std::optional<double> read_number(const Field& field) override;
  std::optional<int> read_integer(const Field& field) override;
  std::optional<bool> read_flag(const Field& field) override;
  std::optional<std::string> read_text(const Field& field) override;
  std::optional<double> read_quantity(const Field& field, Dimension dimension) override;
  std::optional<RangeOf<double>> read_range(const Field& field, Dimension dimension) override;
  std::optional<std::size_t> read_choice(const Field& field, const std::vector<std::string>& names,
                                         const std::vector<std::string>& meanings) override;

 private:
  // One object being read.
  struct Frame {
    const JsonValue* object;
    std::string pointer;
    bool based;                      // starts from a catalog entry, so nothing is required
    std::vector<std::string> known;  // keys asked for so far
  };

  // The text of a quantity; null where the key is absent, faulty where it is none.
  const JsonValue* take_quantity(const Field& field, Dimension dimension);
  // USD for one of the currency, noted; empty, and a fault, where no rate is known.
  std::optional<double> usd_for(const Field& field, const JsonValue& value, const std::string& currency,
                                Dimension dimension);
  const JsonValue* take(const Field& field);  // notes the key as known; faults where it is required and absent
  void inside(const JsonValue& object, const std::string& pointer, bool based, const Body& body);
  void report_unknown_keys();
  void fault(const Field& field, const JsonValue& got, std::string expected, std::string hint);
  bool check_range(const Field& field, const JsonValue& got, double value, const std::optional<Dimension>& dimension);
  std::optional<std::string> known_id(const JsonValue& value, const std::string& pointer, const std::string& kind,
                                      const std::vector<std::string>& ids);

  const JsonValue& document_;
  std::string file_;
  std::vector<Problem>& problems_;
  const ExchangeRates* rates_;
  std::string manual_;
  std::vector<Frame> frames_;
  std::vector<Conversion> conversions_;
};

}  // namespace clustersim
