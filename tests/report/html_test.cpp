// Tests tables as parts of a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"

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
  EXPECT_EQ(to_html(times()), R"(<figure class="table">
<figcaption>Time &lt;of&gt; a step</figcaption>
<table class="data">
<thead><tr><th>model</th><th class="right">step (ms)</th></tr></thead>
<tbody>
<tr><td>small</td><td class="right" data-v="1.5" data-m="1"><strong>1.50<span class="mark">‡</span></strong></td></tr>
<tr><td>2.7B</td><td class="right">OOM</td></tr>
</tbody>
</table>
<details class="notes"><summary>2 notes: ‡ suspect</summary>
<ul class="notes">
<li>median of time, n = 20</li>
<li>‡ suspect &amp; more</li>
</ul>
</details>
</figure>
)");
}

TEST(Html, DetailsShowWhereTheMouseRests) {
  const Table details = with_details();
  const std::string html = to_html(times(), &details);
  EXPECT_THAT(
      html,
      AllOf(HasSubstr("data-v=\"1.5\" data-a=\"3f9c2a7b\" data-m=\"1\" title=\"n 20, suspect, "
                      "done, attempt "
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

TEST(Html, ACellNamesTheNotesOfItsMarksOrItsWord) {
  Table table = times();
  table.rows = {{{"‡", {}}, {"1.50†§", 1.5}},
                {{"OOM", {}}, {"OOM", {}}},
                {{"a", {}}, {"2.00", 2.0}},
                {{"b", {}}, {"—", {}}}};
  table.notes = {"§ the steps are not on one level", "† invalid in a: too fast",
                 "† invalid in b: no work", "OOM in OOM: 64 MiB too much", "pooled: two"};
  table.notes.insert(table.notes.begin(), "small: mean of time");
  table.warnings = 5;
  const std::string html = to_html(table);
  EXPECT_THAT(html, AllOf(HasSubstr("data-v=\"1.5\" data-m=\"1 2 3\">1.50<span class=\"mark\">†§<"),
                          HasSubstr("<td class=\"right\" data-m=\"4\">OOM<"),
                          HasSubstr("data-v=\"2\">2.00<"), HasSubstr("<td>OOM<"),
                          HasSubstr("<td class=\"right\">—<")));
  EXPECT_THAT(html,
              HasSubstr("<summary>6 notes: § unsteady, † invalid, OOM in OOM, pooled</summary>"));
}

TEST(Html, NotesFoldUnlessOneIsShort) {
  EXPECT_EQ(notes_to_html({}, 0), "");
  EXPECT_EQ(notes_to_html({"n = <1>"}, 1), "<ul class=\"notes\">\n<li>n = &lt;1&gt;</li>\n</ul>\n");
  EXPECT_THAT(notes_to_html({std::string(200, 'x')}, 0),
              HasSubstr("<details class=\"notes\"><summary>1 note</summary>"));
}

TEST(Html, NumbersAreWhole) {
  Table table = times();
  table.rows[0][1] = {"0.1", 0.1};
  EXPECT_THAT(to_html(table), HasSubstr("data-v=\"0.10000000000000001\""));
}

TEST(Html, NothingToShow) {
  Table empty;
  EXPECT_EQ(to_html(empty), "<figure class=\"table\">\n<p>No rows.</p>\n</figure>\n");
  EXPECT_EQ(render(times(), Format::kHtml, 0), to_html(times()));
  EXPECT_EQ(*format_from("html"), Format::kHtml);
}

}  // namespace
}  // namespace sweepd
