// Tests that any hostile or broken file is refused quickly and with a reason.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string numbers(int from, int to) {
  std::string out = std::to_string(from);
  for (int i = from + 1; i <= to; ++i) out += "," + std::to_string(i);
  return out;
}

TEST(Limits, OneMebibyteOfText) {
  std::string text = kHead + "#";
  text.resize(1 << 20, 'x');
  EXPECT_EQ(errors(text), "");
  EXPECT_THAT(messages(text + "x"),
              ElementsAre("1:1 the file has 1048577 bytes; at most 1048576 (1 MiB) are read"));
}

TEST(Limits, SixteenLevels) {
  const auto nested = [](int levels) {  // the sweep itself is the first level
    return kHead + "x: " + repeated("[", levels - 1) + repeated("]", levels - 1) + "\n";
  };
  EXPECT_THAT(messages(nested(16)), ElementsAre(HasSubstr("`x` is not a key")));
  EXPECT_THAT(messages(nested(17)),
              ElementsAre("3:19 nested too deeply; at most 16 levels of maps and lists"));
  EXPECT_EQ(messages(repeated("{", 200'000)).size(), 1U);
  EXPECT_EQ(messages(repeated("- ", 200'000)).size(), 1U);
}

TEST(Limits, SixteenLevelsThroughAliases) {
  const std::string text = "x: &x [[[[[[[[[]]]]]]]]]\ny: [[[[[[[*x]]]]]]]\n";
  EXPECT_THAT(messages(text), ElementsAre("2:11 nested too deeply through this alias; at most 16 "
                                          "levels of maps and lists"));
}

TEST(Limits, TheBillionLaughs) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 9; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias +
            repeated(", " + alias, 9) + "]\n";
  }
  // Each word is a node. a2 is 111 of them ten times over; the eighth `*a2` is one too many.
  EXPECT_THAT(messages(text), ElementsAre("4:45 aliases repeat too much of this file; at most "
                                          "10,000 values and 1,048,576 bytes of text"));
}

TEST(Limits, AliasesOfLongTexts) {
  const std::string text = "a: &a " + std::string(300'000, 'x') + "\nb: [*a, *a, *a, *a]\n";
  EXPECT_THAT(messages(text), ElementsAre(testing::StartsWith("2:17 aliases repeat too much")));
}

TEST(Limits, AnAliasInsideItself) {
  EXPECT_THAT(messages("sweep: &a [*a]\n"),
              ElementsAre("1:12 this alias is inside the value that it names"));
}

TEST(Limits, AStrayCommaIsNotAnEndlessFile) {
  EXPECT_THAT(messages(", a\n"), ElementsAre("1:1 YAML does not expect this here"));
  EXPECT_THAT(messages(kHead + "]\n"), ElementsAre("3:1 this bracket closes nothing"));
}

TEST(Limits, OneMillionPoints) {
  const std::string seeds = "matrix:\n  seed: [" + numbers(1, 1000) + "]\n";
  EXPECT_EQ(errors(kHead + seeds + "  batch: [" + numbers(1, 1000) + "]\n"), "");
  const std::string more = kHead + seeds + "  batch: [" + numbers(1, 1001) + "]\n";
  EXPECT_THAT(messages(more), ElementsAre("3:1 the sweep has 1,001,000 points; at most 1,000,000"));
  EXPECT_EQ(errors(more, {"batch=1"}), "") << "counted after the overrides";
}

// 65,536 to the fourth is 0 in 64 bits.
TEST(Limits, AProductBeyond64Bits) {
  Sweep sweep;
  sweep.matrix.assign(4, Axis{0, std::vector<Value>(65'536, Value(std::int64_t{1}))});
  EXPECT_EQ(count_points(sweep), std::numeric_limits<std::int64_t>::max());
}

TEST(Limits, AHundredMessages) {
  std::string text = kHead + "params:\n";
  for (int i = 0; i < 130; ++i) text += "  wrong" + std::to_string(i) + ": 1\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.errors.size(), 100U);
  EXPECT_THAT(parsed.errors.back().help, HasSubstr("30 more mistakes follow"));
}

TEST(Limits, LongLinesAndLongValuesAreCut) {
  const std::string text = kHead + "params: {batch: " + std::string(50'000, 'x') + ", contxt: 1}\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.errors.size(), 2U);
  EXPECT_LT(render(parsed.errors).size(), 2000U);
  EXPECT_EQ(render(parsed.errors[1]),
            "f.yaml:3:50019: error: `contxt` is not a parameter of "
            "lm_step\n"
            "  3 | …" +
                std::string(37, 'x') +
                ", contxt: 1}\n"
                "    |  " +
                std::string(39, ' ') +
                "^~~~~~\n"
                "    = help: did you mean `context`?\n");
}

TEST(Limits, EncodingAndControlCharacters) {
  EXPECT_EQ(errors("sweep: \xff\n"),
            "\nf.yaml:1:8: error: this byte is not UTF-8 text\n"
            "  1 | sweep: ?\n"
            "    |        ^\n"
            "    = help: save the file in the UTF-8 encoding\n");
  EXPECT_THAT(messages("a: \xc0\xaf\n"), ElementsAre("1:4 this byte is not UTF-8 text"));
  EXPECT_THAT(messages("a: \xed\xa0\x80\n"), ElementsAre("1:4 this byte is not UTF-8 text"));
  EXPECT_THAT(messages("a: 1\nb: \x1b[31m\n"),
              ElementsAre("2:4 control character 0x1b in the file"));
  EXPECT_THAT(messages("sweep: \"\\e[31m\"\nworkload: noop\n"),
              ElementsAre(HasSubstr("sweep: `\\x1b[31m` has a control character")))
      << "an escape must not reach the terminal";
  EXPECT_THAT(messages("sweep: s\nworkload: noop\ndescription: \"\\x9b2J \\u202e\"\n"),
              ElementsAre(HasSubstr("description: `")));
  EXPECT_THAT(messages("a: 1\nb: x\ry\n"), ElementsAre("2:5 control character 0x0d in the file"));
  EXPECT_EQ(errors("sweep: s\r\nworkload: noop\r\n"), "");
}

// Any bytes get an answer: sweeps or mistakes, never both, and every mistake is within the file.
void check_answer(const std::string& text) {
  const Parsed parsed = parse(text);
  RC_ASSERT(parsed.errors.empty() != parsed.sweeps.empty());
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Diagnostic& d : parsed.errors) {
    RC_ASSERT(d.line >= 1);
    RC_ASSERT(d.line <= lines);
    RC_ASSERT(d.column >= 1);
    RC_ASSERT(d.length >= 1);
    RC_ASSERT(!render(d).empty());
  }
}

RC_GTEST_PROP(Limits, AnyTextGetsAnAnswer, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "sweep: a\n", "workload: lm_step\n", "params:\n", "matrix:\n", "zip:\n", "  ", "- ", "[", "]",
      "{", "}", ", ", ": ", "\n", "\"", "'", "&x ", "*x", "!t ", "| \n", "# c\n", "---\n", "...\n",
      "%YAML 1.2\n", "? ", "model", "5", "±", "\t", "\r\n", "~", "<<: ", "\\", "@", "`", "\xff"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  check_answer(text);
}

RC_GTEST_PROP(Limits, AChangedFileGetsAnAnswer, ()) {
  std::string text = kHead +
                     "params: {batch: 4}\nmatrix:\n  model: [small, xl]\n  context: [128, 256]\n"
                     "zip:\n  - {warmup: [0, 1], steps: &s [20, 10]}\nexclude:\n  - {model: xl}\n"
                     "tables:\n  - rows: [model]\n    cell: \"{mean:.1f}\"\n";
  const auto changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const char c = *rc::gen::elementOf(std::string(" \n[]{}:,-\"'&*#|>%?x0\t"));
    if (*rc::gen::arbitrary<bool>()) {
      text[at] = c;
    } else {
      text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
      if (text.empty()) text = "\n";
    }
  }
  check_answer(text);
}

}  // namespace
}  // namespace sweepd::test
