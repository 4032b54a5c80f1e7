#include "runner/base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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

TEST(ShortId, IsThePrefixThatTablesShow) {
  EXPECT_EQ(short_id("0123456789abcdef"), "01234567");
  EXPECT_EQ(short_id("0123"), "0123");
}

// Test vectors of FNV-1a 128 from the authors' reference code: keys must never change.
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
