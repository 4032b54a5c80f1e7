// Tests which parts of foreign text reach a terminal.
#include "runner/base/printable.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "runner/base/say.h"

namespace sweepd {
namespace {

TEST(Printable, ReplacesWhatATerminalTakesForACommand) {
  struct Row {
    const char *text, *line, *lines;
  };
  const Row rows[] = {
      {"plain", "plain", "plain"},
      {"µ — 漢字 😀 e\u0301 \u200d", "µ — 漢字 😀 e\u0301 \u200d", "µ — 漢字 😀 e\u0301 \u200d"},
      {"\x1b]0;title\x07", " ]0;title ", " ]0;title "},
      {"a\r\x7f\x08z", "a   z", "a   z"},
      {"a\tb\nc", "a b c", "a\tb\nc"},
      {"\u009b31m", "?31m", "?31m"},  // C1 as UTF-8
      {"\x9b"
       "31m",
       "?31m", "?31m"},  // and as a byte
      {"\u0080\u009f\u00a0", "??\u00a0", "??\u00a0"},
      {"\u202ecod.exe\u202c", "?cod.exe?", "?cod.exe?"},
      {"\u200e\u200f\u061c\u2066\u2069\u2028\u2029", "???????", "???????"},
      {"\xc0\x9b", "??", "??"},        // overlong
      {"\xe2\x82", "??", "??"},        // cut off
      {"\xed\xa0\x80", "???", "???"},  // a surrogate
  };
  for (const Row& row : rows) {
    EXPECT_EQ(printable(row.text), row.line);
    EXPECT_EQ(printable_lines(row.text), row.lines);
  }
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a b");
}

TEST(Printable, JsonStaysTheSameDocument) {
  EXPECT_EQ(printable_json("{\n \"a\": \"\u009b\u202e\x7f é\"}"),
            "{\n \"a\": \"\\u009b\\u202e\\u007f é\"}");
}

TEST(Printable, OfALongTextAMessageQuotesTheBeginning) {
  EXPECT_EQ(brief("short\x1b"), "short ");
  const std::string quoted = brief(std::string(79, 'a') + "é" + std::string(1 << 20, 'b'));
  EXPECT_EQ(quoted, std::string(79, 'a') + "…");
}

// For any bytes: nothing is left to replace, and no harmless character of two bytes or more is
// lost.
TEST(PrintableProperty, OfAnyBytesNothingIsLeft) {
  std::mt19937 random(20'261'128);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) {
      switch (random() % 4) {
        case 0:
          text += static_cast<char>(random() % 256);
          break;
        case 1:
          text += "\xc2" + std::string(1, static_cast<char>(0x80 + random() % 64));
          break;
        case 2:
          text += "\xe2\x80" + std::string(1, static_cast<char>(0x80 + random() % 64));
          break;
        default:
          text += static_cast<char>(' ' + random() % 95);
      }
    }
    const std::string lines = printable_lines(text);
    ASSERT_EQ(printable_lines(lines), lines) << i;
    for (const char c : printable(text)) {
      ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << i;
    }
    ASSERT_EQ(lines.find("\xc2\x9b"), std::string::npos) << i;
  }
}

TEST(Say, PrintsWhatIsPrintableAndDataExactly) {
  char* written = nullptr;
  std::size_t size = 0;
  std::FILE* file = ::open_memstream(&written, &size);
  ASSERT_NE(file, nullptr);
  say(file, "sweep {}: {}\n", "a\x1b[2J", "\u009b1m");
  print_data(file, "\x1b[1m");  // no terminal
  print_exactly(file, "\x1b[0m");
  std::fclose(file);
  EXPECT_EQ(std::string(written, size), "sweep a [2J: ?1m\n\x1b[1m\x1b[0m");
  std::free(written);
}

}  // namespace
}  // namespace sweepd
