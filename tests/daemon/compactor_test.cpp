// Tests when the daemon compacts folders, and of which attempts.
#include "runner/daemon/serving/compactor.h"

#include <gmock/gmock.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "runner/base/gzip_file.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;
using Mode = Compactor::Mode;

constexpr Duration days(std::int64_t n) {
  return seconds(n * 86400);
}
constexpr Duration kDay = days(1);

class CompactorTest : public DispatcherStory {
 protected:
  void SetUp() override {
    DispatcherStory::SetUp();
    readers_ = std::make_unique<ReaderPool>(file(), catalog_, 1, seconds(30));
  }
  void TearDown() override {
    compactor_.reset();
    readers_.reset();
    DispatcherStory::TearDown();
  }
  void make(std::optional<Duration> older) {
    compactor_ = std::make_unique<Compactor>(
        *io_, *readers_, folder_ / "runs", older, [this] { return quiet_; },
        CompactorTiming{milliseconds(20), milliseconds(200)});
  }
  static WallTime before(Duration ago) { return {now_wall().ns - ago.ns}; }
  // An attempt that ended this long ago, with a folder. Returns its journal.
  fs::path ended_ago(Duration ago, const std::string& context, Ending ending = {Done{"steps"}, 0}) {
    const auto queued = store_sweep({{{"context", context}}});
    AttemptRecord record = ended(queued.at(0).row, std::move(ending), before(ago));
    if (outcome_of(record.ending) == Outcome::kDone) {
      record = done(queued.at(0).row, 1, 2, record.ended);
    }
    writer_->now([&](Store&) {
      finish(record);
      return true;
    });
    const AttemptFolder folder = folder_of(queued.at(0));
    write_text(folder.events(0), std::string(20'000, 'x'));
    return folder.events(0);
  }
  static bool is_compact(const fs::path& journal) { return plain_or_gzip(journal) != journal; }
  bool until_compact(const fs::path& journal) {
    return until([&] { return is_compact(journal); });
  }
  void let_time_pass() {
    const Instant start = now_instant();
    until([&] { return now_instant() - start > milliseconds(400); });
  }
  Result<Compacted> compact(Duration older, Mode mode) {
    std::optional<Result<Compacted>> result;
    const auto ask = [&]() -> asio::awaitable<void> {
      result.emplace(co_await compactor_->compact(before(older), mode));
    };
    asio::co_spawn(*io_, ask, asio::detached);
    until([&] { return result.has_value(); });
    return *result;
  }

  bool quiet_ = true;
  std::unique_ptr<ReaderPool> readers_;
  std::unique_ptr<Compactor> compactor_;
};

TEST_F(CompactorTest, TakesOldAttemptsThatAreDone) {
  make(days(30));
  const fs::path old = ended_ago(days(31), "1");
  const fs::path young = ended_ago(days(29), "2");
  const fs::path failed = ended_ago(days(31), "3", {Failed{"no", ""}, 0});
  compactor_->begin();
  EXPECT_TRUE(until_compact(old));
  let_time_pass();
  EXPECT_FALSE(is_compact(young));
  EXPECT_FALSE(is_compact(failed));
}

TEST_F(CompactorTest, LooksAgainAfterAWhile) {
  make(kDay);
  compactor_->begin();
  let_time_pass();
  EXPECT_TRUE(until_compact(ended_ago(days(2), "1")));
}

TEST_F(CompactorTest, NeverMeansNever) {
  make({});
  const fs::path old = ended_ago(days(365), "1");
  compactor_->begin();
  let_time_pass();
  EXPECT_FALSE(is_compact(old));
  EXPECT_EQ(compact(kDay, Mode::kForReal)->folders, 1);  // but on request
  EXPECT_TRUE(is_compact(old));
}

TEST_F(CompactorTest, WaitsUntilNothingRuns) {
  make(kDay);
  const fs::path old = ended_ago(days(2), "1");
  quiet_ = false;
  compactor_->begin();
  let_time_pass();
  EXPECT_FALSE(is_compact(old));
  const auto refused = compact(kDay, Mode::kForReal);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(compact(kDay, Mode::kDryRun)->folders, 1);
  EXPECT_FALSE(is_compact(old));
  quiet_ = true;
  compactor_->changed();
  EXPECT_TRUE(until_compact(old));
}

// More folders than one job of its thread has.
TEST_F(CompactorTest, StopsWhenAnAttemptBeginsAndGoesOnAfterIt) {
  make(kDay);
  std::vector<fs::path> journals;
  for (int i = 1; i <= 70; ++i) journals.push_back(ended_ago(days(2), std::to_string(i)));
  compactor_->begin();
  ASSERT_TRUE(until_compact(journals.front()));
  quiet_ = false;
  compactor_->changed();
  let_time_pass();
  EXPECT_FALSE(is_compact(journals.back()));
  quiet_ = true;
  compactor_->changed();
  EXPECT_TRUE(until_compact(journals.back()));
  EXPECT_EQ(compact(kDay, Mode::kForReal)->folders, 0);
}

TEST_F(CompactorTest, CountsWhatItDid) {
  make({});
  ended_ago(days(2), "1");
  ended_ago(days(2), "2");
  const auto preview = compact(kDay, Mode::kDryRun);
  EXPECT_EQ(preview->folders, 2);
  EXPECT_GE(preview->before, Bytes{40'000});
  const auto done = compact(kDay, Mode::kForReal);
  EXPECT_EQ(done->folders, 2);
  EXPECT_EQ(done->before, preview->before);
  EXPECT_LT(done->after.value, done->before.value / 2);
  EXPECT_EQ(done->left, 0);
  EXPECT_EQ(compact(kDay, Mode::kForReal)->folders, 0);
}

TEST_F(CompactorTest, SaysWhatItCouldNotDo) {
  make({});
  const fs::path journal = ended_ago(days(2), "1");
  fs::create_directories(compressed(journal));  // in the way of the new name
  const fs::path other = ended_ago(days(2), "2");
  const auto done = compact(kDay, Mode::kForReal);
  EXPECT_EQ(done->folders, 1);
  EXPECT_EQ(done->left, 1);
  EXPECT_THAT(done->why_left, testing::HasSubstr("events.0.ndjson"));
  EXPECT_TRUE(is_compact(other));
  EXPECT_EQ(fs::file_size(journal), 20'000U);
}

}  // namespace
}  // namespace sweepd
