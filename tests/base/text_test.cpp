#include "runner/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::ElementsAre;

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  struct {
    std::string_view a, b;
    std::size_t distance;
  } const cases[] = {
      {"", "", 0},
      {"abc", "abc", 0},
      {"", "abc", 3},
      {"abc", "", 3},
      {"contxt", "context", 1},
      {"contetx", "context", 1},
      {"kitten", "sitting", 3},
      {"ab", "ba", 1},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(edit_distance(c.a, c.b), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a), c.distance) << c.b << " " << c.a;
  }
}

TEST(DidYouMean, NamesTheNearestOrNothing) {
  const std::vector<std::string> names{"context", "precision", "batch", "steps"};
  EXPECT_EQ(did_you_mean("contxt", names), " (did you mean `context`?)");
  EXPECT_EQ(did_you_mean("prec", names), " (did you mean `precision`?)");  // a prefix
  EXPECT_EQ(did_you_mean("bacth", names), " (did you mean `batch`?)");
  EXPECT_EQ(did_you_mean("batchsize", names), " (did you mean `batch`?)");  // and more
  EXPECT_EQ(did_you_mean("temperature", names), "");
  EXPECT_EQ(did_you_mean("x", names), "");
  EXPECT_EQ(did_you_mean("context", {}), "");
  // Of two names at the same distance, the one with the longer common beginning wins.
  const std::vector<std::string> figures{"figure.heads", "figure.parameters", "figure"};
  EXPECT_EQ(did_you_mean("figure.params", figures), " (did you mean `figure.parameters`?)");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
}

TEST(Trim, TakesOffOuterSpaceOnly) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(DisplayWidth, CountsTerminalColumns) {
  struct {
    std::string_view text;
    std::size_t width;
  } const cases[] = {
      {"", 0},        {"abc", 3},  {"3.1 ± 0.2", 9},  // two bytes, one column
      {"µs", 2},      {"漢字", 4},                    // wide
      {"e\u0301", 1},                                 // e and a combining accent
      {"🚀", 2},       {"─│", 2},                      // line drawing
  };
  for (const auto& c : cases) EXPECT_EQ(display_width(c.text), c.width) << c.text;
}

TEST(DisplayWidth, SurvivesBrokenUtf8) {
  EXPECT_GE(display_width("ab\xe2\x82"), 2U);  // cut in the middle of a character
  EXPECT_GE(display_width("\xff\xfe"), 0U);
}

TEST(ShellWord, IsQuotedWhereAShellNeedsIt) {
  EXPECT_EQ(shell_word("a/b-1.0_x=2,3:%+@"), "a/b-1.0_x=2,3:%+@");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), R"('it'\''s $HOME')");
}

}  // namespace
}  // namespace sweepd
