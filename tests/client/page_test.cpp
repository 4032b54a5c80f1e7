// Tests that a document becomes markdown and one page, and that no text becomes a script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/client/document/page.h"
#include "runner/client/document/plots.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Table one_cell(const std::string& text) {
  Table table;
  table.columns = {{"a", "ms", Align::kRight}};
  table.rows = {{{text, 1.0}}};
  return table;
}

// Returns the part between two texts.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

Document document() {
  Document document;
  document.title = "Costs & more";
  document.introduction = "What it *is*.";
  document.chapters = {
      {"First", {{"Prose with `code`."}, {"", DocumentTable{one_cell("1.0†"), std::nullopt}}}},
      {"Second", {{"- note\n"}}}};
  return document;
}

TEST(Page, Markdown) {
  EXPECT_EQ(to_markdown(document()),
            "# Costs & more\n\nWhat it *is*.\n\n## First\n\nProse with `code`.\n\n"
            "| a (ms) |\n| -----: |\n|   1.0† |\n\n## Second\n\n- note\n");
}

TEST(Page, MoreThanThreeNotesStandAtTheEnd) {
  Document long_one = document();
  Table& table = long_one.chapters[0].blocks[1].table->table;
  table.title = "Step time";
  table.notes = {"mean of time", "bold: faster", "only a|b", "pooled", "‡ suspect"};
  table.warnings = 2;
  move_notes_to_end(long_one);
  EXPECT_THAT(to_markdown(long_one),
              AllOf(HasSubstr("\n- mean of time\n- pooled\n- ‡ suspect (2 more notes: in \"All "
                              "notes\")\n\n## Second"),
                    HasSubstr("\n## All notes\n\n**Step time**\n\n- mean of time\n- bold: "
                              "faster\n- only a\\|b\n- pooled\n- ‡ suspect\n")));
  Document elsewhere = document();
  elsewhere.chapters[0].blocks[1].table->table.notes = {"a", "b", "c", "d"};
  EXPECT_EQ(keep_few_notes(elsewhere, "in writeup.html").size(), 1U);
  EXPECT_EQ(elsewhere.chapters.size(), document().chapters.size());
  EXPECT_THAT(to_markdown(elsewhere), HasSubstr("\n- c (1 more note: in writeup.html)\n"));
  Document short_one = document();
  move_notes_to_end(short_one);
  EXPECT_EQ(short_one.chapters.size(), document().chapters.size());
}

TEST(Page, ChaptersAndTables) {
  const std::string page = to_page(document());
  EXPECT_THAT(page, AllOf(HasSubstr("<title>Costs &amp; more</title>"),
                          HasSubstr("<li><a href=\"#chapter-2\">Second</a></li>"),
                          HasSubstr("<section id=\"chapter-1\">\n<h2>First</h2>"),
                          HasSubstr("data-v=\"1\">1.0<span class=\"mark\">†</span></td>"),
                          HasSubstr("<em>is</em>"), Not(HasSubstr("{{"))));
  // Nothing is loaded from anywhere.
  EXPECT_THAT(page, AllOf(Not(HasSubstr("src=")), Not(HasSubstr("http:"))));
}

