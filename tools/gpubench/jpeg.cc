// JPEG decode by nvJPEG, on SMs and on the JPEG engine, of images of ImageNet's size.
//
// nvJPEG is opened at run time, so that the program runs where it is not installed.
#include <dlfcn.h>

#include <cmath>
#include <memory>

#include "tools/gpubench/groups.h"
#include "tools/measurement/jpeg_images.h"

namespace clustersim::gpubench {
namespace {

using Images = std::vector<std::vector<std::uint8_t>>;

// The part of nvJPEG's interface that is used here. Source: nvJPEG documentation, unchanged from CUDA 10.2 to 13.
struct Image {
  unsigned char* channel[4];
  std::size_t pitch[4];
};
using Handle = void*;
using Status = int;
constexpr int rgb_interleaved = 5;
constexpr Status no_engine = 7, not_implemented = 9;

struct NoEngine {};

struct Backend {
  const char* name;
  int number;
};
constexpr Backend backends[] = {{"hybrid", 1}, {"gpu_hybrid", 2}, {"hardware", 3}};

std::string reason_of(Status status) {
  switch (status) {
    case 1:
      return "not initialised";
    case 2:
      return "invalid parameter";
    case 3:
      return "bad JPEG";
    case 4:
      return "JPEG not supported";
    case 5:
      return "no memory";
    case 6:
      return "execution failed";
    default:
      return "status " + std::to_string(status);
  }
}

void check_jpeg(Status status, const char* what) {
  if (status != 0) throw Fault(std::string("nvJPEG cannot ") + what + ": " + reason_of(status));
}

class Library {
 public:
  Library() {
    for (const char* name : {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so"}) {
      if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
    }
    if (library_ == nullptr) return;
    load("nvjpegCreateEx", create);
    load("nvjpegDestroy", destroy);
    load("nvjpegJpegStateCreate", create_state);
    load("nvjpegJpegStateDestroy", destroy_state);
    load("nvjpegDecodeBatchedInitialize", initialize);
    load("nvjpegDecodeBatched", decode);
    complete_ = create && destroy && create_state && destroy_state && initialize && decode;
  }
  ~Library() {
    if (library_ != nullptr) dlclose(library_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool usable() const { return complete_; }

  Status (*create)(int backend, void*, void*, unsigned flags, Handle*) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*create_state)(Handle, Handle*) = nullptr;
  Status (*destroy_state)(Handle) = nullptr;
  Status (*initialize)(Handle, Handle state, int batch, int threads, int format) = nullptr;
  Status (*decode)(Handle, Handle state, const unsigned char* const*, const std::size_t*, Image*,
                   cudaStream_t) = nullptr;

 private:
  template <class Function>
  void load(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_ = nullptr;
  bool complete_ = false;
};

class Decoder {
 public:
  Decoder(const Library& library, int backend, const Images& images, int batch) : library_(library) {
    const Status status = library.create(backend, nullptr, nullptr, 0, &handle_);
    if (status == no_engine || status == not_implemented) throw NoEngine();
    check_jpeg(status, "start");
    try {
      check_jpeg(library.create_state(handle_, &state_), "make a state");
      check_jpeg(library.initialize(handle_, state_, batch, 1, rgb_interleaved), "take a batch");
      for (int i = 0; i < batch; ++i) {
        const auto& jpeg = images[static_cast<std::size_t>(i) % images.size()];
        data_.push_back(jpeg.data());
        lengths_.push_back(jpeg.size());
        pixels_.push_back(allocate(row_bytes * rows));
        Image image = {};
        image.channel[0] = pixels_.back()->as<unsigned char>();
        image.pitch[0] = row_bytes;
        outputs_.push_back(image);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Decoder() { release(); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  void enqueue(cudaStream_t stream) {
    check_jpeg(library_.decode(handle_, state_, data_.data(), lengths_.data(), outputs_.data(), stream), "decode");
  }

  // The mean difference to the CPU's decoder; they round alike within a shade or two, and filter colour differently.
  std::string verify(const Images& images, cudaStream_t stream) {
    enqueue(stream);
    check(cudaStreamSynchronize(stream), "decode");
    const auto got = download<std::uint8_t>(*pixels_.front(), row_bytes * rows);
    measurement::JpegDecoder decoder;
    const std::vector<std::uint8_t>& expected = decoder.decode(images.front());
    double difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) difference += std::abs(int{got[i]} - int{expected[i]});
    difference /= static_cast<double>(expected.size());
    return difference < 8 ? "" : "pixels differ from the CPU's by " + std::to_string(difference) + " shades on average";
  }

 private:
  static constexpr std::size_t row_bytes = 3 * 500, rows = 375;

  void release() {
    if (state_ != nullptr) library_.destroy_state(state_);
    if (handle_ != nullptr) library_.destroy(handle_);
  }

  const Library& library_;
  Handle handle_ = nullptr, state_ = nullptr;
  std::vector<const unsigned char*> data_;
  std::vector<std::size_t> lengths_;
  std::vector<SharedBuffer> pixels_;
  std::vector<Image> outputs_;
};

Record decode(Session& session, const Library& library, const Backend& backend, const Images& images, int batch,
              const Parameters& parameters) {
  Decoder decoder(library, backend.number, images, batch);
  if (const std::string fault = decoder.verify(images, session.stream()); !fault.empty()) throw Fault(fault);
  std::vector<double> samples;
  for (int sample = 0; sample <= (session.quick() ? 3 : 9); ++sample) {
    const double begin_s = now_s();  // by the host's clock: the hybrid backends decode in part on the host
    decoder.enqueue(session.stream());
    check(cudaStreamSynchronize(session.stream()), "decode");
    if (sample > 0) samples.push_back(now_s() - begin_s);
  }
  Record record = measurement::measured("jpeg_decode_gpu", parameters, samples);
  record.derived = {{"images_per_s", batch / record.median}};
  return record;
}

}  // namespace

void run_jpeg(Session& session) {
  const auto skip = [&](const std::string& reason) { session.skip("jpeg_decode_gpu", {}, reason); };
  if (!measurement::jpeg_is_built()) return skip("built without libturbojpeg, which makes the images");
  const Library library;
  if (!library.usable()) return skip("libnvjpeg is not installed (package libnvjpeg of the CUDA toolkit)");
  const Images images = measurement::make_jpeg_images(16);
  for (const Backend& backend : backends) {
    for (int batch : {1, 16, 64, 256}) {
      if (session.quick() && batch != 64) continue;
      const Parameters parameters = {{"backend", std::string(backend.name)},
                                     {"batch", std::int64_t{batch}},
                                     {"width", std::int64_t{500}},
                                     {"height", std::int64_t{375}},
                                     {"image_bytes", static_cast<std::int64_t>(images.front().size())}};
      session.attempt("jpeg_decode_gpu", parameters, [&] {
        try {
          return decode(session, library, backend, images, batch, parameters);
        } catch (const NoEngine&) {
          return measurement::skipped("jpeg_decode_gpu", parameters, "this GPU has no such decoder");
        }
      });
    }
  }
}

}  // namespace clustersim::gpubench
