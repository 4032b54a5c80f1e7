// Tests tables that draw on several sweeps, and published figures beside measured ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kTwoSources =
    "sweep: first\nworkload: noop\nparams: {warmup: 0}\nmatrix: {steps: [3, 4]}\n"
    "tables:\n"
    "  - {title: Both, from: [first, second], rows: [sweep, steps, size], cell: '{n}'}\n"
    "  - {title: Own, rows: [steps], cell: '{n}'}\n"
    "---\n"
    "sweep: second\nworkload: axpy\nparams: {warmup: 0}\nmatrix: {steps: [5], size: [8, 16]}\n"
    "tables: [{title: Never, from: [second, nobody], rows: [sweep, size], cell: '{n}'}]\n";

TEST(TableFrom, ShowsSweepsOfSeveralWorkloads) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoSources).exit_code, 0);
  const Ran report = box.ctl({"report", "first", "--table", "Both"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("| first  |     3 |    — |    3 |\n"
                                    "| first  |     4 |    — |    4 |\n"
                                    "| second |     5 |    8 |    5 |\n"
                                    "| second |     5 |   16 |    5 |\n"));
  EXPECT_THAT(box.ctl({"report", "first", "--table", "Own"}).out, Not(HasSubstr("5 |")));
  const Ran never = box.ctl({"report", "second"});
  EXPECT_THAT(never.out, AllOf(HasSubstr("| second |    8 |    5 |"), HasSubstr("sweep `nobody`")));
  const Ran query =
      box.ctl({"query", "--sweep", "first,second", "--rows", "sweep,steps,size", "--cell", "{n}"});
  EXPECT_THAT(query.out, AllOf(HasSubstr("first"), HasSubstr("second"))) << query.err;
}

// A sweep that shares its attempts with another adds none to their cells. Of one that never ran the
// workload is not known, and so are its columns not.
TEST(TableFrom, CountsASharedAttemptOnceAndSaysWhatItPoolsOrLacks) {
  const Sandbox box;
  const std::string same = "workload: noop\nparams: {warmup: 0, steps: 3}\n";
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: a\n" + same + "---\nsweep: b\n" + same +
                        "tables: [{title: T, from: [a, b], rows: [steps], cell: '{n}'}]\n")
                .exit_code,
            0);
  const Ran once = box.ctl({"report", "b"});
  EXPECT_THAT(once.out, AllOf(HasSubstr("|     3 |    3 |"), Not(HasSubstr("pool"))));
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: c\nworkload: noop\nparams: {warmup: 0, steps: 3}\n---\n"
                    "sweep: d\nworkload: axpy\nparams: {warmup: 0, steps: 3}\n"
                    "tables: [{title: T, from: [c, d], rows: [steps], cell: '{n}'}]\n")
                .exit_code,
            0);
  EXPECT_THAT(box.ctl({"report", "d"}).out, HasSubstr("warning: 1 cell pools sweep (c, d)"));
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: here\nworkload: noop\nparams: {warmup: 0}\nmatrix: {steps: [3, 4]}\n"
                    "tables:\n"
                    "  - {title: Later, from: [later], rows: [size], "
                    "columns: [steps], cell: '{n}'}\n"
                    "  - {title: Some, from: [here, later], rows: [steps, size], cell: '{n}'}\n"
                    "  - {title: Own, rows: [steps], cell: '{n}'}\n")
                .exit_code,
            0);
  const Ran here = box.ctl({"report", "here"});
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_THAT(
      here.out,
      AllOf(HasSubstr("No rows.\n\n- only results with sweep later\n- no result has sweep `later`"),
            HasSubstr("|     3 | —    |    3 |"), HasSubstr("**Own**")));
}

constexpr auto kPublished =
    "source,workload,metric,unit,value,std,n,steps,phase\n"
    "book,noop,time,s,0.002,0.0005,10,3,step\n"
    "book,noop,time,s,0.004,,,9,step\n"
    "blog,noop,time,us,5,,,3,step\n"
    "blog,,weight,kg,7,,,,\n";
constexpr auto kSweep =
    "sweep: s\nworkload: noop\nparams: {warmup: 0, sleep: 20ms}\nmatrix: {steps: [3, 4]}\n"
    "tables:\n"
    "  - {title: Measured, rows: [steps], cell: '{n}'}\n"
    "  - {title: Beside, rows: [steps], columns: [source], unit: ms, cell: '{n}'}\n"
    "  - {title: Published, rows: [steps], where: {source: [book, blog]}, columns: [source], unit: "
    "ms, cell: '{mean:.3f}'}\n"
    "  - {title: Against, rows: [steps], where: {source: measured}, baseline: {source: book}, "
    "cell: '{baseline:.1f}'}\n";

class ReferenceTest : public testing::Test {
 protected:
  ReferenceTest() {
    file = box.write("figures.csv", kPublished);
    box.write("figures.yaml",
              "reference: figures\ndescription: of a book and a blog\n"
              "rules:\n  - {when: {source: blog}, doubt: nobody knows how}\n"
              "  - {when: {value: '0.004'}, doubt: above the peak, invalid: true}\n");
  }
  std::string table(const std::string& title) {
    return box.ctl({"report", "s", "--table", title}).out;
  }

  const Sandbox box;
  std::string file;
};

