// Tests that the cost of one sweep does not depend on the rest of the database. SQLite counts the
// instructions of each statement, so this needs no clock and finds a plan that walks every attempt.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

// Instructions by the text of the statement.
using Costs = std::map<std::string, std::int64_t>;

// Counts the instructions of every connection opened from now on.
class StatementCosts {
 public:
  static void begin() {
    const std::scoped_lock lock(mutex());
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&StatementCosts::opened));
  }
  static void clear() {
    const std::scoped_lock lock(mutex());
    costs().clear();
  }
  static Costs end() {
    const std::scoped_lock lock(mutex());
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&StatementCosts::opened));
    return std::exchange(costs(), {});
  }

 private:
  static int opened(sqlite3* connection, char** /*error*/, const void* /*api*/) {
    return sqlite3_trace_v2(connection, SQLITE_TRACE_PROFILE, &StatementCosts::ran, nullptr);
  }
  static int ran(unsigned /*event*/, void* /*context*/, void* statement, void* /*ns*/) {
    auto* const one = static_cast<sqlite3_stmt*>(statement);
    const std::scoped_lock lock(mutex());
    costs()[sqlite3_sql(one)] += sqlite3_stmt_status(one, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static Costs& costs() {
    static Costs all;
    return all;
  }
};

// The list of sweeps is sorted by when they were submitted, so it looks at the row of each.
bool is_list_of_sweeps(const std::string& sql) {
  return sql.ends_with("FROM sweep s ORDER BY s.submitted_ns DESC, s.id DESC LIMIT ?");
}

class CostTest : public DbTest {
 protected:
  // A sweep of these points from one seed on. The first half of them is done.
  SubmitReceipt half_done(const std::string& name, int first_seed, int points) {
    std::vector<Settings> settings;
    for (int i = 0; i < points; ++i) settings.push_back({{"seed", std::to_string(first_seed + i)}});
    NewSweep request = sweep(name, settings);
    request.sweep.passes = {Pass::kTiming};
    request.sweep.matrix.push_back({*def().index_of("seed"), {}});
    const SubmitReceipt receipt = submit(request);
    for (std::size_t i = 0; i < receipt.queued.size() / 2; ++i) measure(receipt.queued[i].row);
    return receipt;
  }

  void measure(std::int64_t row) {
    EXPECT_TRUE(store_->mark_started(row, WallTime{2'000'000'000}, Lease{}));
    finish(done(row, 10, 20));
  }

  // Ten of these sweeps stand for the rest of the database.
  void fill(int others) {
    for (int i = 0; i < others; ++i) half_done("other" + std::to_string(i), 1000 * (i + 1), 10);
  }

  template <class Asked>
  static void expect_answer(const Asked& answer) {
    EXPECT_TRUE(answer) << answer.error().message;
  }

  void live_through_a_sweep() {
    const SubmitReceipt mine = half_done("mine", 0, 12);
    expect_answer(store_->mark_queued(mine.queued[6].row));
    finish(ended(mine.queued[6].row, {Oom{}, 0}));
    expect_answer(store_->skip_beyond(mine.queued[6], WallTime{6'000'000'000}));
    expect_answer(store_->record_loss(mine.queued[7].row, WallTime{6'000'000'000}, "preempted"));
    expect_answer(store_->clocks_before(mine.queued[0].row, cpu()));
    expect_answer(store_->begin_notification(WallTime{6'000'000'000}));
    const SweepId id = reader_->find_sweep("mine")->id;
    expect_answer(store_->pause_sweeps({id}, WallTime{7'000'000'000}));
    expect_answer(store_->resume_sweeps({id}));
    expect_answer(store_->cancel_sweep(id, WallTime{8'000'000'000}));
    expect_answer(store_->retry_sweep(id, {}, WallTime{9'000'000'000}));
    half_done("mine", 0, 14);  // most of it is there
  }

  void ask_everything() {
    const auto found = reader_->find_sweep("mine");
    expect_answer(found);
    const SweepId id = found->id;
    expect_answer(reader_->sweeps(20));
    expect_answer(reader_->tables_of(id));
    expect_answer(reader_->plots_of(id));
    expect_answer(reader_->source_of(id));
    expect_answer(reader_->progress(id));
    expect_answer(reader_->is_paused(id));
    expect_answer(reader_->notification_of(id));
    expect_answer(reader_->eta(id, {}));
    const auto trials = reader_->trials_of(id, def());
    expect_answer(trials);
    expect_answer(reader_->trial_keys_of(id));
    const auto attempts = reader_->attempts_of_sweep(id, 100);
    expect_answer(attempts);
    expect_answer(reader_->last_problems(id, 10));
    const AttemptRow& first = attempts->front();
    expect_answer(reader_->attempts_of_trial(first.trial_key));
    expect_answer(reader_->find_attempt(first.id));
    expect_answer(reader_->attempt_details(first.row, true));
    expect_answer(reader_->trial_details(first.trial_key));
    expect_answer(reader_->ran_in_sweep(id, def()));
    expect_answer(reader_->what_ran({first.id}));
    expect_answer(reader_->sentinel_series());
    expect_answer(reader_->spans_of({first.id}));
    expect_answer(reader_->spans_of_sweep(id));
    ask_for_tables(id);
  }

  void ask_for_tables(const SweepId& id) {
    for (const char* cell : {"median", "mean ± std", "n", "flops/s"}) {
      QuerySpec query;
      query.sweep = id;
      query.table.rows = {"seed"};
      query.table.columns = {"phase"};
      query.table.cell = cell;
      expect_answer(reader_->results(query, false));
      expect_answer(reader_->ranks_seen(query));
      query.table.rows = {"model"};
      query.table.pool = {"seed"};
      expect_answer(reader_->results(query, false));
      expect_answer(reader_->results(query, true));
    }
  }

  // The cost of running one more attempt of a sweep of this many points, and of reading its
  // progress.
  Costs costs_of_one_of(int points) {
    TearDown();
    SetUp();
    StatementCosts::begin();
    reopen();
    const SubmitReceipt mine = half_done("mine", 0, points);
    StatementCosts::clear();
    measure(mine.queued.back().row);
    const auto found = reader_->find_sweep("mine");
    expect_answer(found);
    expect_answer(reader_->progress(found->id));
    expect_answer(reader_->is_paused(found->id));
    expect_answer(reader_->notification_of(found->id));
    expect_answer(reader_->find_attempt(mine.queued.back().id));
    expect_answer(store_->owes_notifications());
    expect_answer(store_->begin_notification(WallTime{6'000'000'000}));
    return StatementCosts::end();
  }

  static void expect_no_more(const Costs& more, const Costs& than, std::size_t statements) {
    EXPECT_GT(than.size(), statements);
    for (const auto& [sql, cost] : more) {
      if (is_list_of_sweeps(sql)) continue;
      const auto before = than.find(sql);
      const std::int64_t least = before == than.end() ? 0 : before->second;
      EXPECT_LE(cost, least + least / 4 + 100) << sql;
    }
  }

  // The cost of one sweep in a database with this many others.
  Costs costs_beside(int others) {
    TearDown();
    SetUp();
    fill(others);
    StatementCosts::begin();
    reopen();
    half_done("first", 500, 10);  // looks once for the end of the queue
    StatementCosts::clear();
    live_through_a_sweep();
    ask_everything();
    return StatementCosts::end();
  }
};

TEST_F(CostTest, OneSweepCostsAsMuchBesideMany) {
  const Costs beside_few = costs_beside(20);
  expect_no_more(costs_beside(100), beside_few, 100);
}

TEST_F(CostTest, OneAttemptCostsAsMuchInALargeSweep) {
  const Costs in_small = costs_of_one_of(20);
  expect_no_more(costs_of_one_of(400), in_small, 20);
}

}  // namespace
}  // namespace sweepd
