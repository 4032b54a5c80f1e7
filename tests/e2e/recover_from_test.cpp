// Tests the recovery of a lost database from imperfect sources: old or torn folders, a damaged
// database, a daemon or an attempt that runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(RecoverFrom, WhatHasNoFolderIsCancelledAndCanBeMeasured) {
  const Sandbox box;
  box.ctl({"submit", box.write("times.yaml", kLostTimes), "--wait"});
  const std::string gone = box.sql("select uid from attempt where pass = 'timing' limit 1");
  const std::string torn = box.sql("select uid from attempt where pass = 'memory' limit 1");
  const std::string kept =
      box.sql("select max(uid) from attempt where pass = 'timing' and uid <> '" + gone + "'");
  stop(box);
  lose_database(box);
  fs::remove_all(box.state() / "runs" / gone);
  std::ofstream(box.state() / "runs" / torn / "request.json", std::ios::trunc) << "{\"att";
  std::ofstream(box.state() / "runs" / kept / "outcome.json") << "{";
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out,
              AllOf(HasSubstr("2 attempts without a result"), HasSubstr("could not read 2 files:"),
                    HasSubstr(torn), HasSubstr("outcome.json: not valid JSON")));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'cancelled'"), "2");
  box.ctl({"retry", "times"});
  box.ctl({"watch", "times"});
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "9");
}

// As versions before 0.2.0 left it: no submissions, and in a request nothing of the sweep, the
// version of the workload and the time.
void age(const Sandbox& box) {
  fs::remove_all(box.state() / "sweeps");
  for (const auto& run : fs::directory_iterator(box.state() / "runs")) {
    fs::remove(run.path() / "outcome.json");
    fs::remove(run.path() / "ending.json");
    nlohmann::ordered_json request;
    std::ifstream(run.path() / "request.json") >> request;
    for (const char* key : {"version", "started_ns", "sweep", "sweep_name"}) request.erase(key);
    std::ofstream(run.path() / "request.json", std::ios::trunc) << request.dump(1);
  }
}

TEST(RecoverFrom, FoldersOfOlderVersionsKeepTheirFiguresAndItIsSaidWhatTheyLack) {
  const Sandbox box;
  const std::string times = box.write("times.yaml", kLostTimes);
  box.ctl({"submit", times, "--wait"});
  box.ctl({"submit", box.write("endings.yaml", kLostEndings), "--wait"});
  const auto outcomes =
      "select group_concat(x, ' ') from (select outcome || count(*) as x from attempt group by "
      "outcome order by 1)";
  const std::string before = samples_of(box);
  EXPECT_EQ(box.sql(outcomes), "crashed1 done10 oom1 timeout1");

  // Without its submission a sweep becomes a new one, and none of its points is measured again.
  stop(box);
  lose_database(box);
  fs::remove_all(box.state() / "sweeps");
  const Ran unknown = box.ctl({"recover"});
  EXPECT_EQ(unknown.exit_code, 0) << unknown.err;
  EXPECT_THAT(unknown.out, HasSubstr("recovered-times: its sweep file is lost"));
  EXPECT_EQ(box.sql(outcomes), "crashed1 done10 oom1 timeout1");
  EXPECT_EQ(box.sql("select max(repeats) from sweep_trial"), "2");
  EXPECT_EQ(box.ctl({"report", "recovered-times"}).exit_code, 0);
  const Ran again = box.ctl({"submit", times, "--wait"});
  EXPECT_THAT(again.err + again.out, HasSubstr("0 to run"));

  stop(box);
  lose_database(box);
  age(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out,
              AllOf(HasSubstr("recovered 2 sweeps, 7 trials and 13 attempts"),
                    HasSubstr("recovered-noop: its sweep file is lost"),
                    HasSubstr("recovered-fault: its sweep file is lost"),
                    HasSubstr("2 attempts without a recorded end, counted as crashed")));
  EXPECT_EQ(samples_of(box), before);
  EXPECT_EQ(box.sql(outcomes), "crashed2 done10 oom1");
}

