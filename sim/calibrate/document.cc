#include "sim/calibrate/document.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/workload/operator_kind.h"
#include "sim/import/nccl_rows.h"

namespace clustersim {
namespace {

using nlohmann::ordered_json;

double rounded(double value, int digits) {
  if (value == 0) return 0;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

std::string size_text(double bytes) { return format_quantity(bytes, Dimension::bytes); }
std::string time_text(double seconds) { return format_quantity(seconds, Dimension::time); }

ordered_json quality_json(const FitQuality& quality, const std::string& swept) {
  ordered_json json;
  json["rows"] = quality.rows;
  json["median_residual"] = rounded(quality.median_residual, 3);
  json["worst_residual"] = rounded(quality.worst_residual, 3);
  if (!swept.empty()) {
    json["from"] = swept_text(swept, quality.from);
    json["to"] = swept_text(swept, quality.to);
  }
  return json;
}

ordered_json value_json(const Constant& c) {
  if (c.dimension) return constant_text(c);
  return rounded(c.value, 6);
}

ordered_json source_json(const std::string& what, const std::string& where, const std::vector<std::string>& fields) {
  ordered_json json{{"what", what}, {"where", where}};
  if (!fields.empty()) json["fields"] = fields;
  return json;
}

// Constants of one source share an entry.
void add_source(ordered_json& sources, const Constant& c) {
  for (ordered_json& source : sources)
    if (source["what"] == c.source && source["where"] == c.where) {
      source["fields"].push_back(c.key);
      source["fields"].push_back("calibration/" + c.key);
      return;
    }
  sources.push_back(source_json(c.source, c.where, {c.key, "calibration/" + c.key}));
}

ordered_json part_json(const std::string& part, const std::vector<Constant>& constants,
                       const std::map<std::string, std::string>& bases) {
  ordered_json json, sources = ordered_json::array(), estimated = ordered_json::object(), facts;
  if (const auto base = bases.find(part); base != bases.end()) json["base"] = base->second;
  for (const Constant& c : constants) {
    if (c.part != part) continue;
    json[c.key] = value_json(c);
    add_source(sources, c);
    if (!c.doubt.empty()) estimated[c.key] = c.doubt;
    facts["calibration"][c.key] = quality_json(c.quality, c.swept);
  }
  json["sources"] = sources;
  json["estimated"] = estimated;
  json["facts"] = facts;
  return json;
}

std::string files_text(const std::vector<const MeasuredFile*>& files) {
  std::string text;
  for (const MeasuredFile* file : files) text += (text.empty() ? "" : ", ") + base_name(file->file);
  return text;
}

ordered_json curve_json(const CollectiveCurve& curve) {
  ordered_json json;
  json["small"] = time_text(curve.small_s);
  if (curve.fill_s > 0) {
    json["fill"] = time_text(curve.fill_s);
    json["knee"] = size_text(curve.knee_bytes);
  }
  if (curve.bytes_per_s > 0) json["rate"] = format_quantity(curve.bytes_per_s, Dimension::bandwidth, "GB/s");
  json.update(quality_json(curve.quality, "B"));
  return json;
}

ordered_json sweep_json(const SweepEntry& entry) {
  const MeasuredSweep& sweep = entry.sweep.sweep;
  ordered_json json, points = ordered_json::array(), facts;
  json["op"] = to_string(sweep.op);
  json["nodes"] = sweep.nodes;
  json["ranks"] = sweep.ranks;
  for (const TimedSize& p : sweep.points)
    points.push_back(ordered_json{{"size", size_text(p.bytes)}, {"time", time_text(p.seconds)}});
  if (entry.correction) {
    const CollectiveCorrection& c = entry.correction->correction;
    json["small"] = rounded(c.small, 4);
    json["fill"] = rounded(c.fill, 4);
    json["knee"] = rounded(c.knee, 4);
    json["rate"] = rounded(c.rate, 4);
    json["limit"] = c.limit;
    json["from"] = size_text(c.from.base());
    json["to"] = size_text(c.to.base());
    facts["factors"] = quality_json(entry.correction->quality, "B");
    facts["points"] = points;
  } else {
    json["points"] = points;
  }
  if (entry.curve) facts["curve"] = curve_json(*entry.curve);
  json["sources"] =
      ordered_json::array({source_json(source_text(entry.sweep.files), files_text(entry.sweep.files), {})});
  json["facts"] = facts;
  return json;
}

}  // namespace

std::string swept_text(const std::string& swept, double value) {
  if (swept == "B") return size_text(value);
  if (swept == "Hz") return format_quantity(value, Dimension::frequency);
  if (swept == "FLOP") return format_quantity(rounded(value, 3), Dimension::flop);
  if (swept == "of K") return "K " + number_text(value);
  return number_text(value) + (swept == "streams" ? value == 1 ? " stream" : " streams" : "");
}

std::string constant_text(const Constant& c) {
  if (!c.dimension) return number_text(rounded(c.value, 6));
  const char* unit = *c.dimension == Dimension::bandwidth   ? "GB/s"
                     : *c.dimension == Dimension::flop_rate ? "TFLOP/s"
                                                            : "";
  return format_quantity(rounded(c.value, 4), *c.dimension, unit);
}

std::string calibration_document(const std::vector<Constant>& constants,
                                 const std::map<std::string, std::string>& bases,
                                 const std::vector<SweepEntry>& sweeps) {
  ordered_json json;
  json["clustersim_calibration"] = 1;
  for (const char* part : {"gpu", "cpu", "nic", "pcie", "storage"}) {
    bool found = false;
    for (const Constant& c : constants) found = found || c.part == part;
    if (found) json[part] = part_json(part, constants, bases);
  }
  for (const SweepEntry& entry : sweeps) json["collectives"].push_back(sweep_json(entry));
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace clustersim
