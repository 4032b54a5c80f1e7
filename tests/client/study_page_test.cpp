// Tests that a study's document becomes one page, and that no text becomes a script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/client/study/page.h"
#include "runner/client/study/study_plan.h"
#include "runner/client/study/total_progress.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

StudyDocument document() {
  StudyDocument document;
  document.title = "Costs & more";
  document.introduction = "What it *is*.";
  document.chapters = {{"First", "Prose with `code`.\n\n| a | b |\n| - | -: |\n| x\\|y | 1.0† |\n"},
                       {"Second", "- note\n"}};
  return document;
}

TEST(StudyDocument, Markdown) {
  EXPECT_EQ(
      to_markdown(document()),
      "# Costs & more\n\nWhat it *is*.\n\n## First\n\nProse with `code`.\n\n| a | b |\n| - | -: "
      "|\n| x\\|y | 1.0† |\n\n## Second\n\n- note\n");
}

TEST(StudyPage, ChaptersAndTables) {
  const std::string page = to_page(document());
  EXPECT_THAT(page, AllOf(HasSubstr("<title>Costs &amp; more</title>"),
                          HasSubstr("<li><a href=\"#chapter-2\">Second</a></li>"),
                          HasSubstr("<section id=\"chapter-1\">\n<h2>First</h2>"),
                          HasSubstr("<td>x|y</td>"), HasSubstr("<td align=\"right\">1.0†</td>"),
                          HasSubstr("<em>is</em>"), Not(HasSubstr("{{"))));
  // Nothing is loaded from anywhere.
  EXPECT_THAT(page,
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("src=")), Not(HasSubstr("http"))));
}

TEST(StudyPage, HasItsPicturesAndLoadsNoOther) {
  StudyDocument drawn;
  drawn.chapters = {{"Plots", "![A & B](plots/a.svg)\n\n![Far](http://far.example/b.svg)\n"}};
  drawn.pictures = {{"plots/a.svg", "<svg title=\"50 % & 1#\">\n\u00b5</svg>"}};
  const std::string page = to_page(drawn);
  EXPECT_THAT(page, HasSubstr("<img src=\"data:image/svg+xml;charset=utf-8,%3Csvg title=%2250 %25 "
                              "%26 1%23%22%3E%0A\u00b5%3C/svg%3E\" alt=\"A &amp; B\""));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; "
                              "img-src data:\""));
}

TEST(StudyPage, NoTextBecomesAScript) {
  const std::string script = "<script>alert(1)</script>";
  StudyDocument hostile;
  hostile.title = hostile.introduction = script;
  Table table;
  table.title = script;
  table.columns = {{script, "", Align::kLeft}};
  table.rows = {
      {{script, {}}}, {{"[x](javascript:alert(1))", {}}}, {{"<img src=x onerror=alert(1)>", {}}}};
  table.notes = {script};
  hostile.chapters = {
      {script, script + "\n\n" + to_markdown(table) + "\n[x](javascript:alert(1))\n"}};
  const std::string page = to_page(hostile);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<img")),
                          Not(HasSubstr("javascript:alert"))));
  EXPECT_THAT(page, HasSubstr("<h2>&lt;script&gt;alert(1)&lt;/script&gt;</h2>"));
}

rpc::Progress progress(std::int64_t done, std::int64_t total, std::optional<Duration> left) {
  rpc::Progress one;
  one.counts.total = total;
  one.counts.ended = done;
  one.counts.by_outcome[static_cast<std::size_t>(Outcome::kDone)] = done;
  one.left = left;
  one.over = done == total;
  return one;
}

TEST(StudyProgress, AddsUp) {
  std::map<std::string, rpc::Progress> all{{"a", progress(2, 3, seconds(5))},
                                           {"b", progress(4, 4, std::nullopt)}};
  rpc::Progress total = total_of(all);
  EXPECT_EQ(total.counts.total, 7);
  EXPECT_EQ(total.counts.done(), 6);
  EXPECT_EQ(total.left, seconds(5)) << "b has ended, so its time is not needed";
  EXPECT_FALSE(total.over);
  all["c"] = progress(0, 1, std::nullopt);
  EXPECT_FALSE(total_of(all).left) << "nobody knows how long c takes";
  rpc::RunningEntry run;
  run.attempt = "x";
  all["a"].running = all["c"].running = {run};
  EXPECT_EQ(total_of(all).running.size(), 1U) << "an attempt that two sweeps wait for runs once";
  EXPECT_TRUE(total_of({{"b", progress(4, 4, std::nullopt)}}).over);
}

TEST(StudyPlan, OneRowASweepAndTheSum) {
  rpc::SweepPlan known, unknown;
  known.name = "known";
  known.trials = 2;
  known.to_run = 4;
  known.reused = 1;
  known.time.total = seconds(90);
  unknown.name = "unknown";
  unknown.trials = 3;
  unknown.to_run = 3;
  Study study;
  study.name = "s";
  study.scale = "small";
  const Table table = study_plan(study, {{{known}}, {{unknown}}});
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.rows) {
    for (std::vector<std::string>& line = texts.emplace_back(); const Cell& cell : row) {
      line.push_back(cell.text);
    }
  }
  using Line = std::vector<std::string>;
  EXPECT_THAT(texts, testing::ElementsAre(Line{"known", "2", "4", "1", "0", "1m 30s"},
                                          Line{"unknown", "3", "3", "0", "0", "?"},
                                          Line{"all", "5", "7", "1", "0", "at least 1m 30s"}));
  EXPECT_EQ(table.title, "s at scale small");
  EXPECT_THAT(table.notes,
              testing::ElementsAre(HasSubstr("3 of 7 attempts to run have no estimate")));
}

}  // namespace
}  // namespace sweepd
