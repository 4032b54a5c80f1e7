#include "runner/base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>

#include "runner/base/hash.h"

namespace sweepd {
namespace {

TEST(RandomId, IsSixteenHexDigitsAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = random_id();
    EXPECT_THAT(id, testing::MatchesRegex("[0-9a-f]{16}"));
    EXPECT_TRUE(seen.insert(id).second) << id << " twice";
  }
}

TEST(RandomId, AForkedChildDrawsItsOwn) {
  random_id();  // the child must not draw the bytes buffered here again
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string id = random_id();
    _exit(write(ends[1], id.data(), id.size()) == 16 ? 0 : 1);
  }
  std::string theirs(16, ' ');
  ASSERT_EQ(read(ends[0], theirs.data(), theirs.size()), 16);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  close(ends[0]);
  close(ends[1]);
  std::set<std::string> ours;
  for (int i = 0; i < 64; ++i) ours.insert(random_id());
  EXPECT_EQ(ours.count(theirs), 0U) << theirs;
}

TEST(RandomId, ThreadsDrawApart) {
  std::string other;
  std::thread([&other] { other = random_id(); }).join();
  EXPECT_NE(random_id(), other);
}

TEST(ShortId, IsThePrefixThatTablesShow) {
  EXPECT_EQ(short_id("0123456789abcdef"), "01234567");
  EXPECT_EQ(short_id("0123"), "0123");
}

TEST(IsId, OnlyHexDigitsAndNotTooMany) {
  for (const char* id : {"0", "0123456789abcdef", "6c62272e07bb014262b821756295c58d"}) {
    EXPECT_TRUE(is_id(id)) << id;
  }
  for (const char* id : {"", "ABCDEF", "../../w/package", "0123 ", "abcd/..", "g"}) {
    EXPECT_FALSE(is_id(id)) << id;
  }
  EXPECT_TRUE(is_id(std::string(64, 'a')));
  EXPECT_FALSE(is_id(std::string(65, 'a')));
}

TEST(IsSweepName, LettersDigitsAndThreeMarks) {
  for (const char* name : {"a", "lm_step-2.1", "recovered-x-sentinel", "-", "3f9c"}) {
    EXPECT_TRUE(is_sweep_name(name)) << name;
  }
  for (const char* name :
       {"", "a b", "a$(touch PWNED)", "a/b", "a\n", "\x1b[2J", "é", "a;b", "`a`"}) {
    EXPECT_FALSE(is_sweep_name(name)) << name;
  }
  EXPECT_TRUE(is_sweep_name(std::string(96, 'a')));
  EXPECT_FALSE(is_sweep_name(std::string(97, 'a')));
  EXPECT_FALSE(is_sweep_name(std::string(65, 'a'), kLongestGivenName));
}

// FNV-1a 128 test vectors of the authors' reference code. Keys must never change.
TEST(Hash128, IsFnv1a) {
  EXPECT_EQ(hash128(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(hash128("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(hash128("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

TEST(Hash128, TellsNearbyTextsApart) {
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(hash128("lm_step/1|context=" + std::to_string(i)));
  EXPECT_EQ(seen.size(), 10'000U);
}

}  // namespace
}  // namespace sweepd
