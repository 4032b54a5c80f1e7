// Tests that a database is rebuilt from folders with any contents: defects are named, and the rest
// is recovered.
#include "runner/daemon/recovery/rebuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "runner/wire/outcome_file.h"
#include "runner/wire/request.h"
#include "runner/wire/submission.h"
#include "tests/daemon/attempt_files.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class RebuildTest : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    fs::create_directories(runs());
    fs::create_directories(sweeps());
  }
  fs::path runs() const { return folder_ / "state" / "runs"; }
  fs::path sweeps() const { return folder_ / "state" / "sweeps"; }

  AttemptRequest request(const SweepId& sweep, const std::string& context) const {
    AttemptRequest request;
    const NewTrial point = trial({{"context", context}, {"device", "cpu"}});
    request.attempt = random_id();
    request.trial = point.key;
    request.workload = "toy";
    for (std::size_t i = 0; i < def().params.size(); ++i) {
      request.params.emplace_back(def().params[i].name,
                                  def().params[i].text(point.trial.values[i]));
    }
    request.lease.ranks = {{{0}, "", -1}};
    request.version = def().version;
    request.started = WallTime{2'000'000'000};
    request.sweep = {sweep, "contexts", ""};
    return request;
  }
  // An attempt that was done.
  void write(const AttemptRequest& request) const {
    const AttemptFolder folder(runs() / request.attempt);
    fs::create_directories(folder.path());
    ASSERT_TRUE(write_request(folder.request(), request));
    write_events(folder, 0, {step(0, 2.5), end({Done{"fixed_steps"}, 0})});
  }
  void submit_file(const SweepId& id, const std::string& contexts) const {
    Submission submission;
    submission.id = id;
    submission.name = "contexts";
    submission.submitted = WallTime{1'000'000'000};
    submission.text = "sweep: contexts\nworkload: toy\nmatrix: {context: [" + contexts + "]}\n";
    submission.devices = {{"local", "cpu"}};
    ASSERT_TRUE(write_submission(sweeps(), submission));
    settle_submission(sweeps(), id, /*is_stored=*/true);
  }

  Rebuilt rebuilt() {
    const auto rebuilt =
        rebuild_database(folder_ / "new.db", {sweeps(), {runs()}}, catalog_, host_named("alpha"));
    EXPECT_TRUE(rebuilt) << rebuilt.error().message;
    return rebuilt ? *rebuilt : Rebuilt{};
  }
  std::vector<std::string> names_in_new() const {
    Connection connection(folder_ / "new.db", Access::kReadOnly);
    std::vector<std::string> found;
    for (Query query(connection, "SELECT uid || ' ' || name FROM sweep ORDER BY uid");
         query.next();) {
      found.push_back(query.text(0));
    }
    return found;
  }
};

constexpr auto kSweep = "5eeb5eeb5eeb5eeb";

TEST_F(RebuildTest, OneBadFileIsNamedAndTheOthersAreRecovered) {
  submit_file(kSweep, "1, 2");
  write(request(kSweep, "1"));
  write(request(kSweep, "2"));
  // A copy of a sweep's file, the same sweep as pending, and one that leads out of the folder.
  fs::copy_file(submission_file(sweeps(), kSweep), sweeps() / "copy of it.json");
  fs::copy_file(submission_file(sweeps(), kSweep),
                sweeps() / (std::string(kSweep) + ".json.pending"));
  std::ofstream(sweeps() / "0abc.json")
      << R"({"sweep": "../../w/package", "name": "x", "submitted_ns": 1, "text": "", "devices": {}})";
  std::ofstream(sweeps() / "0abd.json") << "{";
  const Rebuilt found = rebuilt();
  EXPECT_EQ(found.sweeps, 1);
  EXPECT_EQ(found.attempts, 2);
  std::vector<std::string> why;
  for (const auto& [path, reason] : found.unreadable) why.push_back(reason);
  EXPECT_THAT(why, UnorderedElementsAre(HasSubstr("the file is not called so"),
                                        HasSubstr("another file has this sweep"),
                                        HasSubstr("`../../w/package` is not an id"),
                                        HasSubstr("not valid JSON")));
  EXPECT_THAT(names_in_new(), ElementsAre(std::string(kSweep) + " contexts"));
}

TEST_F(RebuildTest, ARequestIsCheckedAsASubmissionIs) {
  submit_file(kSweep, "1");
  write(request(kSweep, "1"));
  struct Refused {
    std::string what;
    std::function<void(AttemptRequest&)> change;
    const char* why;
  };
  const auto program_named = [this](const std::string& name) {
    WorkloadDef program;
    program.name = name;
    program.base = def().name;
    return program;
  };
  const std::vector<Refused> rows{
      {"trial", [](AttemptRequest& r) { r.trial = "../x"; }, "trial: `../x` is not an id"},
      {"sweep", [](AttemptRequest& r) { r.sweep.id = "../../w/package"; },
       "sweep: `../../w/package` is not an id"},
      {"sentinel", [](AttemptRequest& r) { r.sweep.sentinel_of = "/etc"; },
       "sentinel_of: `/etc` is not an id"},
      {"name", [](AttemptRequest& r) { r.sweep.name = "a$(touch PWNED)"; },
       "sweep_name: `a$(touch PWNED)` is not a name"},
      {"other program", [&](AttemptRequest& r) { r.program = program_named("mine"); },
       "its workload is `toy`, and its program `mine`"},
      {"name of a program",
       [&](AttemptRequest& r) {
         r.workload = "a b";
         r.program = program_named("a b");
       },
       "`a b` is not a name"},
      {"name of a workload", [&](AttemptRequest& r) { r.program = program_named("toy"); },
       "`toy` is taken"},
  };
  for (const Refused& row : rows) {
    AttemptRequest changed = request(kSweep, "1");
    row.change(changed);
    write(changed);
  }
  const Rebuilt found = rebuilt();
  EXPECT_EQ(found.attempts, 1);
  EXPECT_THAT(found.guessed, IsEmpty());
  std::string all;
  for (const auto& [path, reason] : found.unreadable) all += reason + "\n";
  for (const Refused& row : rows) EXPECT_THAT(all, HasSubstr(row.why)) << row.what;
  EXPECT_EQ(found.unreadable.size(), rows.size());
}

// One that the database refuses, for a reason that no reader looks for.
TEST_F(RebuildTest, WhatTheDatabaseRefusesIsNamedToo) {
  submit_file(kSweep, "1");
  const AttemptRequest one = request(kSweep, "1");
  write(one);
  const fs::path elsewhere = folder_ / "pool" / "runs";
  fs::create_directories(elsewhere);
  fs::copy(runs() / one.attempt, elsewhere / one.attempt, fs::copy_options::recursive);
  const auto rebuilt = rebuild_database(folder_ / "new.db", {sweeps(), {runs(), elsewhere}},
                                        catalog_, host_named("alpha"));
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->attempts, 1);
  ASSERT_EQ(rebuilt->unreadable.size(), 1U);
  EXPECT_THAT(rebuilt->unreadable[0].second, HasSubstr("UNIQUE"));
}

}  // namespace
}  // namespace sweepd
