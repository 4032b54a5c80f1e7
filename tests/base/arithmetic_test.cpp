#include "runner/base/arithmetic.h"

#include <gmock/gmock.h>

#include <string>

namespace sweepd {
namespace {

using testing::HasSubstr;

TEST(Evaluate, FollowsTheUsualRules) {
  const struct {
    const char* formula;
    double value;
  } kRows[] = {{"8", 8},
               {" 8 * 512 ", 4096},
               {"2 + 3 * 4", 14},
               {"(2 + 3) * 4", 20},
               {"7 - 2 - 1", 4},
               {"8 / 4 / 2", 1},
               {"2 ^ 3 ^ 2", 512},
               {"-2 ^ 2", -4},
               {"2 ^ -1", 0.5},
               {"6 * 1.5e9", 9e9},
               {"2 * -3", -6},
               {"-(1 + 2)", -3},
               {"6 *\n 124e6", 744e6}};
  for (const auto& row : kRows) {
    const auto value = evaluate(row.formula);
    ASSERT_TRUE(value) << row.formula << ": " << value.error().message;
    EXPECT_DOUBLE_EQ(*value, row.value) << row.formula;
  }
}

TEST(Evaluate, NamesThePlaceOfAMistake) {
  const struct {
    std::string formula, message;
  } kRows[] = {{"", "expected a number at the end"},
               {"8 *", "expected a number at the end"},
               {"8 x 512", "expected an operator before `x 512`"},
               {"(8", "expected `)` at the end"},
               {"{batch}", "expected a number before `{batch}`"},
               {"inf", "expected a number before `inf`"},
               {std::string(100000, '('), "expected fewer"}};
  for (const auto& row : kRows) {
    const auto value = evaluate(row.formula);
    ASSERT_FALSE(value) << row.formula;
    EXPECT_THAT(value.error().message, HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace sweepd
