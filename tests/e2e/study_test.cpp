// Tests `sweepctl study`: the document, its figures, missing parts, and that it is only a view on
// sweeps, which continue without it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Figures of `axpy` follow from the number of steps: y = 1 + 2 steps.
constexpr auto kSums =
    "sweep: sums\nworkload: axpy\nparams: {warmup: 1, size: 4}\nmatrix: {steps: [2, 3]}\n"
    "tables:\n"
    "  - {title: Sums, rows: [{steps: Steps}], metric: fact.y.0, cell: '{mean:.0f}'}\n"
    "  - {title: Largest, rows: [{steps: Steps}], metric: fact.y.0, cell: '{max:.1f}'}\n";
constexpr auto kStudy = R"(study: axpy
title: What steps add up to
description: Two sweeps.
scales:
  small: {description: Few steps., values: {steps: 2}}
  large: {values: {steps: 3}}
chapters:
  - title: Sums
    parts:
      - text: |
          After {{ value steps }} steps and one of warm-up the first element is
          {{ figure sweep=sums steps=$steps metric=fact.y.0 cell="{mean:.0f}" }}, and after
          one more {{ figure sweep=sums steps=3 metric=fact.y.0 baseline.steps=2 cell="{ratio:.2f}" }} times as much.
      - file: files/sums.yaml
        tables: [sums]
  - title: Steps
    parts:
      - file: files/sums.yaml
        tables: [Largest]
      - text: Only for few.
        scales: [small]
        file: files/empty.yaml
        set: {small: {steps: [4, 5]}}
)";

class StudyTest : public testing::Test {
 protected:
  StudyTest() { std::filesystem::create_directories(box.folder() / "files"); }

  std::string write_study(const std::string& text = kStudy) {
    box.write("files/sums.yaml", kSums);
    box.write(
        "files/empty.yaml",
        "sweep: empty\nworkload: axpy\nparams: {warmup: 0, steps: 1, size: 4}\n"
        "tables: [{title: More steps, rows: [steps], metric: fact.y.0, cell: '{mean:.0f}'}]\n");
    return box.write("study.yaml", text);
  }
  Ran study(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"study", (box.folder() / "study.yaml").string(), "-o", out()};
    words.insert(words.end(), more.begin(), more.end());
    return box.ctl(words);
  }
  // Of its two sweeps the second does not end before `open` is there. Returns its client once it
  // has noted both sweeps; one without a note is submitted again.
  pid_t start_gated_study() {
    write_study();
    const std::string gate =
        box.write("gate.sh",
                  "while [ ! -e " + (box.folder() / "open").string() + " ]; do sleep 0.02; done\n");
    box.write("files/empty.yaml",
              "sweep: empty\nprogram: gated\nparameters: {size: 1}\nparams: {argv: 'sh " + gate +
                  "', reports: nothing, steps: 1, warmup: 0, device: cpu}\n"
                  "tables: [{title: Slow, rows: [steps], cell: '{n}', where: {phase: step}}]\n");
    const pid_t client =
        box.ctl_in_background({"study", (box.folder() / "study.yaml").string(), "-o", out()});
    EXPECT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
    const std::string notes = out() + "/study.json";
    EXPECT_TRUE(eventually([&] { return text_of(notes).find("empty.yaml") != std::string::npos; }));
    return client;
  }
  std::string told() const { return text_of(box.folder() / "background.err"); }
  std::string out() const { return (box.folder() / "writeup").string(); }
  std::string markdown() const { return text_of(box.folder() / "writeup/writeup.md"); }
  std::string page() const { return text_of(box.folder() / "writeup/writeup.html"); }

  const Sandbox box;
};

// The parts of the last chapter that differ between machines.
std::string masked(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
    text.replace(at, folder.size(), "FOLDER");
  }
  text = std::regex_replace(text, std::regex("Written by sweepd .*, at scale"),
                            "Written by sweepd VERSION, at scale");
  text = std::regex_replace(text, std::regex("; [^;\n]*; \\d{4}-\\d\\d-\\d\\d; sweepd .*"),
                            "; DEVICE; DATE; sweepd VERSION");
  return std::regex_replace(text, std::regex("\\| Host \\|.*\n.*\n\\|.*\n"), "MACHINE\n");
}

