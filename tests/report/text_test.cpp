#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runner/base/text.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

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

TEST(Text, LongTextGoesOnBelow) {
  Table table;
  table.columns = {
      {"attempt", "", Align::kLeft}, {"detail", "", Align::kLeft}, {"time", "ms", Align::kRight}};
  table.rows = {{{"1f2e3d4c", {}}, {"out of memory: asked for 1.50 GiB", {}}, {"1234.5", {}}}};
  EXPECT_EQ(to_text(table, 40), R"(attempt   detail               time (ms)
────────  ───────────────────  ─────────
1f2e3d4c  out of memory:          1234.5
          asked for 1.50 GiB
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

TEST(Text, WrapsAtSpacesAndBetweenLetters) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(report::wrap("abcdef", 6), Lines{"abcdef"});
  EXPECT_EQ(report::wrap("", 6), Lines{""});
  EXPECT_EQ(report::wrap("out of memory", 6), (Lines{"out of", "memory"}));
  EXPECT_EQ(report::wrap("out of memory", 7), (Lines{"out of", "memory"}));
  EXPECT_EQ(report::wrap("a forward_backward", 8), (Lines{"a", "forward_", "backward"}));
  EXPECT_EQ(report::wrap("±±±±±±", 4), (Lines{"±±±±", "±±"}));
  EXPECT_EQ(report::wrap("模型模", 5), (Lines{"模型", "模"}));  // two columns each
  EXPECT_EQ(report::wrap("模型", 1), (Lines{"模", "型"}));  // a letter that is wider than the line
}

// At any width, numbers are printed in full, and lines fit unless a single column cannot.
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
