// clustersim-hostbench: decode, memory, disk and loopback benchmarks of this machine, into one file.
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/hostbench/bench.h"
#include "tools/hostbench/machine.h"
#include "tools/measurement/options.h"
#include "tools/measurement/progress.h"
#include "tools/measurement/record.h"
#include "tools/measurement/summary.h"

namespace {

using namespace clustersim;

constexpr int exit_input = 2, exit_fault = 70, exit_interrupted = 130;

struct Group {
  const char* name;
  const char* benchmark;  // under which a fault of the whole group is recorded
  const char* says;
  std::vector<measurement::Record> (*run)(const hostbench::Settings&);
};

constexpr Group groups[] = {
    {"decode", "jpeg_decode", "JPEG images on one core, on all cores", hostbench::run_decode},
    {"memory", "memory_copy", "copy, read and triad of each NUMA node", hostbench::run_memory},
    {"disk", "read_sequential", "sequential and random reads, direct and cached", hostbench::run_disk},
    {"files", "file_open", "open and stat of small files", hostbench::run_files},
    {"loopback", "tcp_loopback", "TCP streams and round trips", hostbench::run_loopback},
};

std::string help_text() {
  std::string text =
      "clustersim-hostbench -o FILE [--quick] [--directory DIR] [--only GROUP]...\n\n"
      "Measures this machine without its GPUs and writes the records to FILE (docs/MEASUREMENTS.md);\n"
      "`clustersim calibrate` reads them. Takes under a minute; leave the machine idle meanwhile.\n\n"
      "  -o FILE           where the measurements go\n"
      "  --quick           fewer samples, smaller file\n"
      "  --directory DIR   a directory on the disk to be measured (default: the current one);\n"
      "                    needs 512 MiB free, up to 1 GiB is used and removed again\n"
      "  --only GROUP      only this group, may be repeated:\n";
  for (const Group& group : groups) {
    std::string name = group.name;
    name.resize(10, ' ');
    text += "                      " + name + group.says + "\n";
  }
  return text;
}

measurement::MeasurementFile measure(const measurement::Options& options) {
  measurement::MeasurementFile file;
  file.program = "clustersim-hostbench";
  file.version = CLUSTERSIM_VERSION;
  file.date = measurement::today();
  file.quick = options.quick;
  file.machine = hostbench::describe_machine(options.directory);
  const hostbench::Settings settings = {options.quick, options.directory};
  measurement::Progress progress;
  for (const Group& group : groups) {
    if (!measurement::wanted(options, group.name)) continue;
    progress.show(std::string(group.name) + ": " + group.says);
    try {
      for (measurement::Record& record : group.run(settings)) file.records.push_back(std::move(record));
    } catch (const hostbench::Interrupted&) {
      throw;
    } catch (const std::exception& fault) {
      file.records.push_back(measurement::failed(group.benchmark, {}, fault.what()));
    }
  }
  return file;
}

int run(int count, char** arguments) {
  measurement::Accepted accepted;
  accepted.directory = true;
  for (const Group& group : groups) accepted.groups.emplace_back(group.name);
  const measurement::Options options = measurement::read_options({arguments + 1, arguments + count}, accepted);
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (!std::filesystem::is_directory(options.directory)) {
    throw measurement::OptionError("--directory: " + options.directory + " is not a directory");
  }
  measurement::require_writable(options.output);
  hostbench::note_interrupts();
  const measurement::MeasurementFile file = measure(options);
  measurement::write_whole(options.output, measurement::to_json(file));
  std::fputs(measurement::to_text(file).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const hostbench::Interrupted&) {
    std::fputs("clustersim-hostbench: interrupted, nothing written\n", stderr);
    return exit_interrupted;
  } catch (const std::runtime_error& fault) {  // of the command line, or of the output file
    std::fprintf(stderr, "clustersim-hostbench: %s\n", fault.what());
    return exit_input;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "clustersim-hostbench: a fault of the program: %s\n", fault.what());
    return exit_fault;
  }
}