TEST_F(StudyTest, TheDocumentOfAScale) {
  write_study();
  const Ran ran = study();
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("writeup/writeup.md\n"));
  EXPECT_THAT(ran.err, HasSubstr("axpy: 4/4 ended"));
  EXPECT_EQ(masked(markdown(), box.folder().string()), R"(# What steps add up to

Two sweeps.

Few steps.

## Sums

After 2 steps and one of warm-up the first element is 7, and after one more 1.29 times as much.

**Sums**
size 4; DEVICE; DATE; sweepd VERSION

| Steps | y.0 |
| ----: | --: |
|     2 |   7 |
|     3 |   9 |

## Steps

**Largest**
size 4; DEVICE; DATE; sweepd VERSION

| Steps | y.0 |
| ----: | --: |
|     2 | 7.0 |
|     3 | 9.0 |

Only for few.

**More steps**
size 4; DEVICE; DATE; sweepd VERSION

| steps | y.0 |
| ----: | --: |
|     4 |   9 |
|     5 |  11 |

## How this was measured

Written by sweepd VERSION, at scale `small` of `FOLDER/study.yaml`.

MACHINE

All 4 attempts are done.

The whole document again: `sweepctl study FOLDER/study.yaml --scale small`. `sweepctl report SWEEP` has every table of a sweep; `sweepctl run` measures one by itself, with its file and the overrides that the study has for it.
)");
  EXPECT_THAT(page(),
              AllOf(HasSubstr("<h1>What steps add up to</h1>"), HasSubstr("<h2>Steps</h2>"),
                    HasSubstr("the first element is 7, and after"), HasSubstr(">9</td>"),
                    HasSubstr("title=\"n 1, valid, done, attempt "), Not(HasSubstr("<script>"))));
}

TEST_F(StudyTest, AgainSubmitsNothingAndAnotherScaleReusesWhatItShares) {
  write_study();
  ASSERT_EQ(study().exit_code, 0);
  const std::string once = markdown();
  ASSERT_EQ(study().exit_code, 0);
  EXPECT_EQ(markdown(), once);
  EXPECT_EQ(box.sql("select count(*) from sweep"), "2");
  // An edited file is another job.
  box.write("files/empty.yaml",
            "sweep: empty\nworkload: axpy\nparams: {warmup: 0, steps: 1, size: 4}\n"
            "tables: [{title: Other, rows: [steps], cell: '{n}'}]\n");
  ASSERT_EQ(study().exit_code, 0);
  EXPECT_THAT(markdown(), HasSubstr("**Other**"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "3");
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4") << "what was measured is reused";

  const Ran large = study({"--scale", "large"});
  EXPECT_EQ(large.exit_code, 0) << large.err;
  EXPECT_THAT(markdown(), AllOf(HasSubstr("After 3 steps"), HasSubstr("is 9, and after"),
                                Not(HasSubstr("Only for few"))));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4");

  // A database may come from another machine, such as one with a GPU.
  ASSERT_EQ(box.ctl({"stop"}).exit_code, 0);
  SQLite::Database(box.state() / "results.db", SQLite::OPEN_READWRITE)
      .exec("update environment set kernel = 'Linux of another machine'");
  ASSERT_EQ(study({"--scale", "large", "--now"}).exit_code, 0);
  EXPECT_THAT(markdown(), AllOf(HasSubstr("| Linux of another machine |"), HasSubstr("| Host "),
                                HasSubstr("| Build of sweepd ")));
}

TEST_F(StudyTest, AMissingFigureFailsLoudlyAndWhatFailedIsAWordInItsTable) {
  write_study(
      "study: s\nscales: {a: {}}\nchapters:\n  - title: Sums\n    parts:\n"
      "      - text: |\n"
      "          There is {{ figure sweep=sums steps=2 metric=fact.y.0 cell=\"{mean:.0f}\" }}\n"
      "          and not {{ figure sweep=sums steps=9 metric=fact.y.0 cell=\"{mean:.0f}\" }}.\n"
      "      - {text: 'Nor {{ figure sweep=sums metric=fact.y.0 cell=\"{mean}\" }}', file: "
      "files/sums.yaml}\n");
  const Ran ran = study();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("study.yaml:8:19: no figure for `{mean:.0f}` of sweep `sums` at "
                              "steps=9: the sweep has no such point"),
                    HasSubstr("study.yaml:9:21: no figure for `{mean}` of sweep `sums`: "),
                    HasSubstr("steps (2, 3)"), HasSubstr("the document lacks 2 things")));
  EXPECT_THAT(markdown(), AllOf(HasSubstr("There is 7 and not **[no figure for"),
                                HasSubstr("| Steps | y.0 |")));
  EXPECT_THAT(page(), HasSubstr("and not <strong>[no figure for"));

  box.write("bad.yaml",
            "sweep: bad\nworkload: fault\nparams: {steps: 2, warmup: 0}\nmatrix: {kind: [done, "
            "throw, oom]}\n"
            "tables: [{title: All, rows: [kind], cell: '{n}'}]\n");
  box.write("study.yaml",
            "study: s\nscales: {a: {}}\nchapters:\n  - title: Bad\n    parts:\n"
            "      - text: 'It is {{ figure sweep=bad kind=throw cell=\"{outcome}\" }}'\n"
            "        file: bad.yaml\n");
  const Ran failed = study();
  EXPECT_EQ(failed.exit_code, 4) << failed.err;
  EXPECT_THAT(markdown(),
              AllOf(HasSubstr("It is failed"), HasSubstr("| throw | failed |"),
                    HasSubstr("| oom   |    OOM |"), HasSubstr("1 done, 1 oom, 1 failed")));
  const std::string attempts = box.sql("select count(*) from attempts where workload = 'fault'");
  EXPECT_EQ(study().exit_code, 4);
  EXPECT_EQ(box.sql("select count(*) from attempts where workload = 'fault'"), attempts)
      << "not run again";
  EXPECT_EQ(study({"--retry"}).exit_code, 4);
  EXPECT_EQ(box.sql("select count(*) from attempts where workload = 'fault'"), "5");
}

