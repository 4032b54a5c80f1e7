// Tests in which order a table shows the values of a dimension.
#include "db/query/planning/coder.h"

#include <gmock/gmock.h>

namespace sweepd {
namespace {

using testing::ElementsAre;

std::vector<std::string> ordered(DisplayOrder order, const std::vector<std::string>& values) {
  DimensionCoder coder;
  for (const std::string& value : values) coder.code(value);
  std::vector<std::string> found;
  for (const Value& value :
       coder
           .order(order, {"first"}, "last",
                  [](const Value& each) { return std::get<std::string>(each); })
           .values) {
    found.push_back(std::get<std::string>(value));
  }
  return found;
}

TEST(DimensionCoder, CountedOrderHasNumbersInTextsAscend) {
  const std::vector<std::string> values{"last",  "sort.64",  "524288", "8",     "sort.8", "2097152",
                                        "first", "sort.064", "sort",   "a1b10", "a1b9"};
  EXPECT_THAT(ordered(DisplayOrder::kCounted, values),
              ElementsAre("first", "8", "524288", "2097152", "a1b9", "a1b10", "sort", "sort.8",
                          "sort.064", "sort.64", "last"));
  EXPECT_THAT(ordered(DisplayOrder::kTyped, {"b.64", "b.8", "2097152", "524288"}),
              ElementsAre("2097152", "524288", "b.64", "b.8"));
  EXPECT_THAT(ordered(DisplayOrder::kFirstAppearance, {"b", "c", "a"}), ElementsAre("b", "c", "a"));
}

}  // namespace
}  // namespace sweepd
