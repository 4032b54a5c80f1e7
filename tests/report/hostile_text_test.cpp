// Tests that no format lets a terminal take a text for a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runner/base/printable.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

constexpr auto kTerminalCommands = "\x1b]0;x\x07 \u009b2J \u202e <b> \x9b";

Table hostile_table() {
  Table table;
  table.title = kTerminalCommands;
  table.columns = {{kTerminalCommands, kTerminalCommands, Align::kLeft}, {"n", "", Align::kRight}};
  table.rows = {{{kTerminalCommands, {}}, {"1", 1.0, true}}};
  table.notes = {kTerminalCommands, "the one that warns"};
  table.warnings = 1;
  return table;
}

TEST(HostileText, IsPrintableInEveryFormatButCsv) {
  for (const std::string& word : format_words()) {
    const Format format = *format_from(word);
    const std::string text = render(hostile_table(), format, 80);
    if (format == Format::kCsv) {
      EXPECT_THAT(text, HasSubstr(kTerminalCommands)) << "a program wants every byte";
    } else {
      EXPECT_EQ(printable_lines(text), text) << word;
      EXPECT_THAT(text, HasSubstr("2J")) << word;
    }
  }
}

TEST(HostileText, JsonKeepsIt) {
  const auto json = nlohmann::json::parse(render(hostile_table(), Format::kJson, 0));
  EXPECT_EQ(json.at("title"), "\x1b]0;x\x07 \u009b2J \u202e <b> \ufffd");
}

}  // namespace
}  // namespace sweepd
