// Tests a table's notes on changes of the machine during its sweep, for any outcomes of its
// attempts and sentinels.
#include "runner/daemon/handlers/make_table.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct MatmulOfTables {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  void visit(auto& field) {
    field("size", size, "rows and columns");
    field("precision", precision, "type", one_of({"fp32", "bf16"}));
  }
};

class DriftOfTables : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    catalog_ = {{workload_def<ToyParams>("toy"), workload_def<MatmulOfTables>("matmul")}};
    reopen();
    NewSweep request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}});
    request.sweep.sentinel = seconds(60);
    sweep_ = request.id;
    queued_ = submit(request).queued;
  }
  // Runs for a second from the given second on.
  void run(const OpenAttempt& attempt, std::int64_t second, double ms, bool valid = true) {
    ASSERT_TRUE(store_->mark_started(attempt.row, WallTime{second * 1'000'000'000}, {}));
    AttemptRecord record = done(attempt.row, ms, ms, WallTime{(second + 1) * 1'000'000'000});
    if (!valid) record.judgement = Judgement{Verdict::kInvalid, {"too fast"}};
    finish(record);
  }
  void sentinels(std::int64_t from, int n, double ms) {
    for (int i = 0; i < n; ++i) {
      const auto added =
          store_->add_sentinel(queued_.at(0).watched_sweep, "cpu", WallTime{1'000'000'000});
      ASSERT_TRUE(added && *added);
      run(**added, from + 10 * i, ms);
    }
  }
  Table table(const std::string& metric = "") {
    QuerySpec query;
    query.sweep = sweep_;
    query.table.rows = {"context"};
    query.table.metric = metric;
    query.declared = true;
    const auto made = make_table(*reader_, catalog_, query);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Table{};
  }
  static std::string drift_of(const Table& table) {
    for (const std::string& note : table.notes) {
      if (note.find("the machine became") != std::string::npos) return note;
    }
    return "";
  }

  SweepId sweep_;
  std::vector<OpenAttempt> queued_;
};

TEST_F(DriftOfTables, ResultsOnBothSidesAreAWarning) {
  sentinels(1'000, 3, 10);
  run(queued_[0], 1'002, 5);
  run(queued_[1], 1'050, 5);
  sentinels(1'100, 3, 11.2);
  run(queued_[2], 1'200, 5);
  const Table made = table();
  EXPECT_THAT(drift_of(made),
              HasSubstr("12 % slower between 1970-01-01 00:17 and 00:18 UTC, by the sentinel "
                        "(`matmul`, 6 runs): 1 of the table's attempts ran before, 1 in between, "
                        "1 after"));
  EXPECT_GE(made.warnings, 1U);
  EXPECT_EQ(made.notes.back(), drift_of(made));
}

TEST_F(DriftOfTables, ResultsOnOneSideAreNone) {
  sentinels(1'000, 3, 10);
  sentinels(1'100, 3, 11.2);
  EXPECT_THAT(table().notes, Not(testing::Contains(HasSubstr("machine"))));
  for (const OpenAttempt& attempt : queued_) run(attempt, 1'200 + attempt.row, 5);
  EXPECT_THAT(drift_of(table()), IsEmpty());
}

TEST_F(DriftOfTables, SentinelsWithoutAShiftAreNone) {
  sentinels(1'000, 6, 10);
  run(queued_[0], 1'001, 5);
  run(queued_[1], 1'200, 5);
  EXPECT_THAT(drift_of(table()), IsEmpty());
}

TEST_F(DriftOfTables, FailedAndInvalidResultsDoNotCount) {
  sentinels(1'000, 3, 10);
  sentinels(1'100, 3, 11.2);
  run(queued_[0], 1'002, 5);
  run(queued_[1], 1'200, 5, /*valid=*/false);
  ASSERT_TRUE(store_->mark_started(queued_[2].row, WallTime{1'210'000'000'000}, {}));
  finish(ended(queued_[2].row, {Failed{"no", ""}}, WallTime{1'211'000'000'000}));
  EXPECT_THAT(drift_of(table()), IsEmpty());
}

TEST_F(DriftOfTables, AFormulaDoesNotDrift) {
  sentinels(1'000, 3, 10);
  run(queued_[0], 1'002, 5);
  sentinels(1'100, 3, 11.2);
  run(queued_[1], 1'200, 5);
  EXPECT_THAT(drift_of(table()), Not(IsEmpty()));
  EXPECT_THAT(drift_of(table("figure.parameters")), IsEmpty());
}

}  // namespace
}  // namespace sweepd
