#include "sim/write/html_detail.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

namespace clustersim {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// Six significant digits: more than a picture shows.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json rounded(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(rounded(value));
  return json;
}

// Each text once, named by its place.
class Strings {
 public:
  std::size_t place(const std::string& text) {
    const auto [entry, fresh] = places_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return entry->second;
  }
  Json json() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
};

Json slices_json(const std::vector<TimelineSlice>& slices) {
  Strings strings;
  Json track = Json::array(), start = Json::array(), duration = Json::array(), name = Json::array(),
       part = Json::array(), detail = Json::array();
  for (const TimelineSlice& slice : slices) {
    track.push_back(slice.track);
    start.push_back(nanoseconds(slice.start_s));
    duration.push_back(nanoseconds(slice.duration_s));
    name.push_back(strings.place(slice.name));
    part.push_back(strings.place(slice.part));
    detail.push_back(strings.place(slice.detail));
  }
  return {{"strings", strings.json()},
          {"columns",
           {{"track", track},
            {"start_ns", start},
            {"duration_ns", duration},
            {"name", name},
            {"part", part},
            {"detail", detail}}}};
}

}  // namespace

std::string timeline_as_json(const Timeline& timeline) {
  Json json = {{"step_s", timeline.step_s}, {"window_s", timeline.window_s}, {"decimation", timeline.decimation}};
  json["tracks"] = Json::array();
  for (const TimelineTrack& track : timeline.tracks)
    json["tracks"].push_back({{"process", track.process}, {"name", track.name}, {"kind", track.kind}});
  json["slices"] = slices_json(timeline.slices);
  json["flows"] = Json::array();
  for (const TimelineFlow& flow : timeline.flows) json["flows"].push_back({flow.from_slice, flow.to_slice});
  json["counters"] = Json::array();
  for (const TimelineCounter& counter : timeline.counters)
    json["counters"].push_back({{"process", counter.process},
                                {"name", counter.name},
                                {"unit", counter.unit},
                                {"time_s", rounded(counter.time_s)},
                                {"value", rounded(counter.value)}});
  return text_of(json);
}

std::string heat_as_json(const std::vector<HeatHistory>& heat) {
  Json json = Json::array();
  for (const HeatHistory& history : heat)
    json.push_back({{"process", history.process},
                    {"gpu", history.gpu},
                    {"settled", history.settled},
                    {"time_s", rounded(history.time_s)},
                    {"clock_mhz", rounded(history.clock_mhz)},
                    {"temperature_c", rounded(history.temperature_c)},
                    {"power_w", rounded(history.power_w)}});
  return text_of(json);
}

std::string picture_as_json(const ClusterPicture& picture) {
  Json nodes = Json::array(), vertices = Json::array(), links = Json::array(), gpus = Json::array();
  for (const PictureNode& node : picture.nodes)
    nodes.push_back({{"name", node.name}, {"count", node.count}, {"gpus", node.gpus}});
  for (const PictureVertex& vertex : picture.vertices)
    vertices.push_back({{"name", vertex.name}, {"kind", vertex.kind}, {"node", vertex.node}});
  for (const PictureLink& link : picture.links)
    links.push_back({{"from", link.from},
                     {"to", link.to},
                     {"name", link.name},
                     {"kind", link.kind},
                     {"capacity_bytes_per_s", link.capacity_bytes_per_s},
                     {"utilization", rounded(link.utilization)},
                     {"busy_share", rounded(link.busy_share)}});
  for (const PictureGpu& gpu : picture.gpus)
    gpus.push_back({{"vertex", gpu.vertex},
                    {"temperature_c", rounded(gpu.temperature_c)},
                    {"clock_mhz", rounded(gpu.clock_mhz)},
                    {"power_w", rounded(gpu.power_w)},
                    {"busy_share", rounded(gpu.busy_share)},
                    {"limit", gpu.limit}});
  return text_of({{"nodes", nodes}, {"vertices", vertices}, {"links", links}, {"gpus", gpus}});
}

}  // namespace clustersim
