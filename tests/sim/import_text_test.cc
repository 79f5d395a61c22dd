// Text of a user's file: bounded, unpacked, freed of what terminals and launchers add.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "clustersim/clustersim.h"
#include "sim/import/text_source.h"
#include "sim/read/source_file.h"
#include "tests/sim/gzip_text.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::fault_of;
using imports::ScratchFile;

}  // namespace

TEST_CASE("a plain file and its gzip read as the same text") {
  const std::string text(300000, 'x');  // more than one buffer
  CHECK(read_source(ScratchFile(text).path()) == text);
  CHECK(read_source(ScratchFile(gzip_of(text)).path()) == text);
}

TEST_CASE("sizes are bounded after decompression") {
  const std::string bomb = gzip_of(std::string(3 << 20, '0'));  // 3 MiB of zeros in about 3 kB
  CHECK(bomb.size() < 10000);
  CHECK(read_source(ScratchFile(bomb).path(), 3 << 20).size() == 3 << 20);  // the limit itself is allowed
  CHECK(fault_of([&] { read_source(ScratchFile(bomb).path(), (3 << 20) - 1); }).expected == "at most 2 MiB of text");
  // 60 MiB of zeros in about 60 kB: a thousand to one, where 32 MiB and 250 times the file are allowed.
  const ScratchFile nothing(gzip_of(std::string(60 << 20, '0')));
  CHECK(fault_of([&] { read_source(nothing.path()); }).hint.find("over 250 times its size") != std::string::npos);
}

TEST_CASE("files that are none are refused with the reason") {
  CHECK(fault_of([] { read_source("/nowhere/at all"); }).got == "none");
  CHECK(fault_of([] { read_source("/tmp"); }).got == "a folder");
  CHECK(fault_of([] { read_source(ScratchFile("").path()); }).got == "an empty file");
  CHECK(fault_of([] { read_source("/dev/zero"); }).got == "a device");
  // A named pipe that nobody writes to would be waited for without end.
  const std::string pipe = ScratchFile("").path() + ".pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(fault_of([&] { read_source(pipe); }).got == "a pipe");
  CHECK(fault_of([&] { import_files("prices", {pipe}); }).got == "a pipe");
  CHECK(fault_of([&] { import_files("topology", {pipe}); }).got == "a pipe");
  CHECK(fault_of([&] { read_scenario(pipe, {}); }).got == "a pipe");
  std::remove(pipe.c_str());
  // One without a name, as of a shell, has a writer: a scenario may come through it, an import is read more than once.
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string unnamed = "/proc/self/fd/" + std::to_string(ends[0]);
  CHECK(no_source(unnamed, true).empty());
  CHECK(no_source(unnamed, false) == "a pipe");
  close(ends[0]), close(ends[1]);
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
  CHECK(fault_of([&] { read_source(ScratchFile(pointer).path()); }).got == "a Git LFS pointer to it");
  const std::string whole = gzip_of(std::string(100000, 'a') + "end");
  for (const std::size_t cut : {whole.size() - 1, whole.size() - 8, whole.size() / 2, std::size_t{12}, std::size_t{3}})
    CHECK(fault_of([&] { read_source(ScratchFile(whole.substr(0, cut)).path()); }).expected == "a whole gzip file");
}

TEST_CASE("byte order marks, carriage returns and escapes of terminals are taken off") {
  CHECK(clean_text("\xEF\xBB\xBFone\r\ntwo\r\r\nthree\r") == "one\ntwo\nthree");
  CHECK(clean_text("\x1b[4mGPU0\x1b[0m\tGPU1") == "GPU0\tGPU1");
  CHECK(clean_text("\x1b]0;title\aX\x1b[38;5;12mY\x1b(BZ") == "XYBZ");  // "(" alone is the escape's second byte
  CHECK(clean_text("half \x1b") == "half ");
  CHECK(clean_text(std::string("\xFF\xFE"
                               "A\0\n\0",
                               6)) == "A\n");
  CHECK(clean_text(std::string("\xFE\xFF"
                               "\0A",
                               4)) == "A");
}

TEST_CASE("prefixes of launchers are taken off, and text that looks like one stays") {
  CHECK(without_prefix("> > GPU0\t X") == "GPU0\t X");
  CHECK(without_prefix(">").empty());
  CHECK(without_prefix(">=3") == ">=3");
  CHECK(without_prefix("[1,0]<stdout>:# nThread 1") == "# nThread 1");
  CHECK(without_prefix("3: GPU0 X") == "GPU0 X");
  CHECK(without_prefix("[pod/trainer-0/main] GPU0 X") == "GPU0 X");
  CHECK(without_prefix("node-7: GPU0 X") == "GPU0 X");
  CHECK(without_prefix("2024-05-01T12:00:00.123Z GPU0 X") == "GPU0 X");
  CHECK(without_prefix("0: node12: GPU0 X") == "GPU0 X");
  for (const char* kept : {"GPU 0: NVIDIA A10 (UUID: GPU-1)", "  NIC0: mlx5_0", "NIC0: mlx5_0", "Legend:", "X = Self",
                           "8 1 2", "2024-05-01", "[1,0]", ""})
    CHECK(without_prefix(kept) == kept);
}

}  // namespace clustersim
