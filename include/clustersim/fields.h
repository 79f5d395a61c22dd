// How a struct lists its keys once: name, type, unit or choices, range, default, meaning. The same list reads a file
// (sim/read/json_reader) and prints the manual (sim/explain).
//
//   void visit_fields(FieldVisitor& v, CpuSpec& cpu) {
//     v.key({.name = "cores", .meaning = "physical cores of one socket", .required = true, .min = 1}, cpu.cores);
//     v.key({.name = "tdp", .meaning = "thermal design power", .min = 0}, cpu.tdp);   // unit: from the type
//   }
//
// A key that the file leaves out leaves its member as it was; members may be std::optional.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clustersim/range.h"
#include "clustersim/units.h"
#include "clustersim/units_text.h"

namespace clustersim {

// One key. Ranges are in base units (temperatures in degrees Celsius) and inclusive.
struct Field {
  std::string name;
  std::string meaning;
  std::string default_text = {};  // as a user reads it; "" where there is none
  bool required = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::optional<Dimension> dimension = {};  // where it is not the type's own (power_time_price)
  std::string unit = {};                    // the unit it is printed in, "" for the shortest
};

// A word of a closed list.
template <class E>
struct Choice {
  const char* name;
  E value;
  const char* meaning;
};

class FieldVisitor {
 public:
  using Body = std::function<void(FieldVisitor&)>;

  virtual ~FieldVisitor() = default;

  // Scalars: int, double, bool, std::string, Temperature, any Quantity; or std::optional of one.
  template <class T>
  void key(const Field& field, T& value) {
    if (const auto found = read_scalar<T>(field)) value = *found;
  }
  template <class T>
  void key(const Field& field, std::optional<T>& value) {
    if (const auto found = read_scalar<T>(field)) value = *found;
  }

  // A quantity that may be a range.
  template <class Q>
  void key(const Field& field, std::optional<RangeOf<Q>>& value) {
    const auto found = read_range(field, field.dimension.value_or(DimensionOf<Q>::value));
    if (found) value = {Q::from_base(found->low), Q::from_base(found->likely), Q::from_base(found->high)};
  }

  // A word of a table of Choice<E>.
  template <class E, std::size_t N>
  void choice(const Field& field, const Choice<E> (&table)[N], E& value) {
    if (const auto i = choose(field, table)) value = table[*i].value;
  }
  template <class E, std::size_t N>
  void choice(const Field& field, const Choice<E> (&table)[N], std::optional<E>& value) {
    if (const auto i = choose(field, table)) value = table[*i].value;
  }

  // A nested object: body is called inside it where the key is there.
  virtual void object(const Field& field, const Body& body) = 0;
  // A list of objects: body is called inside each.
  virtual void list(const Field& field, const Body& body) = 0;
  // An object whose keys are free and whose values are texts ("estimated": {"price": "recalled"}); empty if absent.
  virtual std::vector<std::pair<std::string, std::string>> texts(const Field& field) = 0;
  // A list of words.
  virtual std::optional<std::vector<std::string>> words(const Field& field) = 0;

  // Any JSON value, as its text; `form` says in words what it may be.
  virtual void json(const Field& field, const std::string& form, std::optional<std::string>& text) = 0;

  // A thing of the catalog: an id (one of `ids`, which are of `kind`), or an object in place. on_id gets an id that
  // is known; on_object is called inside the object with the id of its "base", "" without one.
  virtual void part(const Field& field, const std::string& kind, const std::vector<std::string>& ids,
                    const std::function<void(const std::string& id)>& on_id,
                    const std::function<void(FieldVisitor&, const std::string& base)>& on_object) = 0;

  // The name of a file, or its content in place.
  virtual void file_or_object(const Field& field, const std::function<void(const std::string& path)>& on_path,
                              const Body& on_object) = 0;

  // A key that may stand there and is not read ("sources", "note").
  virtual void skip(const std::string& name) = 0;
  // Whether the file gives this key of the object being visited.
  virtual bool given(const std::string& name) const = 0;
  // JSON pointer of the object being visited.
  virtual std::string pointer() const = 0;

 protected:
  virtual std::optional<double> read_number(const Field& field) = 0;
  virtual std::optional<int> read_integer(const Field& field) = 0;
  virtual std::optional<bool> read_flag(const Field& field) = 0;
  virtual std::optional<std::string> read_text(const Field& field) = 0;
  virtual std::optional<double> read_quantity(const Field& field, Dimension dimension) = 0;
  virtual std::optional<RangeOf<double>> read_range(const Field& field, Dimension dimension) = 0;
  virtual std::optional<std::size_t> read_choice(const Field& field, const std::vector<std::string>& names,
                                                 const std::vector<std::string>& meanings) = 0;

 private:
  template <class T>
  std::optional<T> read_scalar(const Field& field) {
    if constexpr (std::is_same_v<T, bool>) {
      return read_flag(field);
    } else if constexpr (std::is_same_v<T, int>) {
      return read_integer(field);
    } else if constexpr (std::is_same_v<T, double>) {
      return read_number(field);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return read_text(field);
    } else {
      const auto base = read_quantity(field, field.dimension.value_or(DimensionOf<T>::value));
      if (!base) return std::nullopt;
      if constexpr (std::is_same_v<T, Temperature>) {
        return Temperature::celsius(*base);
      } else {
        return T::from_base(*base);
      }
    }
  }

  template <class E, std::size_t N>
  std::optional<std::size_t> choose(const Field& field, const Choice<E> (&table)[N]) {
    std::vector<std::string> names, meanings;
    for (const auto& entry : table) {
      names.emplace_back(entry.name);
      meanings.emplace_back(entry.meaning);
    }
    return read_choice(field, names, meanings);
  }
};

}  // namespace clustersim
