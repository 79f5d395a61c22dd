// Tables that training frameworks print of their own communication. The numbers are our own.
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/import/measurement_formats.h"
#include "sim/import/nccl_rows.h"
#include "tests/sim/measurement_samples.h"

using namespace clustersim;

namespace {

MeasuredFile read(const std::string& text) { return read_measurements("log", text); }

bool warned(const MeasuredFile& file, const std::string& part) {
  for (const Warning& warning : file.warnings)
    if (warning.text.find(part) != std::string::npos) return true;
  return false;
}

const double gib = std::pow(2.0, 30);

}  // namespace

TEST_CASE("item 81: DeepSpeed's table gives op, size and mean time; ranks follow from busbw", "[measurements]") {
  const MeasuredFile file = read(samples::deepspeed);
  CHECK(file.format == "DeepSpeed log");
  REQUIRE(file.collectives.size() == 4);  // no barrier, no empty message
  // 16 ranks: an all-gather of 128 MiB each in 40 ms moves 2 GiB, 429.5 Gbit/s; 15/16 of it is busbw.
  const CollectiveTime& gather = file.collectives[2];
  CHECK(gather.op == CollectiveOp::all_gather);
  CHECK(gather.ranks == 16);
  CHECK(gather.nodes == 2);
  CHECK(gather.bytes == Approx(2 * gib));
  CHECK(gather.seconds == Approx(0.04));
  CHECK(gather.bytes / gather.seconds * bus_factor(gather.op, 16) * 8e-9 == Approx(402.65).epsilon(1e-3));
  // A broadcast of 1.45 GiB in 135.56 ms: 91.9 Gbit/s, of which the table's mean says 91.67.
  const CollectiveTime& broadcast = file.collectives[1];
  CHECK(broadcast.op == CollectiveOp::broadcast);
  CHECK(broadcast.bytes == Approx(1.45 * gib));
  CHECK(broadcast.seconds == Approx(0.13556));
  CHECK(broadcast.bytes / broadcast.seconds * 8e-9 == Approx(91.67).epsilon(0.01));
  CHECK(file.collectives[3].op == CollectiveOp::all_reduce);
  CHECK(file.collectives[3].bytes == Approx(gib));
  CHECK(warned(file, "16 ranks, worked out from busbw"));
  CHECK(warned(file, "wait for each other"));
}

TEST_CASE("a DeepSpeed table that tells no ranks, or rows that do not follow, are left out", "[measurements]") {
  const std::string head = std::string(samples::deepspeed).substr(0, std::string(samples::deepspeed).find("broadcast"));
  const MeasuredFile alone = read(head + "broadcast\n  1.45 GB  2  271.11  135.56  91.67  91.67\n");
  CHECK(alone.empty());
  CHECK(warned(alone, "how many ranks took part is not told"));
  const MeasuredFile off =
      read(head +
           "all_reduce\n  1.0 GB  2  80.00  40.00  429.50  402.66\nreduce_scatter_tensor\n  1.0 GB  2  80.00  40.00  "
           "5000.00  4687.50\n");
  REQUIRE(off.collectives.size() == 1);
  CHECK(warned(off, "does not follow from its size and time"));
}
