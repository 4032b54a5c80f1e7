// Tests the search for the largest size that fits, for all grids of up to 70 sizes.
#include "runner/model/sweep/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace sweepd {
namespace {

// As a grid would find it: walks through all sizes.
std::size_t by_grid(std::size_t sizes, std::size_t too_large) {
  std::size_t first = 0;
  while (first < sizes && first < too_large) ++first;
  return first;
}

TEST(FrontierSearch, FindsWhatTheWholeGridDoesWithinTwoLogarithms) {
  for (std::size_t sizes = 1; sizes <= 70; ++sizes) {
    const int most = std::max(2, 2 * static_cast<int>(std::bit_width(sizes - 1)));
    for (std::size_t start = 0; start < sizes; ++start) {
      for (std::size_t too_large = 0; too_large <= sizes; ++too_large) {
        FrontierSearch search(sizes, start);
        std::vector<bool> tried(sizes);
        while (const auto next = search.next()) {
          ASSERT_LT(*next, sizes);
          ASSERT_FALSE(tried[*next]) << "tried twice";
          tried[*next] = true;
          search.tell(*next < too_large);
        }
        ASSERT_EQ(search.first_too_large(), by_grid(sizes, too_large))
            << sizes << " sizes from " << start;
        ASSERT_LE(search.tries(), most)
            << sizes << " sizes from " << start << ", the first " << too_large << " fit";
      }
    }
  }
}

TEST(FrontierSearch, AGoodGuessNeedsTwoTries) {
  FrontierSearch search(1000, 499);
  EXPECT_EQ(search.next(), 499U);
  search.tell(true);
  EXPECT_EQ(search.next(), 500U);
  search.tell(false);
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.first_too_large(), 500U);
}

TEST(FrontierSearch, GoesAwayFromABadGuessByDoubling) {
  FrontierSearch search(100, 50);
  std::vector<std::size_t> tried;
  while (const auto next = search.next()) {
    tried.push_back(*next);
    search.tell(*next < 3);
  }
  EXPECT_EQ(tried, (std::vector<std::size_t>{50, 49, 47, 43, 35, 19, 0, 9, 4, 2, 3}));
}

}  // namespace
}  // namespace sweepd
