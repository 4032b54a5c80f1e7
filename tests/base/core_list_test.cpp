#include "runner/base/core_list.h"

#include <gtest/gtest.h>

#include <utility>

namespace sweepd {
namespace {

TEST(CoreList, IsWrittenAsLinuxDoes) {
  const std::vector<std::pair<std::vector<int>, std::string>> cases{
      {{}, ""}, {{3}, "3"}, {{0, 1, 2, 5}, "0-2,5"}, {{0, 2, 4, 5}, "0,2,4-5"}};
  for (const auto& [cores, text] : cases) {
    EXPECT_EQ(to_core_list(cores), text);
    EXPECT_EQ(from_core_list(text), cores);
  }
}

}  // namespace
}  // namespace sweepd
