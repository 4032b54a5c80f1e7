// Tests that a lost database is found again in the folders of the attempts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The output of these commands.
std::string printed(const Sandbox& box, const std::vector<std::vector<std::string>>& commands) {
  std::string text;
  for (const std::vector<std::string>& command : commands) {
    const Ran ran = box.ctl(command);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    text += ran.out + ran.err;
  }
  return text;
}

TEST(Recover, FindsEveryFigureAgain) {
  const Sandbox box;
  const std::string times = box.write("times.yaml", kLostTimes);
  box.ctl({"submit", times, "--wait"});
  box.ctl({"submit", box.write("endings.yaml", kLostEndings), "--wait"});
  const std::vector<std::vector<std::string>> questions{
      {"report", "times"},
      {"report", "endings"},
      {"query", "noop", "--rows", "seed,repeat", "--columns", "phase", "--cell",
       "{n} {mean} {max}"},
      {"show", "endings"}};
  const std::string told = printed(box, questions);
  EXPECT_THAT(told, AllOf(HasSubstr("timeout"), HasSubstr("OOM"), HasSubstr("crashed")));
  stop(box);
  const std::string rows = all_rows(box);
  lose_database(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out, AllOf(HasSubstr("recovered 2 sweeps, 7 trials and 13 attempts"),
                                   Not(HasSubstr("could not read")), Not(HasSubstr("without"))));
  EXPECT_EQ(all_rows(box), rows);
  EXPECT_EQ(printed(box, questions), told);

  // And a retry's results, and the attempts that another sweep shares.
  box.ctl({"submit", times, "--set", "seed=3,4", "--wait"});
  box.ctl({"retry", "times", "--only", "done,valid,suspect,invalid"});
  box.ctl({"watch", "times"});
  const auto links =
      "select group_concat(x, ';') from (select s.submitted_ns || ' ' || a.uid as x "
      "from sweep_attempt sa join sweep s on s.id = sa.sweep join attempt a on a.row "
      "= sa.attempt order by 1)";
  const std::string before = box.sql(links);
  const std::string report = box.ctl({"report", "times"}).out;
  stop(box);
  lose_database(box);
  EXPECT_EQ(box.ctl({"recover"}).exit_code, 0);
  EXPECT_EQ(box.sql(links), before);
  EXPECT_EQ(box.ctl({"report", "times"}).out, report);
}

// Their ends depend on each other, and the ranks' waits are kept as facts.
TEST(Recover, RanksThatHangOrDieTogetherEndAsBefore) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: gang
workload: fault
params: {world_size: 3, gang: true, warmup: 1, steps: 3, threads: 1, timeout: 5s, rank: 1, step: 2}
matrix: {kind: [done, kill, hang]}
)");
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  stop(box);
  const std::string rows = all_rows(box);
  EXPECT_THAT(rows, AllOf(HasSubstr("waited_for"), HasSubstr("outcome='crashed'")));
  lose_database(box);
  EXPECT_EQ(box.ctl({"recover"}).exit_code, 0);
  EXPECT_EQ(all_rows(box), rows);
}

#if SWEEPD_WITH_TORCH
TEST(Recover, FindsAModelsKernelsOperatorsAllocationsAndSentinelAgain) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kLostModel);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  stop(box);
  const std::string rows = all_rows(box);
  for (const char* table : {"kernel", "operator", "allocation", "memory", "memory_held", "work"}) {
    EXPECT_NE(box.sql(std::string("select count(*) from ") + table), "0") << table;
  }
  lose_database(box);
  EXPECT_EQ(box.ctl({"recover"}).exit_code, 0);
  EXPECT_EQ(all_rows(box), rows);

  const Ran watched = box.ctl({"submit", "-", "--wait"},
                              "sweep: watched\nworkload: noop\nsentinel: 1s\nparams: {steps: 3}\n");
  ASSERT_EQ(watched.exit_code, 0) << watched.err;
  ASSERT_TRUE(eventually(
      [&] { return box.sql("select count(*) from attempt where outcome is null") == "0"; }));
  stop(box);
  const auto sweeps =
      "select group_concat(name || ' ' || description || coalesce(sentinel_of, ''), '; ') from "
      "(select * from sweep order by name)";
  const std::string before = box.sql(sweeps) + samples_of(box);
  EXPECT_THAT(before, HasSubstr("watched-sentinel sentinel of sweep"));
  lose_database(box);
  EXPECT_THAT(box.ctl({"recover"}).out, Not(HasSubstr("recovered-")));
  EXPECT_EQ(box.sql(sweeps) + samples_of(box), before);
}
#endif

