// Logs of jobs: SLURM's accounting and the published traces, in small files of our own.
#include "sim/import/import_jobs.h"

#include <nlohmann/json.hpp>

#include "tests/sim/fuzz_rounds.h"
#include "tests/sim/gzip_text.h"
#include "tests/sim/import_files.h"

namespace clustersim {
namespace {

using imports::fault_of;
using imports::says;
using imports::ScratchFile;
using Json = nlohmann::json;

Imported read(const std::string& text) {
  const ScratchFile file(text);
  return import_files("jobs", {file.path()});
}
Json summary(const std::string& text) { return Json::parse(read(text).document); }

const std::string helios =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
    // 1 GPU for 10 h, 16 GPUs for 2 h, none, and 4 of which no time is told.
    "1,u,v,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-10 04:00:00,36000,0\n"
    "2,u,v,16,16,2,FAILED,2020-06-09 18:00:00,2020-06-09 18:01:00,2020-06-09 20:01:00,7200,60\n"
    "3,u,v,0,4,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-09 19:00:00,3600,0\n"
    "4,u,v,4,4,1,CANCELLED,2020-06-09 18:00:00,,,,\n";

const std::string philly = R"([
 {"status": "Pass", "vc": "v", "jobid": "a", "user": "u", "submitted_time": "2017-10-07 01:00:00", "attempts": [
  {"start_time": "2017-10-07 01:10:00", "end_time": "2017-10-07 02:10:00",
   "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}, {"ip": "m48", "gpus": ["gpu0", "gpu1"]}]},
  {"start_time": "2017-10-07 03:00:00", "end_time": null, "detail": [{"ip": "m47", "gpus": ["gpu0"]}]}]},
 {"status": "Failed", "submitted_time": "2017-10-07 01:00:00", "attempts": [
  {"start_time": "None", "end_time": "None", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
 {"status": "Killed", "submitted_time": "2017-10-07 01:11:39", "attempts": []}])";

const std::string sacct =
    "JobID|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES|\n"
    "1|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|2026-01-01T03:00:00|7200|1|cpu=96,gres/gpu:h100=8,gres/"
    "gpu=8|\n"
    "1.batch|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|2026-01-01T03:00:00|7200|1|cpu=96,gres/gpu=8|\n"
    "2|RUNNING|2026-01-01T00:00:00|2026-01-01T01:00:00|Unknown|3600|1|gres/gpu=1|\n"
    "3|CANCELLED by 7|2026-01-01T00:00:00|None|Unknown|0|1||\n"
    "4|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|2026-01-01T03:00:00|7200|1|cpu=4,mem=1G|\n";

}  // namespace

TEST_CASE("item 123: Helios' log has jobs without GPUs and without times", "[jobs]") {
  const Imported imported = read(helios);
  const Json json = Json::parse(imported.document);
  CHECK(imported.format == "Helios' job log");
  CHECK(json["jobs"] == 4);
  CHECK(json["gpu_jobs"] == 3);
  CHECK(json["gpu_hours"] == 42);  // 1 x 10 + 16 x 2
  CHECK(json["hours"] == 10);
  CHECK(json["gpus_busy_mean"] == Approx(4.2));
  // From 19:00 to 20:00 both ran the whole hour.
  CHECK(json["gpus_busy_in_busiest_hour"] == 17);
  CHECK(json["wait_mean_s"] == 30);  // of two jobs, 0 and 60 s
  CHECK(json["by_gpus"][1]["gpus"] == "3 to 4");
  CHECK_FALSE(json["by_gpus"][1].contains("gpu_hours"));  // unknown, not 0
  CHECK(json["by_gpus"][2]["gpu_hours"] == 32);
  CHECK(json["states"]["completed"] == 2);
  CHECK(json["unknown"]["gpu_jobs_without_times"] == 1);
  CHECK(says(imported.known, "4 jobs, 3 with GPUs"));
  CHECK(says(imported.unknown, "1 GPU jobs without a start or an end"));
  CHECK(imported.document.find("\"u\"") == std::string::npos);
  // A thousandth of the 3,362,981 jobs, of which 1,580,464 asked for GPUs.
  std::string thousandth = helios.substr(0, helios.find('\n') + 1);
  for (int job = 0; job < 3363; ++job)
    thousandth += std::to_string(job) + (job < 1580 ? ",u,v,1,1,1" : ",u,v,0,1,1") +
                  ",COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-09 19:00:00,3600,0\n";
  const Json part = summary(thousandth);
  CHECK(part["jobs"] == 3363);
  CHECK(part["gpu_jobs"] == 1580);
  CHECK(part["gpu_hours"] == 1580);
}

TEST_CASE("item 122: Philly's jobs in attempts, of which times are missing, null or None; pointers of Git LFS",
          "[jobs]") {
  const Json json = summary(philly);
  CHECK(json["jobs"] == 3);
  CHECK(json["gpu_jobs"] == 2);
  CHECK(json["gpu_hours"] == 4);  // 4 GPUs for an hour; the second attempt did not end
  CHECK(json["unknown"]["gpu_jobs_without_times"] == 2);
  CHECK(json["unknown"]["jobs_without_gpu_count"] == 1);
  CHECK(json["by_gpus"][1]["gpus"] == "3 to 4");
  CHECK(json["wait_mean_s"] == 600);
  std::string whole = "[";
  for (int job = 0; job < 117'325; ++job) whole += job > 0 ? R"(,{"attempts":[]})" : R"({"attempts":[]})";
  CHECK(summary(whole + "]")["jobs"] == 117'325);
  CHECK(read(philly.substr(0, philly.size() - 120)).warnings.size() == 1);  // cut off: what came before counts
  const Problem pointer = fault_of([] {
    read(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef0123456789abcdef0123456789abcdef\n"
        "size 1050000000\n");
  });
  CHECK(pointer.got == "a Git LFS pointer to it");
  CHECK(pointer.hint == "fetch it: git lfs pull");
}

TEST_CASE("SLURM's accounting: allocated GPUs once, steps not twice, what still runs by its length", "[jobs]") {
  const Imported imported = read(sacct);
  const Json json = Json::parse(imported.document);
  CHECK(json["jobs"] == 4);
  CHECK(json["gpu_jobs"] == 2);
  CHECK(json["gpu_hours"] == 17);                         // 8 x 2 + 1 x 1
  CHECK(json["unknown"]["jobs_without_gpu_count"] == 1);  // it never ran
  CHECK(json["states"]["cancelled"] == 1);
  CHECK(says(imported.known, "1 lines of steps"));
  const Imported asked =
      read("JobID,State,Start,Elapsed,ReqTRES\n7,COMPLETED,2026-01-01T00:00:00,1-01:30:00,\"cpu=1,gres/gpu=2\"\n");
  CHECK(Json::parse(asked.document)["gpu_hours"] == 51);  // 2 x 25.5
  CHECK(says(asked.warnings, "take AllocTRES"));
}

TEST_CASE("openb's pods share GPUs; gzip; several files are one log", "[jobs]") {
  const std::string pods =
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
      "a,1000,1024,1,250,,LS,Succeeded,0,7200,0\nb,1000,1024,2,1000,V100M16,BE,Running,0,3600,1800\n"
      "c,1000,1024,1,1000,,BE,Pending,140,200,\n";
  const Json json = summary(gzip_of(pods));
  CHECK(json["gpu_hours"] == Approx(0.25 * 2 + 2 * 0.5));
  CHECK(json["by_gpus"][0]["gpus"] == "part of one");
  CHECK(json["unknown"]["gpu_jobs_without_times"] == 1);
  const ScratchFile a(helios), b(sacct);
  const Json both = Json::parse(import_files("jobs", {a.path(), b.path()}).document);
  CHECK(both["jobs"] == 8);
  CHECK(both["format"] == "Helios' job log and SLURM's accounting (sacct)");
}

TEST_CASE("times and durations of logs", "[jobs]") {
  CHECK(logged_time("1970-01-02 00:00:01") == 86401.0);
  CHECK(logged_time("2000-03-01T00:00:00Z") == 951868800.0);  // 11016 days
  CHECK(logged_time("12.5") == 12.5);
  for (const char* none : {"", "None", "Unknown", "2020-13-01 00:00:00", "2020-01-01", "yesterday"})
    CHECK_FALSE(logged_time(none));
  CHECK(logged_duration("1-02:03:04") == 93784.0);
  CHECK(logged_duration("03:04") == 184.0);
  CHECK(logged_duration("7200") == 7200.0);
  CHECK_FALSE(logged_duration("UNLIMITED"));
}

TEST_CASE("other files and impossible jobs", "[jobs]") {
  CHECK(fault_of([] { read("hello\n"); }).expected.find("sacct -P") != std::string::npos);
  CHECK(fault_of([] { read(helios.substr(0, helios.find('\n') + 1)); }).got == "none");
  const std::string head = helios.substr(0, helios.find('\n') + 1);
  const Json odd = summary(head +
                           "1,u,v,-3,1,1,X,,,,,\n2,u,v,1e300,1,1,X,,,,,\n3,u,v,2,1,1,X,,2020-01-02 00:00:00,"
                           "2020-01-01 00:00:00,,\nx\n");
  CHECK(odd["unknown"]["jobs_without_gpu_count"] == 2);
  CHECK(odd["unknown"]["gpu_jobs_without_times"] == 1);  // it ended before it began
  CHECK_FALSE(odd.contains("gpu_hours"));
}

TEST_CASE("damaged logs of jobs are read or refused", "[jobs][fuzz]") {
  std::uint64_t state = 11;
  const auto below = [&](std::size_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state >> 33) % n;
  };
  const char* const odd[] = {"1e999",
                             "-1",
                             "99999999999999999999",
                             "\"",
                             "[[[",
                             "null",
                             "\n",
                             ",",
                             "|",
                             "\xff",
                             "{\"attempts\": [",
                             "2020-06-09 18:00:00"};
  int answered = 0;
  for (const std::string& sound : {helios, philly, sacct})
    for (int i = 0; i < fuzz_rounds(200); ++i) {
      std::string text = sound;
      for (std::size_t change = 0; change <= below(3) && !text.empty(); ++change) {
        const std::size_t at = below(text.size());
        if (below(4) == 0)
          text.resize(at + 1);
        else if (below(3) == 0)
          text.erase(at, below(60));
        else if (below(2) == 0)
          text.insert(at, text.substr(below(text.size()), below(100)));
        else
          text.insert(at, odd[below(std::size(odd))]);
      }
      if (text.empty()) continue;
      try {
        const Json json = summary(text);
        CHECK(json["jobs"] >= json["gpu_jobs"]);
        ++answered;
      } catch (const InputError&) {
      }
    }
  CHECK(answered > 100);
}

}  // namespace clustersim