TEST_F(ReferenceTest, IsAddedListedAndRemoved) {
  const Ran added = box.ctl({"reference", "add", file});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_EQ(
      added.out,
      "reference figures: 4 figures, 3 for tables, 3 with something wrong; sources blog, book\n");
  EXPECT_EQ(box.ctl({"reference", "add", file}).exit_code, 0);
  EXPECT_EQ(box.sql("select count(*) from reference_row"), "4") << "the same again replaces it";
  EXPECT_THAT(box.ctl({"reference", "list"}).out,
              AllOf(HasSubstr("figures"), HasSubstr("blog, book")));
  EXPECT_EQ(box.ctl({"reference", "remove", "figures"}).out,
            "reference figures: 4 figures removed\n");
  EXPECT_EQ(box.ctl({"reference", "remove", "figures"}).exit_code, 3);
  EXPECT_EQ(box.sql("select count(*) from reference_param"), "0");

  // A file with mistakes adds nothing.
  box.write("figures.csv", std::string(kPublished) + "book,noop,time,s,1,,,many,step\n");
  const Ran wrong = box.ctl({"reference", "add", file});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("figures.csv:6:1: error: steps: "));
  box.write("figures.csv", "source,workload,metric,unit,value\nbook,noop,time,GB,1\n");
  EXPECT_THAT(box.ctl({"reference", "add", file}).err, HasSubstr("figures.csv:2:1: error: time: "));
  EXPECT_THAT(box.ctl({"reference", "add", "none.csv"}).err, HasSubstr("cannot read `none.csv`"));
  EXPECT_THAT(box.ctl({"reference", "list"}).out, Not(HasSubstr("figures.csv")));
}

TEST_F(ReferenceTest, BesideMeasuredOnesAndAsTheirBaselineWhereATableAsksForThem) {
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kSweep).exit_code, 0);
  EXPECT_THAT(table("Beside"),
              AllOf(HasSubstr("| steps | measured |"), HasSubstr("|     3 |       ")));
  const std::string measured = table("Measured");
  const std::string query = box.ctl({"query", "noop", "--rows", "steps", "--cell", "{n}"}).out;
  ASSERT_EQ(box.ctl({"reference", "add", file}).exit_code, 0);
  EXPECT_EQ(table("Measured"), measured);
  EXPECT_EQ(box.ctl({"query", "noop", "--rows", "steps", "--cell", "{n}"}).out, query);
  EXPECT_EQ(box.sql("select count(*) from attempt"), "2");
  const std::string beside = table("Beside");
  EXPECT_THAT(beside, AllOf(HasSubstr("measured"), HasSubstr("book"), HasSubstr("blog"),
                            HasSubstr("|     9 |")));
  const std::string published = table("Published");
  EXPECT_THAT(published, AllOf(HasSubstr("2.000"), HasSubstr("0.005‡"), HasSubstr("4.000†"),
                               HasSubstr("blog: nobody knows how"),
                               HasSubstr("book: above the peak"), Not(HasSubstr("measured"))));
  EXPECT_THAT(table("Against"), AllOf(HasSubstr("|     3 |"), HasSubstr("2.0"),
                                      HasSubstr("|     4 |"), HasSubstr("—")));
}

#if SWEEPD_WITH_TORCH
TEST(ShippedReference, IsAddedWhole) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran =
      box.ctl({"reference", "add", std::string(EXPERIMENTS) + "/reference/writeups.csv"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("reference writeups: 2,172 figures, 1,728 for tables"));
  // Published in the first of the texts.
  EXPECT_EQ(
      box.sql(
          "select round(r.value, 3) from reference_row r join reference_param m on m.row = r.id "
          "and m.value = 'xl' "
          "join reference_param p on p.row = r.id and p.name = 'mode' and p.value = 'forward' "
          "join reference_param w on w.row = r.id and w.name = 'warmup' and w.value = '5' "
          "where source = '000' and metric = 'time'"),
      "127.482");
  // A source is one way of running: its name identifies it, and it has no figure of another.
  const auto value = [&](const std::string& source, const std::string& workload,
                         const std::string& where) {
    return box.sql(
        "select round(r.value, 3) from reference_row r where r.metric = 'time' and r.source = '" +
        source + "' and r.workload = '" + workload + "' and " + where);
  };
  const auto with = [](const std::string& name, const std::string& is) {
    return "exists (select 1 from reference_param p where p.row = r.id and p.name = '" + name +
           "' and p.value = '" + is + "')";
  };
  const std::string step = with("model", "small") + " and " + with("mode", "forward_backward");
  EXPECT_EQ(value("001 compiled", "lm_step", step), "55.8");
  EXPECT_EQ(value("001 eager", "lm_step", step), "81.8");
  const std::string shape =
      with("d_head", "16") + " and " + with("sequence", "256") + " and r.phase = 'forward'";
  EXPECT_EQ(value("003 compiled", "attention", shape), "0.3");
  EXPECT_EQ(value("003 eager", "attention", shape), "0.22");
  EXPECT_EQ(
      box.sql("select r.source from reference_row r join reference_param p on p.row = r.id where "
              "p.name in ('precision', 'compile') and r.metric in ('time', 'peak_allocated_bytes') "
              "group by r.source, r.workload, p.name having count(distinct p.value) > 1"),
      "");
  EXPECT_EQ(box.sql("select count(*) from reference_doubt where is_remark = 0 and text like "
                    "'%device is not%'"),
            "0");
}
#endif

}  // namespace
}  // namespace sweepd::e2e
