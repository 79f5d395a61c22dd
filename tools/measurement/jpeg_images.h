// JPEG images of ImageNet's mean size, generated: 500 x 375 pixels, about 110 kB.
//
// The time to decode grows with pixels and with bytes of entropy code, so both must be right; what the picture shows
// does not matter. A picture is value noise of several octaves (power falls with frequency, as in photographs); quality
// is chosen so that the size comes nearest to the wanted one. 4:2:0, baseline.
// Source of the size: ImageNet's records hold 114,660 B a sample on average.
//
// Checked by tests/tools/jpeg_images_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim::measurement {

struct JpegSize {
  int width = 500, height = 375;
  int bytes = 110'000;
};

// False where the program was built without libturbojpeg: nothing below can then be called.
bool jpeg_is_built();

// `count` different images. Throws std::runtime_error if the library fails.
std::vector<std::vector<std::uint8_t>> make_jpeg_images(int count, const JpegSize& size = {});

// Decodes to RGB, one object a thread.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // The pixels, three bytes each, valid until the next call.
  const std::vector<std::uint8_t>& decode(const std::vector<std::uint8_t>& jpeg);

 private:
  void* handle_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace clustersim::measurement
