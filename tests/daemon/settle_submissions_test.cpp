// Tests a submission whose daemon died between its file and the database.
#include "runner/daemon/planning/settle_submissions.h"

#include <gmock/gmock.h>

#include <fstream>

#include "runner/wire/submission.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SettleSubmissions : public DbTest {
 protected:
  void write(const SweepId& id) const {
    Submission submission;
    submission.id = id;
    ASSERT_TRUE(write_submission(sweeps_, submission));
  }
  SweepId store_one() {
    const NewSweep request = sweep("s", {{{"context", "2"}}});
    submit(request);
    return request.id;
  }
  void SetUp() override {
    DbTest::SetUp();
    sweeps_ = folder_ / "sweeps";
  }
  std::filesystem::path sweeps_;
};

TEST_F(SettleSubmissions, WhatIsStoredGetsItsNameAndNothingElseStays) {
  const SweepId stored = store_one();
  write(stored);
  write("00000000000000aa");
  ASSERT_TRUE(settle_submissions(*store_, sweeps_));
  EXPECT_THAT(submission_files(sweeps_), ElementsAre(submission_file(sweeps_, stored)));
}

TEST_F(SettleSubmissions, WhatIsBeingDeletedIsKeptOnlyIfItIsStillThere) {
  const SweepId stored = store_one();
  for (const SweepId& id : {stored, SweepId("00000000000000aa")}) {
    write(id);
    settle_submission(sweeps_, id, /*is_stored=*/true);
    pend_submission(sweeps_, id);
  }
  ASSERT_TRUE(settle_submissions(*store_, sweeps_));
  EXPECT_THAT(submission_files(sweeps_), ElementsAre(submission_file(sweeps_, stored)));
}

TEST_F(SettleSubmissions, BesideADatabaseWithoutSweepsNothingIsRemoved) {
  write("00000000000000aa");
  ASSERT_TRUE(settle_submissions(*store_, sweeps_));
  EXPECT_THAT(pending_submissions(sweeps_), ElementsAre("00000000000000aa"));
}

TEST_F(SettleSubmissions, WhatAKilledDaemonWroteByHalfGoes) {
  write("00000000000000aa");
  const auto half = sweeps_ / "00000000000000bb.json.pending.new";
  std::ofstream(half) << "{";
  ASSERT_TRUE(settle_submissions(*store_, sweeps_));
  EXPECT_FALSE(std::filesystem::exists(half));
}

TEST_F(SettleSubmissions, WithoutAFolderThereIsNothingToDo) {
  EXPECT_TRUE(settle_submissions(*store_, folder_ / "none"));
  EXPECT_THAT(submission_files(folder_ / "none"), IsEmpty());
}

}  // namespace
}  // namespace sweepd
