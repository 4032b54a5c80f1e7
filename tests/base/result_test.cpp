#include "runner/base/result.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

Result<std::string> greet(bool willing) {
  if (!willing) return Error{ErrorCode::kFailedPrecondition, "not today"};
  return std::string("hello");
}

TEST(Result, HoldsAValueOrTheReason) {
  ASSERT_TRUE(greet(true));
  EXPECT_EQ(*greet(true), "hello");
  EXPECT_EQ(greet(true)->size(), 5U);
  ASSERT_FALSE(greet(false));
  EXPECT_EQ(greet(false).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(greet(false).error().message, "not today");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

// A value type that could be confused with Error is still stored as the value.
TEST(Result, KeepsAnErrorApartFromAStringValue) {
  const Result<std::string> value(std::string("not today"));
  EXPECT_TRUE(value.ok());
}

TEST(Result, OfNothingIsSuccessByDefault) {
  const Result<void> fine;
  const Result<void> bad(Error{ErrorCode::kIo, "disk full"});
  EXPECT_TRUE(fine.ok());
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message, "disk full");
}

TEST(WallTime, IsShownInUtc) {
  EXPECT_EQ(to_text(WallTime{0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(to_text(WallTime{1'795'255'445'000'000'000}), "2026-11-21T10:04:05Z");
  EXPECT_EQ(to_text(WallTime{1'795'255'445'999'999'999}), "2026-11-21T10:04:05Z");
}

TEST(Instant, AddsAndSubtractsDurations) {
  const Instant start{1'000};
  EXPECT_EQ((start + seconds(1)).ns, 1'000'001'000);
  EXPECT_EQ((start + seconds(1) - start).ns, 1'000'000'000);
  EXPECT_LT(start, start + Duration{1});
  const Instant earlier = now_instant();
  EXPECT_LE(earlier, now_instant());
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(UniqueFd, ClosesOnceAndMoves) {
  int number = -1;
  {
    UniqueFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT: the test is of the moved-from state
    EXPECT_TRUE(is_open(number));
    second = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(is_open(number));
    number = second.get();
  }
  EXPECT_FALSE(is_open(number));
}

}  // namespace
}  // namespace sweepd
