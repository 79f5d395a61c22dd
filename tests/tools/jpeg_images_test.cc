#include "tools/measurement/jpeg_images.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace clustersim::measurement;

TEST_CASE("generated images have ImageNet's size", "[measurement]") {
  if (!jpeg_is_built()) return;
  const auto images = make_jpeg_images(3);
  REQUIRE(images.size() == 3);
  JpegDecoder decoder;
  for (const auto& image : images) {
    // One step of quality changes the size by a few per cent.
    CHECK(static_cast<double>(image.size()) == Approx(110'000).epsilon(0.05));
    CHECK(decoder.decode(image).size() == 3 * 500 * 375);
  }
  CHECK(images[0] != images[1]);
  CHECK(make_jpeg_images(1)[0] == images[0]);  // the same on every run
}

TEST_CASE("what is no JPEG is an error, not a picture", "[measurement]") {
  if (!jpeg_is_built()) return;
  JpegDecoder decoder;
  CHECK_THROWS(decoder.decode({1, 2, 3}));
}
