// Tests that any write that the disk refuses changes nothing and makes its call fail. Refused are
// writes, truncations and syncs, with EIO or ENOSPC, one of them or all from one on.
#include <fmt/format.h>

#include <functional>

#include "tests/db/faulty_vfs.h"
#include "tests/db/store_script.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class FailingDisk : public StoreScriptTest, public testing::WithParamInterface<Fault::Error> {
 protected:
  void SetUp() override {
    StoreScriptTest::SetUp();
    FaultyVfs vfs;
    ScriptedStore scripted{database_of(fresh_folder()), nullptr};
    ASSERT_TRUE(open(scripted));
    states_.push_back(content_of(scripted.file, Uids::kHidden));
    before_ = vfs.writes();
    for (const ScriptStep& step : steps_) {
      ASSERT_TRUE(step.run(scripted)) << step.name;
      states_.push_back(content_of(scripted.file, Uids::kHidden));
    }
    scripted.store.reset();
    all_ = vfs.writes();
  }

  // A backup that failed leaves nothing, and one that did not is whole.
  static void expect_no_half_copy(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder / "copies")) {
      EXPECT_EQ(entry.path().filename(), "x.db");
      sound_content_of(entry.path(), Uids::kHidden);
    }
  }

  // Runs `body` with a store in a new folder, once for each write, which is refused.
  void for_each_refused(
      Fault::Lasting lasting,
      const std::function<void(FaultyVfs&, ScriptedStore&, const fs::path&)>& body) {
    for (std::int64_t at = before_ + 1; at <= all_; ++at) {
      if (!is_in_sample()) continue;
      const Fault fault{at, GetParam(), lasting};
      SCOPED_TRACE(fmt::format("seed {}, write {} of {} refused{}, error {}", seed_, at, all_,
                               lasting == Fault::Lasting::kOnce ? "" : " and all after it",
                               static_cast<int>(fault.error)));
      const fs::path folder = fresh_folder();
      FaultyVfs vfs;
      ScriptedStore scripted{database_of(folder), nullptr};
      ASSERT_TRUE(open(scripted));
      vfs.set_fault(fault);
      body(vfs, scripted, folder);
      fs::remove_all(folder);
      if (HasFailure()) return;
    }
  }

  std::vector<std::string> states_;    // the content before the first step and after each
  std::int64_t before_ = 0, all_ = 0;  // writes before the first step, and in all
};

TEST_P(FailingDisk, OneRefusedWriteIsAnErrorThatChangesNothingAndTheCallCanBeRepeated) {
  std::int64_t errors = 0, runs = 0;
  const auto body = [&](FaultyVfs& vfs, ScriptedStore& scripted, const fs::path& folder) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto refused = steps_[i].run(scripted);
      if (refused) continue;
      ++errors;
      EXPECT_EQ(refused.error().code, ErrorCode::kIo) << refused.error().message;
      EXPECT_EQ(content_of(scripted.file, Uids::kHidden), states_[i]) << "after " << steps_[i].name;
      const auto repeated = steps_[i].run(scripted);
      ASSERT_TRUE(repeated) << steps_[i].name << ": " << repeated.error().message;
    }
    scripted.store.reset();
    EXPECT_EQ(vfs.refused(), 1);
    EXPECT_EQ(sound_content_of(scripted.file, Uids::kHidden), states_.back());
    expect_no_half_copy(folder);
    ++runs;
  };
  for_each_refused(Fault::Lasting::kOnce, body);
  EXPECT_GT(errors, runs / 2) << "a write that is refused is hardly ever an error";
}

TEST_P(FailingDisk, AFailureThatLastsLosesNothingThatWasAnswered) {
  const auto body = [&](FaultyVfs& vfs, ScriptedStore& scripted, const fs::path& folder) {
    std::size_t done = 0;
    while (done < steps_.size() && steps_[done].run(scripted)) ++done;
    scripted.store.reset();  // the daemon ends
    expect_no_half_copy(folder);
    vfs.set_fault(std::nullopt);
    // A failed step may be stored: its last page was written, and only then was its sync refused.
    const auto step =
        step_that_left(states_, content_of(scripted.file, Uids::kHidden), done, done + 1);
    ASSERT_TRUE(step) << "after " << (done < steps_.size() ? steps_[done].name : "end");
    ASSERT_TRUE(open(scripted));
    go_on(scripted, *step);
    scripted.store.reset();
    EXPECT_EQ(sound_content_of(scripted.file, Uids::kHidden), states_.back());
  };
  for_each_refused(Fault::Lasting::kFromThenOn, body);
}

INSTANTIATE_TEST_SUITE_P(Each, FailingDisk,
                         testing::Values(Fault::Error::kBroken, Fault::Error::kFull),
                         [](const testing::TestParamInfo<Fault::Error>& error) {
                           return error.param == Fault::Error::kBroken ? "EIO" : "ENOSPC";
                         });

}  // namespace
}  // namespace sweepd
