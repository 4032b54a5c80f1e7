// Tests the output of `plan` before anything is queued, and that it is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "runner/base/proc.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kGrid = R"(sweep: grid
description: A grid with a hole
workload: noop
passes: [timing, memory]
params: {repeats: 2}
matrix:
  steps: [2, 3, 4]
  warmup: [0, 1]
exclude:
  - {steps: 4, warmup: 1}
include:
  - {steps: 2, warmup: 0}
  - {steps: 9}
)";

json plan_of(const Sandbox& box, const std::string& text,
             const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"plan", "-", "--format", "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = box.ctl(arguments, text);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return json::parse(ran.out, nullptr, false);
}

TEST(Plan, CountsEverythingAndQueuesNothing) {
  const Sandbox box;
  const json plan = plan_of(box, kGrid, {"--all"}).at(0);
  EXPECT_EQ(plan["points"], 8);     // 3 x 2, and two more
  EXPECT_EQ(plan["trials"], 6);     // one is excluded, one equals another
  EXPECT_EQ(plan["attempts"], 18);  // two timings and one memory pass each
  EXPECT_EQ(plan["to_run"], 18);
  EXPECT_EQ(plan["reused"], 0);
  EXPECT_EQ(plan["duplicates"], 1);
  ASSERT_EQ(plan["excluded"].size(), 1U);
  EXPECT_EQ(plan["excluded"][0]["line"], 10);
  EXPECT_EQ(plan["excluded"][0]["rule"], "steps=4 warmup=1");
  EXPECT_EQ(plan["excluded"][0]["points"], 1);
  EXPECT_EQ(plan["rows"].size(), 6U);
  EXPECT_TRUE(plan["time"]["total_ns"].is_null());
  EXPECT_EQ(plan["time"]["unknown"], 18);

  const std::string file = box.write("grid.yaml", kGrid);
  const Ran text = box.ctl({"plan", file});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("sweep grid: noop, 6 trials, 18 attempts (timing, memory)\n"
                              "A grid with a hole\n"),
                    HasSubstr("steps   2 (2), 3 (2), 4 (1), 9 (1)\n"),
                    HasSubstr("excluded  1 point by line 10: steps=4 warmup=1\n"),
                    HasSubstr("merged    1 point the same as another\n"),
                    HasSubstr("to run  18 attempts\n"),
                    HasSubstr("time    unknown: no past attempt can be compared\n"),
                    HasSubstr("… 1 more\n"), HasSubstr("Nothing is queued yet: sweepctl submit ")))
      << text.err;
  EXPECT_THAT(box.ctl({"plan", file, "--all"}).out, Not(HasSubstr("more")));
  EXPECT_THAT(box.ctl({"plan", file, "--all", "--format", "csv"}).out,
              HasSubstr("steps,warmup,state,to run,time,memory\r\n2,0,new,3,"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
  EXPECT_EQ(box.sql("select count(*) from attempt"), "0");

  // Its mistakes are those of submit.
  const Ran wrong = box.ctl({"plan", "-"}, "sweep: wrong\nworkload: noop\nmatrix:\n  stepz: [1]\n");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("<stdin>:4:3: error:"), HasSubstr("did you mean `steps`?")));
  const Ran set = box.ctl({"plan", "-", "--set", "stesp=1"}, kGrid);
  EXPECT_EQ(set.exit_code, 2);
  EXPECT_THAT(set.err, HasSubstr("did you mean `steps`?"));
  EXPECT_EQ(box.ctl({"plan", "no-such-file.yaml"}).exit_code, 2);
}

TEST(Plan, AgreesWithSubmitOnWhatIsReusedQueuedAndRunAgain) {
  const Sandbox box;
  const std::string file = box.write("grid.yaml", kGrid);
  ASSERT_EQ(box.ctl({"submit", file, "--set", "steps=2", "--wait"}).exit_code, 0);
  const json plan = plan_of(box, kGrid).at(0);
  EXPECT_EQ(plan["reused"], 6);  // steps 2 with warm-up 0 and 1
  EXPECT_EQ(plan["to_run"], 12);
  EXPECT_GT(plan["time"]["total_ns"].get<std::int64_t>(), 0);
  EXPECT_EQ(plan["time"]["unknown"], 0);
  EXPECT_EQ(plan["time"]["past_results"], 9);  // and those of the include point
  const Ran submitted = box.ctl({"submit", file, "--wait"});
  EXPECT_THAT(submitted.out, HasSubstr("6 trials: 12 to run, 6 reused"));
  const json after = plan_of(box, kGrid).at(0);
  EXPECT_EQ(after["to_run"], 0);
  EXPECT_EQ(after["reused"], 18);
  EXPECT_EQ(after["time"]["total_ns"], 0);

  constexpr auto kOom = "sweep: o\nworkload: fault\nparams: {kind: oom}\nmatrix: {steps: [1, 2]}\n";
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kOom).exit_code, 4);
  EXPECT_THAT(box.ctl({"plan", "-"}, kOom).out,
              HasSubstr("2 attempts; run again because 2 trials ended oom before"));

  constexpr auto kHang =
      "sweep: hang\nworkload: fault\nparams: {kind: hang}\nmatrix: {steps: [1, 2]}\n";
  box.ctl({"submit", "-"}, kHang);
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  const json open = plan_of(box, kHang, {"--set", "steps=1,2,3"}).at(0);
  EXPECT_EQ(open["running"], 1);
  EXPECT_EQ(open["queued"], 1);
  EXPECT_EQ(open["to_run"], 1);
}

