#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runner/base/text.h"
#include "runner/report/layout.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Table step_times() {
  Table table;
  table.columns = {{"model", "", Align::kLeft},
                   {"context", "", Align::kRight},
                   {"forward", "ms", Align::kRight},
                   {"backward", "ms", Align::kRight},
                   {"optimizer", "ms", Align::kRight}};
  table.rows = {{{"small", {}}, {"128", 128}, {"22.2 ± 0.9", {}}, {"43.0 ± 1.2", {}}, {"3.1", {}}},
                {{"xl", {}}, {"1024", 1024}, {"OOM", {}}, {"OOM", {}}, {"OOM", {}}}};
  return table;
}

TEST(Text, AlignedColumnsWithoutTrailingSpaces) {
  EXPECT_EQ(to_text(step_times(), 0), R"(model  context  forward (ms)  backward (ms)  optimizer (ms)
─────  ───────  ────────────  ─────────────  ──────────────
small      128    22.2 ± 0.9     43.0 ± 1.2             3.1
xl        1024           OOM            OOM             OOM
)");
}

TEST(Text, TooWideContinuesBelowWithTheRowHeaders) {
  EXPECT_EQ(to_text(step_times(), 45), R"(model  context  forward (ms)  backward (ms)
─────  ───────  ────────────  ─────────────
small      128    22.2 ± 0.9     43.0 ± 1.2
xl        1024           OOM            OOM

model  context  optimizer (ms)
─────  ───────  ──────────────
small      128             3.1
xl        1024             OOM
)");
}

TEST(Text, LongTextIsCutBeforeAnythingElse) {
  Table table;
  table.columns = {
      {"attempt", "", Align::kLeft}, {"detail", "", Align::kLeft}, {"time", "ms", Align::kRight}};
  table.rows = {{{"1f2e3d4c", {}}, {"out of memory: asked for 1.50 GiB", {}}, {"1234.5", {}}}};
  EXPECT_EQ(to_text(table, 40), R"(attempt   detail               time (ms)
────────  ───────────────────  ─────────
1f2e3d4c  out of memory: ask…     1234.5
)");
}

TEST(Text, ControlCharactersCannotReachTheTerminal) {
  Table table;
  table.title = "\x1b[2Jgone";
  table.columns = {{"name", "", Align::kLeft}};
  table.rows = {{{"a\nb\x1b[31m", {}}}};
  table.notes = {"note\r\x07"};
  const std::string text = to_text(table, 80);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a b [31m\n"));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST(Text, NoRowsSaysSo) {
  Table table = step_times();
  table.rows.clear();
  table.notes = {"only model = tiny"};
  EXPECT_EQ(to_text(table, 80), "No rows.\n\nonly model = tiny\n");
}

TEST(Text, ShortenCutsBetweenLetters) {
  EXPECT_EQ(report::shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(report::shorten("abcdef", 4), "abc…");
  EXPECT_EQ(report::shorten("±±±±±±", 3), "±±…");
  EXPECT_EQ(report::shorten("模型模型", 4), "模…");  // two columns each, and one for the …
}

// Whatever the width: every number is printed whole, and lines fit unless a single column cannot.
TEST(Text, NumbersSurviveEveryWidth) {
  const Table table = step_times();
  for (std::size_t width = 1; width <= 80; ++width) {
    const std::string text = to_text(table, width);
    for (const char* number : {"128", "1024", "22.2 ± 0.9", "43.0 ± 1.2", "3.1"}) {
      EXPECT_THAT(text, HasSubstr(number)) << width;
    }
    // model, context and the widest figure: 5 + 2 + 7 + 2 + 14.
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(display_width(line), std::max<std::size_t>(width, 30)) << line;
    }
  }
}

TEST(Render, ByNameOfTheFormat) {
  const Table table = step_times();
  EXPECT_EQ(render(table, *format_from("md"), 0), to_markdown(table));
  EXPECT_EQ(render(table, *format_from("csv"), 0), to_csv(table));
  EXPECT_EQ(render(table, *format_from("json"), 0), to_json_text(table));
  EXPECT_EQ(render(table, *format_from("text"), 40), to_text(table, 40));
  EXPECT_THAT(format_from("jsn").error().message, HasSubstr("did you mean `json`?"));
}

}  // namespace
}  // namespace sweepd
