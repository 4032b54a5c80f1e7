// Tests the conditions of claims: their results for figures within ranges, and their mistakes.
#include "runner/model/vocabulary/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FigureRange exactly(double number) {
  return {number, number};
}

Told told(const std::string& text, FigureRange a, FigureRange b = {}) {
  const auto condition = Condition::parse(text);
  EXPECT_TRUE(condition) << (condition ? "" : condition.error().message);
  return condition ? condition->judge({{"a", a}, {"b", b}}) : Told::kUnclear;
}

std::string mistake_in(const std::string& text) {
  const auto condition = Condition::parse(text);
  EXPECT_FALSE(condition) << text;
  return condition ? "" : condition.error().message;
}

TEST(Condition, ComparesExactFigures) {
  EXPECT_EQ(told("{a} < {b}", exactly(1), exactly(2)), Told::kHolds);
  EXPECT_EQ(told("{a} < {b}", exactly(2), exactly(2)), Told::kFails);
  EXPECT_EQ(told("{a} <= {b}", exactly(2), exactly(2)), Told::kHolds);
  EXPECT_EQ(told("{a} <= {b}", exactly(3), exactly(2)), Told::kFails);
  EXPECT_EQ(told("{a} > {b}", exactly(3), exactly(2)), Told::kHolds);
  EXPECT_EQ(told("{a} >= {b}", exactly(1), exactly(2)), Told::kFails);
}

TEST(Condition, CannotBeToldWhereRangesOverlap) {
  EXPECT_EQ(told("{a} < {b}", {1, 2}, {3, 4}), Told::kHolds);
  EXPECT_EQ(told("{a} < {b}", {1, 3.5}, {3, 4}), Told::kUnclear);
  EXPECT_EQ(told("{a} < {b}", {5, 6}, {3, 4}), Told::kFails);
  EXPECT_EQ(told("{a} < 0.9 * {b}", {8, 8.5}, {10, 11}), Told::kHolds);
  EXPECT_EQ(told("{a} < 0.9 * {b}", {8, 9.2}, {10, 11}), Told::kUnclear);
  EXPECT_EQ(told("{a} < 0.9 * {b}", {10, 10.5}, {10, 11}), Told::kFails);
}

TEST(Condition, SimilarWithinAShareOfTheRightSide) {
  EXPECT_EQ(told("{a} ~ {b} within 5 %", exactly(104), exactly(100)), Told::kHolds);
  EXPECT_EQ(told("{a} ~ {b} within 5%", exactly(95), exactly(100)), Told::kHolds);
  EXPECT_EQ(told("{a} ~ {b} within 5 %", exactly(106), exactly(100)), Told::kFails);
  EXPECT_EQ(told("{a} ~ {b} within 5 %", {98, 106}, exactly(100)), Told::kUnclear);
  EXPECT_EQ(told("{a} ~ -1 * {b} within 5 %", exactly(-1), exactly(1)), Told::kHolds);
}

TEST(Condition, AndNeedsAllOfItsComparisons) {
  const std::string both = "{a} > 1 and {b} > 1";
  EXPECT_EQ(told(both, exactly(2), exactly(2)), Told::kHolds);
  EXPECT_EQ(told(both, exactly(2), exactly(0)), Told::kFails);
  EXPECT_EQ(told(both, {0, 2}, exactly(2)), Told::kUnclear);
  EXPECT_EQ(told(both, {0, 2}, exactly(0)), Told::kFails) << "whatever a is";
}

TEST(Condition, ComputesAsArithmeticDoes) {
  EXPECT_EQ(told("{a} <= 2 + 3 * (4 - 1) / 2 - 0.5", exactly(6)), Told::kHolds);
  EXPECT_EQ(told("{a} < 2 + 3 * (4 - 1) / 2 - 0.5", exactly(6)), Told::kFails);
  EXPECT_EQ(told("{a} - {b} > 0", {3, 4}, {1, 2}), Told::kHolds);
  EXPECT_EQ(told("{a} - {b} > 0", {2, 4}, {1, 2}), Told::kUnclear);
  EXPECT_EQ(told("1 / {a} < 1", {2, 4}), Told::kHolds);
  EXPECT_EQ(told("1 / {a} < 1", {-1, 4}), Told::kUnclear) << "a may be 0";
  EXPECT_EQ(told("{a} * {b} < 0", {-2, -1}, {1, 3}), Told::kHolds);
  EXPECT_EQ(told("{a} < 1", exactly(std::nan(""))), Told::kUnclear);
  EXPECT_EQ(told("{a} > 1e6", exactly(std::numeric_limits<double>::infinity())), Told::kHolds);
}

