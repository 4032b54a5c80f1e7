#include "tests/db/store_script.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "db/upkeep/backup.h"
#include "tests/fault_seed.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

template <class T>
Result<void> outcome_of(const Result<T>& result) {
  if (!result) return result.error();
  return {};
}

// Storing an end a second time is no error of the store, but one of the script.
Result<void> ended_now(const Result<bool>& finished) {
  if (!finished) return finished.error();
  if (*finished) return {};
  return Error{ErrorCode::kInternal, "it had ended already"};
}

std::vector<std::string> column(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement statement(database, sql);
  std::vector<std::string> values;
  while (statement.executeStep()) values.push_back(statement.getColumn(0).getString());
  return values;
}

// One statement for all tables. A database of this version always has the same ones.
std::string select_everything(SQLite::Database& database, bool with_uids) {
  std::string sql;
  for (const std::string& table :
       column(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")) {
    sql += (sql.empty() ? "" : " UNION ALL ") + fmt::format("SELECT '{}'", table);
    for (const std::string& name :
         column(database, "SELECT name FROM pragma_table_info('" + table + "')")) {
      if (with_uids || name != "uid") sql += " || '|' || quote(\"" + name + "\")";
    }
    sql += " FROM \"" + table + "\"";
  }
  return sql;
}

std::string rows_of(SQLite::Database& database, bool with_uids) {
  static const std::string kWith = select_everything(database, true);
  static const std::string kWithout = select_everything(database, false);
  auto rows = column(database, with_uids ? kWith : kWithout);
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const std::string& row : rows) text += row + '\n';
  return text;
}

}  // namespace

void StoreScriptTest::SetUp() {
  DbTest::SetUp();
  EXPECT_TRUE(store_->checkpoint());
  reader_.reset();
  store_.reset();
  seed_ = fault_seed();
  random_.seed(seed_);
  const fs::path memory = "/dev/shm";
  work_ = (::access(memory.c_str(), W_OK) == 0 ? memory : folder_) / ("sweepd-disk-" + random_id());
  fs::create_directory(work_);
  make_first_steps();
  make_later_steps();
}

void StoreScriptTest::TearDown() {
  fmt::print("{} faults were tried\n", tried_);
  fs::remove_all(work_);
  DbTest::TearDown();
}

fs::path StoreScriptTest::fresh_folder() {
  fs::path folder = work_ / std::to_string(folders_++);
  fs::create_directories(folder / "copies");
  fs::copy_file(file(), database_of(folder));
  return folder;
}

Result<void> StoreScriptTest::open(ScriptedStore& scripted) const {
  scripted.store.reset();
  auto store = Store::open(scripted.file, catalog_, host_named("alpha"));
  if (!store) return store.error();
  scripted.store = std::move(*store);
  if (long_log_ > 0) scripted.store->set_long_log(long_log_);
  return {};
}

void StoreScriptTest::go_on(ScriptedStore& scripted, std::size_t first) const {
  for (std::size_t i = first; i < steps_.size(); ++i) {
    const auto done = steps_[i].run(scripted);
    ASSERT_TRUE(done) << steps_[i].name << ": " << done.error().message;
  }
}

void StoreScriptTest::add(std::string name, std::function<Result<void>(Store&)> call, bool forced) {
  steps_.push_back({std::move(name), [call](ScriptedStore& s) { return call(*s.store); }, forced});
}

void StoreScriptTest::add_submit(const NewSweep& request) {
  add("submit " + request.sweep.name,
      [request, this](Store& store) { return outcome_of(store.submit(request, def())); });
}

