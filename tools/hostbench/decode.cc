// JPEG decode with libturbojpeg: one core alone, every physical core, every processor.
#include <algorithm>
#include <atomic>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/machine.h"
#include "tools/measurement/jpeg_images.h"
#include "tools/measurement/statistics.h"

namespace clustersim::hostbench {
namespace {

using Images = std::vector<std::vector<std::uint8_t>>;

// Seconds an image on one thread, while all of `cpus` decode for about `seconds`.
double decode_round(const Images& images, const std::vector<int>& cpus, double seconds, std::vector<double>& shares) {
  std::atomic<std::int64_t> decoded = 0;
  const Together together = run_together(cpus, [&](int index) {
    measurement::JpegDecoder decoder;
    const double end_s = now_s() + seconds;
    std::int64_t count = 0;
    for (auto i = static_cast<std::size_t>(index); now_s() < end_s && !interrupted(); ++i, ++count) {
      decoder.decode(images[i % images.size()]);
    }
    decoded += count;
  });
  shares.push_back(together.cpu_share);
  return together.elapsed_s * static_cast<double>(cpus.size()) /
         static_cast<double>(std::max<std::int64_t>(decoded, 1));
}

Record decode_on(const Images& images, const std::vector<int>& cpus, const Settings& settings) {
  std::size_t bytes = 0;
  for (const auto& image : images) bytes += image.size();
  const auto threads = static_cast<std::int64_t>(cpus.size());
  std::vector<double> shares;
  const auto samples = sample_rounds(settings.quick ? 5 : 11, settings.quick ? 0.1 : 0.25,
                                     [&](double seconds) { return decode_round(images, cpus, seconds, shares); });
  Record record = measurement::measured("jpeg_decode",
                                        {{"threads", threads},
                                         {"width", std::int64_t{500}},
                                         {"height", std::int64_t{375}},
                                         {"image_bytes", static_cast<std::int64_t>(bytes / images.size())}},
                                        samples);
  record.derived = {{"images_per_core_s", 1 / record.median},
                    {"images_per_s", static_cast<double>(threads) / record.median}};
  add_cpu_share(record, measurement::quantile(shares, 0.5));
  return record;
}

}  // namespace

std::vector<Record> run_decode(const Settings& settings) {
  if (!measurement::jpeg_is_built()) {
    return {measurement::skipped("jpeg_decode", {},
                                 "built without libturbojpeg; install libturbojpeg0-dev and build again")};
  }
  const Images images = measurement::make_jpeg_images(16);
  const std::vector<int> cpus = usable_cpus();
  std::vector<int> counts = {1, static_cast<int>(one_cpu_a_core(cpus).size()), static_cast<int>(cpus.size())};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<Record> records;
  for (int count : counts) {
    // Physical cores first, so that their siblings stay idle until the last count.
    const std::vector<int> chosen =
        count == static_cast<int>(cpus.size()) ? cpus : first_cpus(one_cpu_a_core(cpus), count);
    records.push_back(decode_on(images, chosen, settings));
  }
  return records;
}

}  // namespace clustersim::hostbench
