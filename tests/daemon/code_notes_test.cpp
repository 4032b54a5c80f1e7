// Tests a table's notes on the code and machine of its results, and on a mix of old and changed
// ones.
#include "runner/daemon/handlers/make_table.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class CodeNotes : public DbTest {
 protected:
  // The table of a sweep of two trials that these codes measured.
  Table table_of(const std::string& first, const std::string& second,
                 const std::vector<std::string>& machines = {"", ""}) {
    NewSweep request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
    request.reuse = Reuse::kNone;
    const auto queued = submit(request).queued;
    measure(queued.at(0), first, machines[0]);
    measure(queued.at(1), second, machines[1]);
    sweep_ = request.id;
    return table_of_sweep();
  }
  // The same table again.
  Table table_of_sweep(bool newest = false) {
    QuerySpec query;
    query.sweep = sweep_;
    query.newest = newest;
    query.table.rows = {"context"};
    const auto made = make_table(*reader_, catalog_, query);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Table{};
  }
  void measure_again(const std::vector<Settings>& points) {
    NewSweep request = sweep("again", points);
    request.reuse = Reuse::kNone;
    for (const OpenAttempt& attempt : submit(request).queued) finish(done(attempt.row, 20, 40));
  }

  void measure(const OpenAttempt& attempt, const std::string& code, const std::string& machine) {
    AttemptRecord record = done(attempt.row, 10, 20);
    record.environment->code = code;
    record.environment->version = "0.2.0";
    record.environment->machine = machine;
    finish(record);
  }
  SweepId sweep_;
};

// The table of one sweep names the code of the other's figures.
TEST_F(CodeNotes, ATableIsCaptionedWithWhatItsTrialsHaveInCommon) {
  EXPECT_EQ(table_of("aaaa", "aaaa").caption, "Test CPU; 1970-01-01; sweepd 0.2.0");
  NewSweep request = sweep("other", {{{"model", "xl"}, {"context", "1"}},
                                     {{"model", "xl"}, {"context", "2"}, {"tied", "true"}}});
  for (const OpenAttempt& attempt : submit(request).queued) measure(attempt, "aaaa", "");
  QuerySpec query;
  query.sweep = request.id;
  const auto usual = make_table(*reader_, catalog_, query);
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->caption, "model xl; Test CPU; 1970-01-01; sweepd 0.2.0");
  query.table.rows = {"context"};
  query.table.where = {{"model", {"xl"}}};
  const auto by_hand = make_table(*reader_, catalog_, query);
  ASSERT_TRUE(by_hand) << by_hand.error().message;
  EXPECT_EQ(by_hand->caption,
            "model xl; within the table: tied false, true; Test CPU; 1970-01-01; sweepd 0.2.0");
  EXPECT_THAT(by_hand->notes, Not(Contains(HasSubstr("only model"))));
  query.table.where = {{"context", {"7"}}};
  EXPECT_EQ(make_table(*reader_, catalog_, query)->caption, "");
}

// A program that reads csv gets the last `warnings` notes, so the note must be among them.
TEST_F(CodeNotes, TwoCodesAreAWarning) {
  const Table table = table_of("aaaa", "bbbb");
  ASSERT_EQ(table.warnings, 1U);
  EXPECT_THAT(table.notes.back(), HasSubstr("results of 2 versions of the code of `toy`"));
}

TEST_F(CodeNotes, TwoMachinesAreAWarning) {
  const Table table = table_of("aaaa", "aaaa", {"m1", "m2"});
  ASSERT_EQ(table.warnings, 1U);
  EXPECT_THAT(table.notes.back(), HasSubstr("it changed: 2 values of `machine`; submit the sweep"));
}

TEST_F(CodeNotes, NewerResultsAreAWarning) {
  const Table before = table_of("aaaa", "aaaa");
  measure_again({{{"context", "1"}}});
  const Table table = table_of_sweep();
  EXPECT_EQ(table.rows.at(0).at(1).text, before.rows.at(0).at(1).text);
  ASSERT_EQ(table.warnings, 1U);
  EXPECT_EQ(table.notes.back(),
            "1 point of this sweep was measured again later; `--newest` shows the newest results");
  const Table newest = table_of_sweep(true);
  EXPECT_NE(newest.rows.at(0).at(1).text, before.rows.at(0).at(1).text);
  measure_again({{{"context", "1"}}, {{"context", "2"}}});
  EXPECT_EQ(table_of_sweep(true).notes.back(),
            "2 points of this sweep were measured again later; the newest results are shown");
}

TEST_F(CodeNotes, OneIsNone) {
  EXPECT_EQ(table_of("aaaa", "aaaa", {"m1", ""}).warnings, 0U) << "an old result";
  EXPECT_EQ(table_of("aaaa", "aaaa").warnings, 0U);
}

}  // namespace
}  // namespace sweepd