TEST_F(StudyTest, NowADryRunAndAMistakeQueueNothing) {
  write_study(std::string(kStudy) + "      - {file: files/none.yaml}\n");
  EXPECT_EQ(study().exit_code, 2);
  write_study(std::string(kStudy) + "      - {file: files/sums.yaml, tables: [Sum of all]}\n");
  const Ran ran = study();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(
      ran.err,
      HasSubstr("study.yaml:24:42: error: tables: files/sums.yaml has no table `Sum of all`"));
  write_study();
  const Ran scale = study({"--scale", "smal"});
  EXPECT_THAT(scale.err, HasSubstr("the study has no scale `smal`; it has small, large"));

  const Ran dry = study({"--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("axpy at scale small"), HasSubstr("sums"),
                             HasSubstr("empty"), HasSubstr("all         4       4")));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
  EXPECT_FALSE(std::filesystem::exists(out()));

  const Ran before = study({"--now"});
  EXPECT_EQ(before.exit_code, 1);
  EXPECT_THAT(before.err, HasSubstr("the sweeps of files/sums.yaml were not submitted yet"));
  EXPECT_THAT(markdown(), HasSubstr("**[the sweeps of files/sums.yaml were not submitted yet]**"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
}

// The sweeps do not depend on the client, and the next one finds them.
TEST_F(StudyTest, GoesOnAfterItsClientWasInterruptedOrKilled) {
  pid_t client = start_gated_study();
  ASSERT_TRUE(eventually([&] { return told().find("axpy: ") != std::string::npos; }));
  ::kill(client, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(client, &status, 0), client);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
  EXPECT_THAT(told(), HasSubstr("the sweeps continue; the same command waits for them"));
  ASSERT_TRUE(eventually(
      [&] { return box.sql("select count(*) from attempt where outcome = 'done'") == "2"; }));
  study({"--now"});
  EXPECT_THAT(markdown(), AllOf(HasSubstr("|     3 |   9 |"), HasSubstr("…")));
  std::filesystem::remove(out() + "/writeup.md");

  client = start_gated_study();
  ASSERT_TRUE(eventually([&] { return told().find("axpy: ") != std::string::npos; }));
  ::kill(client, SIGKILL);
  ASSERT_EQ(::waitpid(client, &status, 0), client);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(out() + "/writeup.md"));
  std::ofstream(box.folder() / "open").flush();
  const Ran again = study();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(markdown(),
              AllOf(HasSubstr("|     3 |   9 |"), HasSubstr("\n|     5 | "), Not(HasSubstr("…"))));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4");
  EXPECT_EQ(box.sql("select count(*) from sweep"), "2");
}

#if SWEEPD_WITH_TORCH
// Every scale of the shipped study, with all of its files, titles and figures' names.
TEST(NightlyShippedStudy, HasNoMistakeAtAnyScaleAndHasEveryExperiment) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = std::string(EXPERIMENTS) + "/study.yaml";
  std::string all;
  for (const char* scale : {"cpu-small", "cpu", "gpu-short", "gpu"}) {
    const Ran ran = box.ctl({"study", file, "--scale", scale, "--dry-run"});
    EXPECT_EQ(ran.exit_code, 0) << scale << "\n" << ran.err;
    all += ran.out;
  }
  for (const ExperimentFile& each : experiment_files()) {
    // The README's example, and users' programs, are in no study.
    const bool is_users = each.name.ends_with("own_program") || each.name.ends_with("my_model");
    if (each.name == "quickstart" || is_users) continue;
    for (const std::string& sweep : each.sweeps) EXPECT_THAT(all, HasSubstr("\n" + sweep + " "));
  }
}
#endif

}  // namespace
}  // namespace sweepd::e2e
