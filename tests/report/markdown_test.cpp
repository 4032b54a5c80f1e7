#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

Table hostile(std::vector<std::string> texts) {
  Table table;
  table.columns = {{"name", "", Align::kLeft}, {"time", "ms", Align::kRight}};
  for (std::string& text : texts) table.rows.push_back({{std::move(text), {}}, {"1.0", 1.0}});
  return table;
}

// Splits one line into cells as GitHub does: at every pipe without a backslash before it, where two
// backslashes are one character and escape nothing.
std::vector<std::string> github_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  cells.erase(cells.begin());  // before the first pipe
  cells.pop_back();            // after the last
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

TEST(Markdown, EscapesWhatWouldBreakTheTable) {
  Table table = hostile({"a|b", "back\\slash", "end\\", "two\nlines", "<b>", "\\|"});
  EXPECT_EQ(to_markdown(table), R"(| name        | time (ms) |
| ----------- | --------: |
| a\|b        |       1.0 |
| back\\slash |       1.0 |
| end\\       |       1.0 |
| two lines   |       1.0 |
| \<b>        |       1.0 |
| \\\|        |       1.0 |
)");
}

TEST(Markdown, WideLettersLineUp) {
  Table table = hostile({"模型", "é", "x"});
  EXPECT_EQ(to_markdown(table), R"(| name | time (ms) |
| ---- | --------: |
| 模型 |       1.0 |
| é    |       1.0 |
| x    |       1.0 |
)");
}

TEST(Markdown, WhatARendererWouldTakeForMarkup) {
  EXPECT_EQ(to_markdown(hostile({"`a", "float*", " b "})), R"(| name          | time (ms) |
| ------------- | --------: |
| \`a           |       1.0 |
| float\*       |       1.0 |
| &nbsp;b&nbsp; |       1.0 |
)");
}

TEST(Markdown, TitleAndNotes) {
  Table table = hostile({"x"});
  table.title = "a | b";
  table.notes = {"first", "second\nline"};
  EXPECT_EQ(to_markdown(table), R"(**a \| b**

| name | time (ms) |
| ---- | --------: |
| x    |       1.0 |

- first
- second line
)");
}

TEST(Markdown, NoRowsIsALineNotAnEmptyTable) {
  Table table = hostile({});
  table.title = "Step time";
  EXPECT_EQ(to_markdown(table), "**Step time**\n\nNo rows.\n");
}

TEST(Markdown, ProseIsNotPadded) {
  Table table = hostile({std::string(200, 'x'), "short"});
  for (const std::string& line : split(to_markdown(table), '\n')) EXPECT_LT(line.size(), 220u);
  EXPECT_LT(split(to_markdown(table), '\n')[3].size(), 90u);
}

TEST(Markdown, HostileTextNeverChangesTheNumberOfCells) {
  EXPECT_TRUE(rc::check([] {
    const auto letter = rc::gen::element('|', '\\', '\n', '\r', 'a', ' ', '<', '`', '\t', '\0');
    const auto texts = *rc::gen::nonEmpty<std::vector<std::string>>(
        rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(letter)));
    const auto lines = split(to_markdown(hostile(texts)), '\n');
    RC_ASSERT(lines.size() == texts.size() + 3);  // header, rule, rows, end
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      RC_ASSERT(github_cells(lines[i]).size() == 2u);
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      // Spaces at the ends are kept. Control characters are spaces, which padding absorbs.
      std::string shown = texts[i];
      const auto first = std::min(shown.find_first_not_of(' '), shown.size());
      const auto last = std::max(first, shown.find_last_not_of(' ') + 1);
      std::string expected;
      for (std::size_t k = 0; k < first; ++k) expected += "&nbsp;";
      for (std::size_t k = first; k < last; ++k) {
        expected += static_cast<unsigned char>(shown[k]) < 0x20 ? ' ' : shown[k];
      }
      for (std::size_t k = last; k < shown.size(); ++k) expected += "&nbsp;";
      RC_ASSERT(github_cells(lines[i + 2])[0] == trim(expected));
    }
  }));
}

}  // namespace
}  // namespace sweepd