// Each folder has its program's declaration at its measurement.
TEST(RecoverFrom, FoldersOfOlderVersionsKeepAProgramsParameters) {
  const Sandbox box;
  const auto file = [&](const std::string& name, const std::string& parameters) {
    return box.write(name + ".yaml",
                     "sweep: " + name + "\nprogram: mm\nparameters: {" + parameters +
                         "}\nparams: {argv: 'echo {size}', reports: nothing, steps: 2, warmup: 0, "
                         "device: cpu}\nmatrix: {size: [1, 2]}\n");
  };
  ASSERT_EQ(box.ctl({"submit", file("first", "size: 1"), "--wait"}).exit_code, 0);
  ASSERT_EQ(box.ctl({"submit", file("second", "size: 1, kernel: fast"), "--wait"}).exit_code, 0);
  // A file decides which of the declared parameters are in the key: here `kernel` is not.
  ASSERT_EQ(box.ctl({"submit", file("third", "size: 1"), "--set", "size=5", "--wait"}).exit_code,
            0);
  const auto look = [&] {
    return samples_of(box) + box.sql(
                                 "select group_concat(x, ' ') from (select key || base_key || "
                                 "size || kernel as x from trial t join params_mm p on "
                                 "p.trial = t.id order by key)");
  };
  stop(box);
  const std::string before = look();
  EXPECT_THAT(before, HasSubstr("2fast"));
  lose_database(box);
  age(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_THAT(recovered.out, AllOf(HasSubstr("recovered 1 sweep, 5 trials and 5 attempts"),
                                   HasSubstr("recovered-mm: its sweep file is lost")))
      << recovered.err;
  EXPECT_EQ(look(), before);
}

TEST(RecoverFrom, ADatabaseThatCanBeUsedIsLeftAloneAndSoIsWhatRuns) {
  const Sandbox box;
  box.ctl({"submit", box.write("times.yaml", kLostTimes), "--wait"});
  const Ran running = box.ctl({"recover"});
  EXPECT_EQ(running.exit_code, 1);
  EXPECT_THAT(running.err, HasSubstr("sweepd with pid"));
  stop(box);
  const std::string before = content_of(box.state() / "results.db");
  const Ran there = box.ctl({"recover"});
  EXPECT_EQ(there.exit_code, 1);
  EXPECT_THAT(there.err, HasSubstr("results.db is a sound database with sweeps"));
  const Ran tried = box.ctl({"recover", "--dry-run"});
  EXPECT_THAT(tried.out, HasSubstr("would recover 1 sweep, 3 trials and 9 attempts")) << tried.err;
  EXPECT_EQ(content_of(box.state() / "results.db"), before);
  EXPECT_FALSE(fs::exists(box.state() / ".recovering.db"));

  // Nor does it wait for an attempt that runs.
  box.ctl(
      {"submit", box.write("long.yaml", "sweep: long\nworkload: fault\nparams: {kind: hang}\n")});
  ASSERT_TRUE(eventually([&] { return box.worker_pids().size() == 1; }));
  ASSERT_TRUE(eventually([&] {
    return box.sql(
               "select count(*) from attempt where outcome is null and started_ns is not "
               "null") == "1";
  }));
  box.kill_daemon();
  lose_database(box);
  const Ran refused = box.ctl({"recover"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("still runs, as process"));
  EXPECT_FALSE(fs::exists(box.state() / "results.db"));
}

TEST(RecoverFrom, ADamagedOrEmptyDatabaseIsMovedAsideWithItsLog) {
  const Sandbox box;
  box.ctl({"submit", box.write("times.yaml", kLostTimes), "--wait"});
  const std::string samples = samples_of(box);
  const std::string report = box.ctl({"report", "times"}).out;
  stop(box);
  lose_database(box);
  const std::string noise(10000, 'x');
  std::ofstream(box.state() / "results.db") << noise;
  std::ofstream(box.state() / "results.db-wal") << "a log";
  fs::create_directory(box.state() / "former-database-1");
  const Ran tried = box.ctl({"recover", "--dry-run"});
  EXPECT_THAT(tried.out, HasSubstr("would recover 1 sweep")) << tried.err;
  EXPECT_EQ(content_of(box.state() / "results.db"), noise);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out, HasSubstr("former-database-2, because it is damaged"));
  EXPECT_EQ(samples_of(box), samples);
  EXPECT_EQ(content_of(box.state() / "former-database-2" / "results.db"), noise);
  EXPECT_EQ(content_of(box.state() / "former-database-2" / "results.db-wal"), "a log");

  // After a loss, the first verb starts a daemon, which makes an empty database.
  lose_database(box);
  EXPECT_EQ(box.ctl({"report", "times"}).exit_code, 3);
  stop(box);
  const Ran again = box.ctl({"recover"});
  EXPECT_THAT(again.out, HasSubstr("because it has no sweep")) << again.err;
  EXPECT_EQ(box.ctl({"report", "times"}).out, report);
}

}  // namespace
}  // namespace sweepd::e2e
