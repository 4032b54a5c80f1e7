// `reread` replaces what was read from an attempt's output, and nothing else.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRead =
    "SELECT (SELECT group_concat(value, ' ') FROM samples WHERE phase = 'forward'), "
    "(SELECT group_concat(name || '=' || text, ' ') FROM facts), "
    "(SELECT verdict FROM attempt), (SELECT count(*) FROM attempt_reason), "
    "(SELECT count(*) FROM memories), (SELECT count(*) FROM figures)";

TEST_F(DbTest, AReadingIsReplacedAsAWhole) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  AttemptRecord before = done(row, 10, 20);
  before.facts = {{0, "loss", std::nullopt, "old"}, {0, "gone", std::nullopt, "old"}};
  before.memory = {{0, "forward", 1_MiB, 2_MiB, 8_MiB, 16_MiB, 32_MiB}};
  add_reason(before.judgement, Verdict::kSuspect, "of before");
  finish(before);
  EXPECT_THAT(sql(kRead), ElementsAre("110.0 10.0 10.0|loss=old gone=old|suspect|1|1|1"));
  AttemptRecord after = done(row, 30, 40);
  after.facts = {{0, "loss", std::nullopt, "new"}};
  const auto replaced = store_->replace_reading(after);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_THAT(sql(kRead), ElementsAre("130.0 30.0 30.0|loss=new|valid|0|1|1"));
  EXPECT_THAT(sql("SELECT median FROM toy WHERE phase = 'forward'"), ElementsAre("30.0"));
}

TEST_F(DbTest, OnlyADoneAttemptHasAReadingToReplace) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  const auto open = store_->replace_reading(done(row, 1, 1));
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("it has not ended as `done`"));
  EXPECT_EQ(store_->replace_reading(done(4711, 1, 1)).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sweepd