TEST(Page, ABrowserRunsThePagesOwnScriptAlone) {
  const std::string page = to_page(document());
  const std::string nonce = between(page, "script-src 'nonce-", "'");
  EXPECT_EQ(nonce.size(), 32U);
  EXPECT_THAT(page, HasSubstr("<script nonce=\"" + nonce + "\">"));
  EXPECT_NE(nonce, between(to_page(document()), "script-src 'nonce-", "'"));
  EXPECT_THAT(page,
              HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src"));
}

TEST(Page, ADrawingStandsInPlaceOfItsNameAndItsNotesFold) {
  Document drawn;
  drawn.chapters = {{"Plots",
                     {{"![A](plots/a.svg)", std::nullopt, "plots/a.svg"},
                      {"", DocumentTable{one_cell("1"), std::nullopt}},
                      {"Prose."}}}};
  drawn.pictures = {{"plots/a.svg", "<svg>A</svg>", {"suspect", "pooled"}},
                    {"plots/other.svg", "<svg>other</svg>"}};
  EXPECT_THAT(to_page(drawn),
              AllOf(HasSubstr("<div class=\"row\">\n<figure class=\"drawn\"><svg>A</svg>\n"
                              "<details class=\"notes\"><summary>2 notes</summary>\n"
                              "<ul class=\"notes\">\n<li>suspect</li>\n<li>pooled</li>\n</ul>\n"
                              "</details>\n</figure>\n<figure class=\"table\">"),
                    HasSubstr("</figure>\n</div>\n<p>Prose.</p>"), Not(HasSubstr("<svg>other"))));
  drawn.chapters = {{"Prose", {{"Before.\n\n![The other](plots/other.svg)\n\nAfter."}}}};
  EXPECT_THAT(to_page(drawn), HasSubstr("<p>Before.</p>\n<figure class=\"drawn\"><svg>other</svg>\n"
                                        "</figure>\n<p>After.</p>"));
  drawn.chapters = {{"Far", {{"![Far](http://far.example/b.svg)\n"}}}};
  EXPECT_THAT(to_page(drawn), HasSubstr("default-src 'none'")) << "so that it is not loaded";
}

TEST(Page, BeginsWithItsFindingsAndItsMainPlot) {
  Document told = document();
  EXPECT_THAT(to_page(told), AllOf(Not(HasSubstr("\"findings\"")), Not(HasSubstr("\"drawn\""))));
  told.findings = {"bf16 is *faster*.", "Two.", "Three.", "Four."};
  told.pictures = {{"plots/a.svg", "<svg>A</svg>"}, {"plots/b.svg", "<svg>B</svg>"}};
  const std::string first = between(to_page(told), "<header>", "</header>");
  EXPECT_THAT(first, AllOf(HasSubstr("<div class=\"findings\">\n<ul>\n<li>bf16 is "
                                     "<em>faster</em>.</li>"),
                           HasSubstr("Three."), Not(HasSubstr("Four.")),
                           HasSubstr("<figure class=\"drawn\"><svg>A</svg>")));
  told.lead = "plots/b.svg";
  EXPECT_THAT(between(to_page(told), "<header>", "</header>"), HasSubstr("<svg>B</svg>"));
}

TEST(Page, NoTextBecomesAScript) {
  const std::string script = "<script>alert(1)</script>";
  Document hostile;
  hostile.title = hostile.introduction = script;
  Table table = one_cell("\" onmouseover=\"alert(1)");
  table.title = script;
  table.columns[0].name = table.columns[0].unit = script;
  for (const char* text : {"<script>alert(1)</script>", "[x](javascript:alert(1))",
                           "<img src=x onerror=alert(1)>", "</table><script>alert(1)</script>"}) {
    table.rows.push_back({{text, {}}});
  }
  table.notes = {script};
  hostile.chapters = {
      {script, {{script + "\n\n[x](javascript:alert(1))\n"}, {"", DocumentTable{table, table}}}},
      {"Code", {{as_code("```\n</code>" + script)}}}};
  Plot plot;
  plot.title = plot.caption = "</title></svg>" + script + "](x)";
  plot.shape.x = "a";
  plot.data.columns = {{script, "", Align::kLeft}, {script, script, Align::kRight}};
  for (const char* word : {"n", "verdict", "outcome", "attempt"}) {
    plot.data.columns.push_back({word, "", Align::kLeft});
  }
  plot.data.rows = {
      {{script, {}}, {"1", 1.0}, {script, {}}, {script, {}}, {script, {}}, {script, {}}},
      {{"b", {}}, {script, {}}, {"", {}}, {"", {}}, {"", {}}, {"", {}}}};
  plot.data.notes = {script};
  plot.data.warnings = 1;
  DocumentPlots plots;
  hostile.chapters.push_back({"Plot", {plots.add(script, plot)}});
  hostile.findings = {script};
  hostile.pictures = plots.take();
  const std::string page = to_page(hostile);
  EXPECT_THAT(page, HasSubstr("<svg class=\"plot\""));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<img")),
                          Not(HasSubstr("\"javascript:alert")), Not(HasSubstr("=\"alert"))));
  EXPECT_THAT(page, HasSubstr("<h2>&lt;script&gt;alert(1)&lt;/script&gt;</h2>"));
}

TEST(Page, AStoryIsATemplateWithItsSamplesAndTables) {
  Document told = document();
  DocumentStory story;
  story.attempt = "0123456789abcdef";
  story.title = "timing, done";
  story.label = "axpy size=4";
  story.why = "<b>why</b>";
  story.samples = {{"step time (ms)", {9}, {1.5, 2}, 4}};
  story.timelines = {"<svg>memory</svg>"};
  story.folded = {one_cell("<i>1</i>")};
  story.folded[0].title = "Facts";
  story.also = {"fedcba9876543210"};
  told.stories = {story};
  const std::string page = to_page(told);
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("<template id=\"story-0123456789abcdef\" data-also=\"fedcba9876543210\">"),
            HasSubstr("<h3>Attempt 01234567: timing, done</h3>"), HasSubstr("axpy size=4"),
            HasSubstr("&lt;b&gt;why&lt;/b&gt;"),
            HasSubstr("data-name=\"step time (ms)\" data-of=\"4\" data-warmup=\"[9]\" "
                      "data-measured=\"[1.5,2]\""),
            HasSubstr("<figure class=\"drawn\"><svg>memory</svg></figure>"),
            HasSubstr("<summary>Facts</summary>"), HasSubstr("&lt;i&gt;1&lt;/i&gt;"),
            Not(HasSubstr("<figcaption>Facts"))));
}

}  // namespace
}  // namespace sweepd