void StoreScriptTest::add_start(std::int64_t row) {
  const auto start = [row](Store& store) {
    return store.mark_started(row, WallTime{2'000'000'000 + row}, Lease{{{{0}, "", -1}}});
  };
  add(fmt::format("start {}", row), start, /*forced=*/false);
}

void StoreScriptTest::add_finish(const AttemptRecord& record, std::size_t from) {
  add(fmt::format("finish {}", record.row),
      [=](Store& store) { return ended_now(store.finish(record, from)); });
}

void StoreScriptTest::add_checkpoint() {
  add("checkpoint", [](Store& store) { return store.checkpoint(); });
}

void StoreScriptTest::add_restart() {
  steps_.push_back({"restart", [this](ScriptedStore& scripted) { return open(scripted); }});
}

void StoreScriptTest::add_backup() {
  steps_.push_back({"back up", [](ScriptedStore& scripted) {
                      const fs::path to = scripted.file.parent_path() / "copies" / "x.db";
                      return outcome_of(back_up(scripted.file, to, Replace::kYes));
                    }});
}

void StoreScriptTest::make_first_steps() {
  const NewSweep first =
      sweep("first", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}});
  add_submit(first);  // attempts 1 to 3
  add_start(1);
  add_finish(done(1, 10, 20));
  add_start(2);
  add("queue 2 again", [](Store& store) { return store.mark_queued(2); });
  add_start(2);
  add_start(3);
  const std::vector<AttemptRecord> both = {ended(2, {Crashed{9, std::nullopt, "forward"}, 0}),
                                           done(3, 11, 21)};
  add("finish 2 and 3", [=](Store& store) { return outcome_of(store.finish_all(both)); });
  add_checkpoint();
  add("retry first", [first](Store& store) {  // attempt 4, for the point that 2 did not measure
    return outcome_of(store.retry_sweep(first.id, {}, WallTime{6'000'000'000}));
  });
  add_start(4);
  const AttemptRecord fourth = done(4, 12, 22, WallTime{7'000'000'000});
  add("samples of 4", [=](Store& store) { return outcome_of(store.store_samples(fourth, 0)); });
  add_finish(fourth, fourth.samples.size());
}

void StoreScriptTest::make_later_steps() {
  const NewSweep second =
      sweep("second", {{{"context", "3"}}, {{"context", "4"}}, {{"context", "5"}}});
  add_submit(second);  // attempts 5 and 6; the third point is there
  add_checkpoint();
  add_start(5);
  add_restart();
  add_finish(ended(5, {Oom{Bytes{8}, Bytes{4}, Bytes{10}, "forward"}, 0}));
  add("cancel second", [second](Store& store) {
    return outcome_of(store.cancel_sweep(second.id, WallTime{8'000'000'000}));
  });
  add_backup();
  PublishedFigures figures{"paper", "of others", {ReferenceRow{}}};
  figures.rows[0].source = "1";
  figures.rows[0].metric = "time";
  add("add reference",
      [figures](Store& store) { return store.add_reference(figures, WallTime{8'500'000'000}); });
  add("delete second", [second](Store& store) {
    return outcome_of(store.delete_sweeps({second.id}, Store::Deletion::kForReal));
  });
  add_submit(sweep("third", {{{"context", "6"}}}));
  add_restart();
  // The rows of 5 and 6 were the last ones and are free again.
  add_finish(ended(5, {Failed{"no such file", "setup"}, 0}));
}

std::string StoreScriptTest::content_of(const fs::path& file, Uids uids) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  return rows_of(database, uids == Uids::kShown);
}

std::string StoreScriptTest::sound_content_of(const fs::path& file, Uids uids) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  EXPECT_THAT(column(database, "PRAGMA integrity_check"), testing::ElementsAre("ok"));
  EXPECT_THAT(column(database, "PRAGMA foreign_key_check"), testing::IsEmpty());
  EXPECT_THAT(column(database,
                     "SELECT trial || ' ' || pass FROM attempt WHERE outcome = 'done' GROUP BY "
                     "trial, pass, repeat, host HAVING count(*) > 1"),
              testing::IsEmpty())
      << "measured twice";
  expect_right_counts(file);
  return rows_of(database, uids == Uids::kShown);
}

bool StoreScriptTest::is_in_sample() {
  const char* one_in = std::getenv("SWEEPD_FAULT_ONE_IN");
  const bool tried = random_() % (one_in != nullptr ? std::stoull(one_in) : 32) == 0;
  tried_ += static_cast<std::uint64_t>(tried);
  return tried;
}

std::optional<std::size_t> StoreScriptTest::step_that_left(const std::vector<std::string>& states,
                                                           const std::string& content,
                                                           std::size_t from, std::size_t to) {
  for (std::size_t i = std::min(to, states.size() - 1) + 1; i-- > from;) {
    if (states[i] == content) return i;
  }
  return std::nullopt;
}

std::size_t StoreScriptTest::forced_before(std::size_t done) const {
  while (done > 0 && !steps_[done - 1].forced) --done;
  return done;
}

}  // namespace sweepd
