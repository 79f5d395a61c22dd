#include "tools/measurement/jpeg_images.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#if CLUSTERSIM_TURBOJPEG
#include <turbojpeg.h>
#endif

namespace clustersim::measurement {

#if CLUSTERSIM_TURBOJPEG

namespace {

// A number in [0, 1) that depends on place, octave and picture alone.
double lattice(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
  std::uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return (h ^ (h >> 15)) / 4294967296.0;
}

// Smooth between lattice points `cell` pixels apart.
double value_noise(int x, int y, int cell, std::uint32_t seed) {
  const double u = static_cast<double>(x % cell) / cell, v = static_cast<double>(y % cell) / cell;
  const auto column = static_cast<std::uint32_t>(x / cell), row = static_cast<std::uint32_t>(y / cell);
  const double top = std::lerp(lattice(column, row, seed), lattice(column + 1, row, seed), u);
  const double bottom = std::lerp(lattice(column, row + 1, seed), lattice(column + 1, row + 1, seed), u);
  return std::lerp(top, bottom, v);
}

std::vector<std::uint8_t> make_pixels(int width, int height, std::uint32_t picture) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(3) * width * height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double shade = 0;
      for (int octave = 0; octave < 8; ++octave) {
        const int cell = 128 >> octave;  // amplitude in proportion to the wavelength to the power 0.6
        shade += 90 * std::pow(0.66, octave) * (value_noise(x, y, cell, picture * 16 + octave) - 0.5);
      }
      for (std::uint32_t channel = 0; channel < 3; ++channel) {
        const double tint = 40 * (value_noise(x, y, 64, picture * 16 + 8 + channel) - 0.5);
        pixels.push_back(static_cast<std::uint8_t>(std::fmin(255, std::fmax(0, 128 + shade + tint))));
      }
    }
  }
  return pixels;
}

std::runtime_error library_fault(void* handle) {
  return std::runtime_error(std::string("libturbojpeg: ") + tjGetErrorStr2(handle));
}

class Compressor {
 public:
  Compressor() : handle_(tjInitCompress()) {
    if (handle_ == nullptr) throw library_fault(nullptr);
  }
  ~Compressor() { tjDestroy(handle_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  std::vector<std::uint8_t> compress(const std::vector<std::uint8_t>& pixels, const JpegSize& size, int quality) {
    unsigned char* data = nullptr;
    unsigned long bytes = 0;
    const int status = tjCompress2(handle_, pixels.data(), size.width, 0, size.height, TJPF_RGB, &data, &bytes,
                                   TJSAMP_420, quality, 0);
    std::vector<std::uint8_t> jpeg;
    if (status == 0) jpeg.assign(data, data + bytes);
    tjFree(data);
    if (status != 0) throw library_fault(handle_);
    return jpeg;
  }

 private:
  void* handle_;
};

// Size grows with quality: bisection, then the nearer of the two neighbours.
std::vector<std::uint8_t> compress_to(Compressor& compressor, const std::vector<std::uint8_t>& pixels,
                                      const JpegSize& size) {
  const auto wanted = static_cast<std::size_t>(size.bytes);
  int low = 1, high = 100;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (compressor.compress(pixels, size, middle).size() < wanted ? low : high) = middle;
  }
  auto smaller = compressor.compress(pixels, size, low), larger = compressor.compress(pixels, size, high);
  const auto distance = [wanted](std::size_t bytes) { return bytes > wanted ? bytes - wanted : wanted - bytes; };
  return distance(smaller.size()) < distance(larger.size()) ? smaller : larger;
}

}  // namespace

bool jpeg_is_built() { return true; }

std::vector<std::vector<std::uint8_t>> make_jpeg_images(int count, const JpegSize& size) {
  Compressor compressor;
  std::vector<std::vector<std::uint8_t>> images;
  for (int picture = 0; picture < count; ++picture) {
    images.push_back(compress_to(compressor, make_pixels(size.width, size.height, picture), size));
  }
  return images;
}

JpegDecoder::JpegDecoder() : handle_(tjInitDecompress()) {
  if (handle_ == nullptr) throw library_fault(nullptr);
}

JpegDecoder::~JpegDecoder() { tjDestroy(handle_); }

const std::vector<std::uint8_t>& JpegDecoder::decode(const std::vector<std::uint8_t>& jpeg) {
  int width = 0, height = 0, sampling = 0, colours = 0;
  if (tjDecompressHeader3(handle_, jpeg.data(), jpeg.size(), &width, &height, &sampling, &colours) != 0) {
    throw library_fault(handle_);
  }
  pixels_.resize(static_cast<std::size_t>(3) * width * height);
  if (tjDecompress2(handle_, jpeg.data(), jpeg.size(), pixels_.data(), width, 0, height, TJPF_RGB, 0) != 0) {
    throw library_fault(handle_);
  }
  return pixels_;
}

#else

bool jpeg_is_built() { return false; }

std::vector<std::vector<std::uint8_t>> make_jpeg_images(int, const JpegSize&) {
  throw std::runtime_error("built without libturbojpeg");
}

JpegDecoder::JpegDecoder() : handle_(nullptr) { throw std::runtime_error("built without libturbojpeg"); }
JpegDecoder::~JpegDecoder() = default;
const std::vector<std::uint8_t>& JpegDecoder::decode(const std::vector<std::uint8_t>&) { return pixels_; }

#endif

}  // namespace clustersim::measurement