// A step sleeps for 20 ms, so a thousand take 20 s, however busy the machine is.
TEST(Plan, TellsWhichAttemptsWillHitTheirTimeout) {
  const Sandbox box;
  // A trial that measures for as long as its timeout hits it.
  const json late = plan_of(box,
                            "sweep: long\nworkload: noop\npasses: [timing, memory]\n"
                            "zip: [{min_time: [10s, 30s, 60s, 1h], "
                            "timeout: [30s, 30s, 50s, 2h]}]\n")
                        .at(0)["timeouts"];
  EXPECT_EQ(late["attempts"], 2) << "a memory pass does not measure for long";
  EXPECT_EQ(late["values"], json({"1m", "50s"}));
  EXPECT_EQ(late["expected_ns"], 60'000'000'000);
  EXPECT_EQ(late["all_equal"], false);

  constexpr auto kSlow =
      "sweep: slow\nworkload: noop\nparams: {sleep: 20ms, warmup: 0, timeout: 15s, repeats: 2}\n"
      "matrix: {steps: [10, 1000, 2000]}\n";
  EXPECT_TRUE(plan_of(box, kSlow).at(0)["timeouts"].is_null()) << "nothing to estimate from";
  ASSERT_EQ(box.ctl({"submit", "-", "--set", "steps=10", "--wait"}, kSlow).exit_code, 0);
  const json plan = plan_of(box, kSlow, {"--all"}).at(0);
  EXPECT_EQ(plan["timeouts"]["attempts"], 4);
  EXPECT_EQ(plan["timeouts"]["values"], json({"2000"}));
  EXPECT_EQ(plan["timeouts"]["timeout_ns"], 15'000'000'000);
  EXPECT_GE(plan["timeouts"]["expected_ns"], 40'000'000'000);
  EXPECT_EQ(plan["timeouts"]["all_equal"], true);
  EXPECT_EQ(plan["rows"][0]["times_out"], false);
  EXPECT_EQ(plan["rows"][1]["times_out"], true);
  const Ran text = box.ctl({"plan", "-", "--all"}, kSlow);
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("! 4 attempts will likely hit their timeout of 15s: "
                              "steps=2000 is expected to take "),
                    HasSubstr("; raise `timeout`\n"), HasSubstr("new, likely to hit its timeout")));
  EXPECT_TRUE(plan_of(box, kSlow, {"--set", "timeout=0"}).at(0)["timeouts"].is_null());
}

std::string axis(const char* name, int values) {
  std::string text = std::string("  ") + name + ": [1";
  for (int i = 2; i <= values; ++i) text += ", " + std::to_string(i);
  return text + "]\n";
}

[[maybe_unused]] std::int64_t resident_kb(pid_t pid) {
  const std::string status = read_small_file("/proc/" + std::to_string(pid) + "/status");
  return std::stoll(std::string(proc_field(status, "VmRSS")));
}

TEST(Plan, OfALargeSweepIsWholeShortAndLeavesNoMemoryBehind) {
  const Sandbox box;
  const std::string text =
      "sweep: large\nworkload: noop\nmatrix:\n" + axis("seed", 201) + axis("steps", 100);
  const json plan = plan_of(box, text, {"--all"}).at(0);
  ASSERT_EQ(plan["rows"].size(), 20'100U);
  // In order, with the last axis fastest, also across pages.
  EXPECT_EQ(plan["rows"][0]["values"], json({"1", "1"}));
  EXPECT_EQ(plan["rows"][9'999]["values"], json({"100", "100"}));
  EXPECT_EQ(plan["rows"][10'000]["values"], json({"101", "1"}));
  EXPECT_EQ(plan["rows"][20'099]["values"], json({"201", "100"}));
  const Ran ran = box.ctl({"plan", "-"}, "sweep: large\nworkload: noop\nmatrix:\n" +
                                             axis("seed", 600) + axis("steps", 600));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("360,000 trials"),
                    HasSubstr("time and memory are estimated from 10,000 of 360,000 trials")));
  EXPECT_LT(ran.out.size(), 2000U);
#if !defined(SWEEPD_UNDER_ASAN) && !defined(SWEEPD_UNDER_TSAN)  // they have their own allocator
  // The daemon once kept the temporary memory of the largest plan: 280 MB for this one.
  const pid_t daemon = box.daemon_pid();
  EXPECT_TRUE(eventually([&] { return resident_kb(daemon) < 60'000; }))
      << resident_kb(daemon) << " kB";
#endif
}

// A worker takes most of a second to load. It once took one for each document of a file.
TEST(Plan, OfManyDocumentsAsksOneWorker) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sweepd-plan-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path worker = folder / "worker", calls = folder / "calls";
  std::ofstream(worker) << "#!/bin/sh\necho \"$1\" >> " << calls.string() << "\nexec "
                        << TEST_SWEEP_WORKER << " \"$@\"\n";
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  {
    const Sandbox box(worker.string());
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += "---\nsweep: d" + std::to_string(i) +
              "\nworkload: noop\nparams: {seed: " + std::to_string(i) + "}\n";
    }
    EXPECT_EQ(plan_of(box, text).size(), 40U);
  }
  std::ostringstream all;
  all << std::ifstream(calls).rdbuf();
  const std::string text = all.str();
  std::size_t asked = 0;
  for (std::size_t at = 0; (at = text.find("--work\n", at)) != std::string::npos; ++at) ++asked;
  EXPECT_EQ(asked, 1U) << text;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sweepd::e2e
