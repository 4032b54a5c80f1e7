// Tests tables as parts of a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/report.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Table times() {
  Table table;
  table.title = "Time <of> a step";
  table.columns = {{"model", "", Align::kLeft}, {"step", "ms", Align::kRight}};
  table.rows = {{{"small", {}}, {"1.50‡", 1.5, true}}, {{"2.7B", {}}, {"OOM", {}}}};
  table.notes = {"median of time, n = 20", "‡ suspect & more"};
  table.warnings = 1;
  return table;
}

Table with_details() {
  Table table = times();
  for (const char* name : {"step n", "step verdict", "step outcome", "step attempt"}) {
    table.columns.push_back({name, "", Align::kLeft});
  }
  for (const char* text : {"20", "suspect", "done", "3f9c2a7b"})
    table.rows[0].push_back({text, {}});
  for (const char* text : {"—", "", "oom", "4a000000"}) table.rows[1].push_back({text, {}});
  return table;
}

TEST(Html, ATable) {
  EXPECT_EQ(to_html(times()), R"(<figure>
<figcaption>Time &lt;of&gt; a step</figcaption>
<table class="data">
<thead><tr><th>model</th><th class="right">step (ms)</th></tr></thead>
<tbody>
<tr><td>small</td><td class="right" data-v="1.5"><strong>1.50‡</strong></td></tr>
<tr><td>2.7B</td><td class="right">OOM</td></tr>
</tbody>
</table>
<ul>
<li>median of time, n = 20</li>
<li>‡ suspect &amp; more</li>
</ul>
</figure>
)");
}

TEST(Html, DetailsShowWhereTheMouseRests) {
  const Table details = with_details();
  const std::string html = to_html(times(), &details);
  EXPECT_THAT(
      html,
      AllOf(HasSubstr("data-v=\"1.5\" data-a=\"3f9c2a7b\" title=\"n 20, suspect, done, attempt "
                      "3f9c2a7b\">"),
            HasSubstr(
                "<td class=\"right\" data-a=\"4a000000\" title=\"oom, attempt 4a000000\">OOM</td>"),
            HasSubstr("<td>small</td>"), Not(HasSubstr("<th>step n"))));
}

TEST(Html, DetailsOfAnotherTableAreIgnored) {
  Table details = with_details();
  details.rows.pop_back();
  EXPECT_EQ(to_html(times(), &details), to_html(times())) << "results arrived between the two";
  details = with_details();
  details.columns[1].name = "forward";
  EXPECT_EQ(to_html(times(), &details), to_html(times()));
  details = with_details();
  details.columns.push_back({"more", "", Align::kLeft});
  EXPECT_EQ(to_html(times(), &details), to_html(times()));
  const Table same = times();
  EXPECT_EQ(to_html(times(), &same), to_html(times())) << "no figure has details";
}

TEST(Html, NotesShowWhatIsTypedAsCode) {
  Table table = times();
  table.notes = {"`repeats: 5` and `a<b` help", "a ` alone"};
  EXPECT_THAT(to_html(table),
              AllOf(HasSubstr("<li><code>repeats: 5</code> and <code>a&lt;b</code> help</li>"),
                    HasSubstr("<li>a ` alone</li>")));
}

TEST(Html, NumbersAreWhole) {
  Table table = times();
  table.rows[0][1] = {"0.1", 0.1};
  EXPECT_THAT(to_html(table), HasSubstr("data-v=\"0.10000000000000001\""));
}

TEST(Html, NothingToShow) {
  Table empty;
  EXPECT_EQ(to_html(empty), "<figure>\n<p>No rows.</p>\n</figure>\n");
  EXPECT_EQ(render(times(), Format::kHtml, 0), to_html(times()));
  EXPECT_EQ(*format_from("html"), Format::kHtml);
}

}  // namespace
}  // namespace sweepd
