// Tests that folders of old attempts are made small, and that nothing of them is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Journals of more than a block of the disk.
constexpr auto kLong = R"(sweep: long
workload: noop
passes: [timing, memory]
params: {steps: 200, warmup: 2}
matrix: {seed: [1, 2]}
tables:
  - {title: Times, rows: [seed], cell: "{median:.4f}", unit: us, where: {phase: step}}
)";
constexpr auto kGang = R"(sweep: gang
workload: fault
params: {world_size: 2, gang: true, warmup: 1, steps: 100, threads: 1, kind: done}
)";
constexpr auto kTalks = R"(sweep: talks
workload: command
params: {argv: 'seq 3000', reports: nothing, steps: 1, warmup: 0, device: cpu}
)";

std::vector<std::string> ids(const Sandbox& box, const std::string& where) {
  std::istringstream text(
      box.sql("select group_concat(uid, ' ') from (select uid from attempt where " + where +
              " order by uid)"));
  std::vector<std::string> all;
  for (std::string id; text >> id;) all.push_back(id);
  return all;
}

using Contents = std::map<std::string, std::string>;  // by name

Contents contents_of(const fs::path& folder) {
  Contents all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) all[entry.path().filename()] = content_of(entry.path());
  }
  return all;
}

// The output of log and bundle for each done attempt, without the pages of processes.
std::map<std::string, Contents> told_of(const Sandbox& box) {
  std::map<std::string, Contents> told;
  for (const std::string& id : ids(box, "outcome = 'done'")) {
    const fs::path there = box.folder() / "unpacked";
    fs::remove_all(there);
    fs::create_directories(there);
    const std::string file = (box.folder() / "b.tar.gz").string();
    EXPECT_EQ(box.ctl({"bundle", id, "-o", file}).exit_code, 0);
    EXPECT_EQ(
        box.run("/bin/tar", {"-xzf", file, "--strip-components=1", "-C", there.string()}).exit_code,
        0);
    for (auto& [name, content] : contents_of(there)) {
      if (!name.starts_with("pid.") && !name.starts_with("status.")) told[id][name] = content;
    }
    const Ran log = box.ctl({"log", id});
    EXPECT_EQ(log.exit_code, 0) << log.err;
    told[id]["(log)"] = log.out;
  }
  return told;
}

void submit_all(const Sandbox& box) {
  for (const char* sweep : {kLong, kGang, kTalks}) {
    const Ran ran = box.ctl({"submit", "-", "--wait"}, sweep);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  box.ctl({"submit", box.write("endings.yaml", kLostEndings), "--wait"});
}

std::int64_t compressed_files(const Sandbox& box) {
  std::int64_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(box.state() / "runs")) {
    if (entry.path().extension() == ".gz") ++count;
  }
  return count;
}

