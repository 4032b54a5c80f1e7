// Tests the order in which a file lists its points, which the rows of its tables follow.
#include "runner/daemon/handlers/file_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sweepfile/catalog.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Point = std::vector<std::string>;

TEST(FileOrder, OfAZipGroupAreItsPoints) {
  const auto orders = file_orders(
      "sweep: a\nworkload: lm_step\nmatrix: {batch: [1, 2]}\nzip:\n"
      "  - {model: [xl, small], context: [2K, 128]}\n",
      "lm_step", test::catalog());
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_THAT(orders[0].names, ElementsAre("model", "context"));
  EXPECT_THAT(orders[0].points, ElementsAre(Point{"xl", "2000"}, Point{"small", "128"}));
}

TEST(FileOrder, OfPointsAloneIsTheirs) {
  const auto orders = file_orders(
      "sweep: a\nworkload: lm_step\nparams: {context: 64}\ninclude:\n"
      "  - {model: xl, context: 256}\n  - {batch: 8}\n",
      "lm_step", test::catalog());
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_THAT(orders[0].names, ElementsAre("model", "context", "batch"));
  EXPECT_THAT(orders[0].points, ElementsAre(Point{"xl", "256", "4"}, Point{"small", "64", "8"}));
}

TEST(FileOrder, AProductHasNone) {
  EXPECT_THAT(file_orders("sweep: a\nworkload: lm_step\nmatrix: {batch: [1, 2]}\ninclude:\n"
                          "  - {batch: 4}\n",
                          "lm_step", test::catalog()),
              IsEmpty());
  EXPECT_THAT(
      file_orders("sweep: a\nworkload: gone\ninclude:\n  - {batch: 4}\n", "gone", test::catalog()),
      IsEmpty());
}

}  // namespace
}  // namespace sweepd