TEST(Condition, ComparesWords) {
  const FigureRange oom{0, 0, "OOM"}, done{0, 0, "done"};
  EXPECT_EQ(told("{a} is OOM", oom), Told::kHolds);
  EXPECT_EQ(told("{a} is OOM", done), Told::kFails);
  EXPECT_EQ(told("{a} is OOM and {b} is done", oom, done), Told::kHolds);
  EXPECT_EQ(told("{a} is OOM and {b} is done", oom, oom), Told::kFails);
  const auto condition = Condition::parse("{a} is OOM and {b} < 3");
  ASSERT_TRUE(condition);
  EXPECT_FALSE(condition->computes_with("a"));
  EXPECT_TRUE(condition->computes_with("b"));
  EXPECT_THAT(mistake_in("{a} is"), HasSubstr("expected one of"));
}

TEST(Condition, NamesItsFigures) {
  EXPECT_THAT(Condition::parse("{cold} > 1.1 * {warm} and {warm} > 0")->names(),
              ElementsAre("cold", "warm"));
}

TEST(Condition, Mistakes) {
  EXPECT_THAT(mistake_in(""), HasSubstr("expected a number or a figure such as {a}"));
  EXPECT_THAT(mistake_in("{a} 3"), HasSubstr("expected one of <, <=, >, >=, ~ after `{a} `"));
  EXPECT_THAT(mistake_in("{a} < "), HasSubstr("expected a number or a figure"));
  EXPECT_THAT(mistake_in("{a} ~ 3"), HasSubstr("expected `within 5 %`"));
  EXPECT_THAT(mistake_in("{a} ~ 3 within 5"), HasSubstr("expected a number and `%`"));
  EXPECT_THAT(mistake_in("{a} < 3 or {b} < 3"), HasSubstr("expected `and` or the end"));
  EXPECT_THAT(mistake_in("{a < 3"), HasSubstr("`{` is not followed by a name and `}`"));
  EXPECT_THAT(mistake_in("({a} < 3"), HasSubstr("expected `)`"));
  EXPECT_THAT(mistake_in("1 < 3"), HasSubstr("it names no figure"));
  EXPECT_THAT(mistake_in(std::string(60, '(') + "{a}" + std::string(60, ')') + " < 1"),
              HasSubstr("too many brackets"));
}

TEST(ValueOfASum, FollowsTheUsualRules) {
  const std::map<std::string, double> figures{{"batch", 8}, {"context", 512}};
  const struct {
    const char* text;
    double value;
  } kRows[] = {{"8", 8},
               {" 8 * 512 ", 4096},
               {"2 + 3 * 4", 14},
               {"(2 + 3) * 4", 20},
               {"7 - 2 - 1", 4},
               {"8 / 4 / 2", 1},
               {"2 * -3", -6},
               {"{batch} * {context}", 4096},
               {"6 *\n 124e6", 744e6}};
  for (const auto& row : kRows) {
    const auto value = value_of_sum(row.text, figures);
    ASSERT_TRUE(value) << row.text << ": " << value.error().message;
    EXPECT_DOUBLE_EQ(*value, row.value) << row.text;
  }
}

TEST(ValueOfASum, NamesThePlaceOfAMistake) {
  const struct {
    std::string text, message;
  } kRows[] = {{"", "expected a number or a figure"},
               {"8 *", "expected a number or a figure such as {a} after `8 *`"},
               {"8 x 512", "expected an operator or the end after `8 `"},
               {"(8", "expected `)` after `(8`"},
               {"{bach} * 2", "`{bach}` is no number here"},
               {"inf", "expected a number or a figure"},
               {std::string(100000, '('), "too many brackets"}};
  for (const auto& row : kRows) {
    const auto value = value_of_sum(row.text, {{"batch", 8}});
    ASSERT_FALSE(value) << row.text;
    EXPECT_THAT(value.error().message, HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace sweepd