TEST(Compact, LosesNothingThatAnybodyReads) {
  const Sandbox box;
  submit_all(box);
  const auto told = told_of(box);
  std::map<std::string, Contents> failed;
  for (const std::string& id : ids(box, "outcome <> 'done'")) {
    failed[id] = contents_of(box.state() / "runs" / id);
  }
  ASSERT_EQ(failed.size(), 3U);
  EXPECT_THAT(box.ctl({"compact"}).out,
              HasSubstr("nothing to compact of attempts that were done more than 30d ago"));
  EXPECT_THAT(box.ctl({"compact", "--older", "0s", "--dry-run"}).out,
              ContainsRegex("would compact 7 folders, which take "));
  EXPECT_EQ(compressed_files(box), 0);
  const Ran ran = box.ctl({"compact", "--older", "0s"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("compacted 7 folders: they took .*, and take "));
  EXPECT_EQ(compressed_files(box), 5);  // journals of two timings and two ranks, the log of seq
  EXPECT_EQ(told_of(box), told);
  for (const auto& [id, files] : failed) EXPECT_EQ(contents_of(box.state() / "runs" / id), files);
  EXPECT_THAT(box.ctl({"compact", "--older", "0s"}).out, HasSubstr("nothing to compact"));

  const std::string report = box.ctl({"report", "long"}).out;
  stop(box);
  const std::string rows = all_rows(box);
  lose_database(box);
  const Ran recovered = box.ctl({"recover"});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.err;
  EXPECT_THAT(recovered.out, AllOf(HasSubstr("recovered 4 sweeps, 8 trials and 10 attempts"),
                                   Not(HasSubstr("could not read")), Not(HasSubstr("without"))));
  EXPECT_EQ(all_rows(box), rows);
  EXPECT_EQ(box.ctl({"report", "long"}).out, report);
}

#if SWEEPD_WITH_TORCH
TEST(Compact, ALostProfileIsFoundAgain) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kLostModel);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto told = told_of(box);
  ASSERT_EQ(box.ctl({"compact", "--older", "0s"}).exit_code, 0);
  EXPECT_EQ(told_of(box), told);
  const std::string profile = box.sql("select uid from attempt where pass = 'profile'");
  EXPECT_THAT(box.ctl({"show", profile, "--kernels"}).out, HasSubstr("trace.0.json.gz"));
  stop(box);
  const std::string rows = all_rows(box);
  lose_database(box);
  EXPECT_EQ(box.ctl({"recover"}).exit_code, 0);
  EXPECT_EQ(all_rows(box), rows);
}
#endif

// Without a request or a configuration.
TEST(Compact, TheDaemonDoesItByItselfAfterThirtyDays) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, kLong);
  stop(box);
  {
    SQLite::Database database((box.state() / "results.db").string(), SQLite::OPEN_READWRITE, 5000);
    database.exec(
        "update attempt set ended_ns = ended_ns - 31 * 86400 * 1000000000 where pass = 'timing'");
  }
  EXPECT_THAT(box.ctl({"config"}).out, ContainsRegex("compact\\.older +30d +default"));
  EXPECT_TRUE(eventually([&] { return compressed_files(box) == 2; }));
  EXPECT_TRUE(eventually([&] {
    const std::string log = content_of(box.state() / "sweepd.log");
    return log.find("compacted folders of old attempts: 2, from") != std::string::npos;
  }));
}

TEST(Compact, NotBesideAnAttemptThatRuns) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, kLong);
  box.ctl({"submit", "-"}, "sweep: hangs\nworkload: fault\nparams: {kind: hang}\n");
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  const Ran refused = box.ctl({"compact", "--older", "0s"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("an attempt runs"));
  EXPECT_THAT(box.ctl({"compact", "--older", "0s", "--dry-run"}).out, HasSubstr("would compact 4"));
  EXPECT_EQ(compressed_files(box), 0);
  box.ctl({"cancel", "hangs"});
  EXPECT_TRUE(eventually([&] { return box.ctl({"compact", "--older", "0s"}).exit_code == 0; }));
  EXPECT_EQ(compressed_files(box), 2);
  const Ran wrong = box.ctl({"compact", "--older", "soon"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("--older"), HasSubstr("soon")));
}

TEST(Compact, UsageMergeAndDeleteKnowSuchFolders) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, kTalks);
  const std::string id = ids(box, "1").front();
  const std::string log = box.ctl({"log", id}).out;
  const auto usage = [&] { return box.ctl({"usage", "--format", "csv"}).out; };
  const std::string before = usage();
  ASSERT_EQ(box.ctl({"compact", "--older", "0s"}).exit_code, 0);
  EXPECT_NE(usage(), before);
  EXPECT_THAT(usage(), Not(HasSubstr("that the database does not have")));
  stop(box);
  const Sandbox other;
  const Ran merged = other.ctl({"merge", box.state()});
  EXPECT_THAT(merged.out, HasSubstr("1 attempt folder")) << merged.err;
  EXPECT_EQ(other.ctl({"log", id}).out, log);
  EXPECT_TRUE(fs::exists(other.state() / "runs" / id));
  EXPECT_EQ(other.ctl({"delete", "talks", "--yes"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(other.state() / "runs" / id));
}

}  // namespace
}  // namespace sweepd::e2e