// The content of a program is part of its trials, and is another one today.
TEST(Recover, AProgramOfOnesOwnHasItsMetricsAndTheContentOfThatTime) {
  const Sandbox box;
  const auto script = [&](const std::string& rate) {
    return box.write("mm.sh",
                     R"(echo '{"step":0,"time":{"step":2,"load":1},"rate":)" + rate + R"(}' >&3)");
  };
  const auto file = [&](const std::string& name, const std::string& parameters) {
    return box.write(name + ".yaml",
                     "sweep: " + name + "\nprogram: mm\nparameters: {" + parameters +
                         "}\nmetrics: {rate: GFLOP/s}\nphases: [load]\nparams: {argv: 'sh " +
                         script("1") +
                         "', warmup: 0, device: cpu}\nmatrix: {size: [1, 2]}\ntables:\n  - {rows: "
                         "[size], metric: rate, cell: '{mean:.1f} (n = {n})'}\n");
  };
  const std::string first = file("first", "size: 1");
  const std::string second = file("second", "size: 1, kernel: fast");
  script("17");
  EXPECT_EQ(box.ctl({"submit", first, "--wait"}).exit_code, 0);
  script("34");
  EXPECT_EQ(box.ctl({"submit", second, "--wait"}).exit_code, 0);
  script("51");
  const std::vector<std::vector<std::string>> questions{
      {"report", "first"}, {"report", "second"}, {"show", "first"}};
  const std::string before = printed(box, questions);
  EXPECT_THAT(before, AllOf(HasSubstr("17.0 (n"), HasSubstr("34.0 (n"), Not(HasSubstr("51.0 (n"))));
  stop(box);
  const std::string rows = all_rows(box);
  lose_database(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_THAT(recovered.out, HasSubstr("recovered 2 sweeps, 4 trials and 4 attempts"))
      << recovered.err;
  EXPECT_EQ(all_rows(box), rows);
  EXPECT_EQ(printed(box, questions), before);

  // A point without a folder too: `retry` has to find the submitter's programs.
  const auto origin =
      "select group_concat(submitted_from || submitted_environment, ';') from params_mm";
  const std::string from = box.sql(origin);
  EXPECT_THAT(from, AllOf(HasSubstr(box.folder().string()), HasSubstr("PATH=")));
  stop(box);
  lose_database(box);
  fs::remove_all(box.state() / "runs");
  EXPECT_THAT(box.ctl({"recover"}).out, HasSubstr("recovered 2 sweeps, 4 trials and 0 attempts"));
  EXPECT_EQ(box.sql(origin), from);
}

TEST(Recover, WhatWasDeletedOrIsBeingDeletedDoesNotComeBack) {
  const Sandbox box;
  box.ctl({"submit", box.write("times.yaml", kLostTimes), "--wait"});
  const std::string sweep = box.sql("select uid from sweep");
  const std::string attempts = box.sql("select group_concat('\"' || uid || '\"') from attempt");
  const std::string one = box.sql("select uid from attempt");
  box.ctl({"submit", box.write("endings.yaml", kLostEndings), "--wait"});
  fs::copy(box.state() / "runs", box.folder() / "kept", fs::copy_options::recursive);
  EXPECT_EQ(box.ctl({"delete", "times", "--yes"}).exit_code, 0);
  stop(box);
  EXPECT_FALSE(fs::exists(box.state() / "runs" / one));
  for (const auto& file : fs::directory_iterator(box.state() / "sweeps")) {
    EXPECT_NE(file.path().extension(), ".deleting");
  }
  const std::string samples = samples_of(box);
  lose_database(box);
  EXPECT_THAT(box.ctl({"recover"}).out, HasSubstr("recovered 1 sweep, 4 trials and 4 attempts"));
  EXPECT_EQ(samples_of(box), samples);

  // A daemon that dies after the rows have gone leaves this.
  fs::copy(box.folder() / "kept", box.state() / "runs",
           fs::copy_options::recursive | fs::copy_options::skip_existing);
  const fs::path deleting = box.state() / "sweeps" / "00000000000000aa.deleting";
  std::ofstream(deleting) << R"({"sweeps": [")" << sweep << R"("], "attempts": [)" << attempts
                          << "]}";
  lose_database(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_THAT(recovered.out, AllOf(HasSubstr("recovered 1 sweep, 4 trials and 4 attempts"),
                                   HasSubstr("9 folders of attempts that were being deleted")))
      << recovered.err;
  EXPECT_EQ(box.sql("select group_concat(name) from sweep"), "endings");
  box.ctl({"status"});
  EXPECT_TRUE(eventually([&] { return !fs::exists(deleting); }));
  EXPECT_FALSE(fs::exists(box.state() / "runs" / one));
}

TEST(Recover, FormulasAreComputedAgain) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = box.write("points.yaml", R"(sweep: points
workload: parallelism
matrix: {fsdp: [1, 2, 4]}
tables:
  - {rows: [fsdp], columns: [figure], metric: figure, cell: "{mean:.3g}"}
)");
  ASSERT_EQ(box.ctl({"submit", file, "--wait"}).exit_code, 0);
  const std::string before = printed(box, {{"report", "points"}});
  stop(box);
  lose_database(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_THAT(recovered.out, HasSubstr("3 formulas left to the next daemon")) << recovered.err;
  EXPECT_EQ(box.ctl({"watch", "points"}).exit_code, 0);
  EXPECT_EQ(printed(box, {{"report", "points"}}), before);
}

}  // namespace
}  // namespace sweepd::e2e
