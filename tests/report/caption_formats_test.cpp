// Tests that every format has the caption with the common properties of a table's figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

Table step_table(const std::string& title = "Step time") {
  Table table;
  table.title = title;
  table.columns = {{"model", "", Align::kLeft}, {"time", "ms", Align::kRight}};
  table.rows = {{{"small", std::nullopt}, {"12.3", 12.25}}};
  table.caption = "batch 4; AMD EPYC, 2 cores; sweepd 0.2.0 <&_>";
  table.constants = {{"batch", "4"}, {"device_name", "AMD EPYC, 2 cores"}};
  return table;
}

TEST(CaptionFormats, Markdown) {
  EXPECT_THAT(
      to_markdown(step_table()),
      HasSubstr("**Step time**\nbatch 4; AMD EPYC, 2 cores; sweepd 0.2.0 \\<&_>\n\n| model"));
}

TEST(CaptionFormats, Text) {
  EXPECT_THAT(to_text(step_table(), 0),
              HasSubstr("Step time\nbatch 4; AMD EPYC, 2 cores; sweepd 0.2.0 <&_>\n\nmodel"));
  EXPECT_THAT(to_text(step_table(""), 0), testing::StartsWith("batch 4; "));
}

TEST(CaptionFormats, Html) {
  EXPECT_THAT(to_html(step_table()),
              HasSubstr("</figcaption>\n<p class=\"constants\">batch 4; AMD EPYC, 2 cores; sweepd "
                        "0.2.0 &lt;&amp;_&gt;</p>\n"));
}

TEST(CaptionFormats, Latex) {
  EXPECT_THAT(to_latex(step_table()), HasSubstr("\\caption{Step time. batch 4; AMD EPYC"));
  EXPECT_THAT(to_latex(step_table("")), HasSubstr("\\caption{batch 4; AMD EPYC"));
}

TEST(CaptionFormats, CsvHasAColumnForEachConstant) {
  EXPECT_EQ(to_csv(step_table()),
            "model,time (ms),batch,device_name\r\nsmall,12.25,4,\"AMD EPYC, 2 cores\"\r\n");
}

TEST(CaptionFormats, JsonHasTheLineAndTheConstants) {
  EXPECT_THAT(to_json_text(step_table()),
              HasSubstr("\"caption\": \"batch 4; AMD EPYC, 2 cores; sweepd 0.2.0 <&_>\",\n"
                        "  \"constants\": {\"batch\": \"4\", \"device_name\": \"AMD EPYC, 2 "
                        "cores\"},\n"));
}

}  // namespace
}  // namespace sweepd
