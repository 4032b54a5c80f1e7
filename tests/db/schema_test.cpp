// Tests migrations, the catalog's columns and views, and whose file it is.
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "db/base/catalog_tables.h"
#include "db/base/migrate.h"
#include "runner/base/hash.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

void execute(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

TEST_F(DbTest, TheFileSaysWhoseItIs) {
  EXPECT_THAT(sql("SELECT application_id, user_version, journal_mode FROM "
                  "pragma_application_id, pragma_user_version, pragma_journal_mode"),
              ElementsAre(std::to_string(0x73776570) + "|39|wal"));
}

TEST_F(DbTest, EveryTableIsStrict) {
  EXPECT_THAT(sql("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
                  "NOT strict AND name NOT LIKE 'sqlite_%'"),
              testing::IsEmpty());
}

TEST_F(DbTest, ADatabaseOfANewerProgramIsRefused) {
  store_.reset();
  reader_.reset();
  // The next version, which any migration makes, is newer too.
  const int next = embedded_migrations().back().version + 1;
  execute(file(), "PRAGMA user_version = " + std::to_string(next));
  EXPECT_FALSE(Store::open(file(), catalog_, host_named("alpha")));
  execute(file(), "PRAGMA user_version = 99");
  const auto store = Store::open(file(), catalog_, host_named("alpha"));
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(store.error().message, HasSubstr("version 99, written by a newer sweepd"));
  const auto reader = Reader::open(file(), catalog_);
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("version 99"));
}

TEST_F(DbTest, SomebodyElsesDatabaseIsLeftAlone) {
  const auto other = folder_ / "other.db";
  execute(other, "CREATE TABLE precious (x)");
  const auto store = Store::open(other, catalog_, host_named("alpha"));
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("not one of sweepd"));
  std::ofstream(folder_ / "text.db") << "This is no database, but a text of some length.\n";
  const auto text = Store::open(folder_ / "text.db", catalog_, host_named("alpha"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("not a database"));
}

TEST_F(DbTest, AMissingDatabaseIsNotMadeByAReader) {
  const auto reader = Reader::open(folder_ / "none.db", catalog_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(DbTest, AMigrationIsThereWholeOrNotAtAll) {
  const auto path = folder_ / "m.db";
  const Migration one{1, "one", "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);"};
  const Migration broken{2, "broken",
                         "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO c VALUES (1)"};
  const Migration dangling{2, "dangling",
                           "CREATE TABLE d (x INTEGER REFERENCES e (id)) STRICT; "
                           "CREATE TABLE e (id INTEGER PRIMARY KEY) STRICT; "
                           "INSERT INTO d VALUES (7)"};
  const Migration two{2, "two", "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 5"};
  Connection connection(path, Access::kReadWrite);
  const auto rows = [&](const std::string& statement) {
    return connection.database().execAndGet(statement).getString();
  };
  ASSERT_TRUE(migrate(connection, std::vector{one}));
  for (const Migration& bad : {broken, dangling}) {
    const auto failed = migrate(connection, std::vector{one, bad});
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr("0002_" + std::string(bad.name)));
    EXPECT_EQ(rows("PRAGMA user_version"), "1");
    EXPECT_EQ(rows("SELECT group_concat(name) FROM sqlite_schema"), "a");
  }
  ASSERT_TRUE(migrate(connection, std::vector{one, two}));
  EXPECT_EQ(rows("SELECT x || y FROM a"), "15");
  ASSERT_TRUE(migrate(connection, std::vector{one, two}));  // nothing left to do
  EXPECT_EQ(rows("PRAGMA foreign_keys"), "1");
}

struct GrownParams : ToyParams {
  std::string attention = "naive";
  double dropout = 0.25;
  void visit(auto& field) {
    ToyParams::visit(field);
    field("attention", attention, "how", one_of({"naive", "it's flash"}));
    field("dropout", dropout, "share");
  }
};

// A database that has run one would never see the change, and the tests of older versions, which
// run today's text, would not either.
TEST(Migrations, AreNotEditedOncePublished) {
  std::map<std::string, std::string> published;
  std::ifstream list(std::string(SWEEPD_FROZEN_FOLDER) + "/migrations.txt");
  for (std::string line; std::getline(list, line);) {
    const std::size_t space = line.find(' ');
    if (!line.starts_with('#')) published[line.substr(0, space)] = line.substr(space + 1);
  }
  const std::filesystem::path folder(std::string(SWEEPD_SOURCE_FOLDER) + "/db/migrations");
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::string name = entry.path().filename();
    EXPECT_EQ(published[name], hash128(text))
        << "a published migration is never edited: write another; a new one is added to "
           "tests/db/frozen/migrations.txt: "
        << name << " " << hash128(text);
    ++found;
  }
  EXPECT_EQ(found, published.size());
}

TEST_F(DbTest, ANewParameterGrowsAColumnWithItsDefault) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  finish(done(row, 10, 20));
  catalog_ = {{workload_def<GrownParams>("toy")}};
  reopen();
  // The old trial was measured with the present default, so its key is the same and it is reused.
  const auto again =
      submit(sweep("s", {{{"model", "xl"}}, {{"model", "xl"}, {"attention", "it's flash"}}}));
  EXPECT_EQ(again.attempts_reused, 1);
  EXPECT_EQ(again.attempts_queued, 1);
  EXPECT_THAT(sql("SELECT model, attention, dropout, median FROM toy WHERE phase = 'step'"),
              ElementsAre("xl|naive|0.25|30.0"));
  const auto found =
      reader_->attempts_of_sweep(again.queued.empty() ? ""
                                                      : sql("SELECT uid FROM "
                                                            "sweep ORDER BY id DESC")[0],
                                 0);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at(1).label, "attention=it's flash model=xl");

  // A build without the parameter again: the column stays, and the trials can still be read.
  catalog_ = toy_catalog();
  reopen();
  EXPECT_THAT(sql("SELECT count(*) FROM pragma_table_info('params_toy') WHERE name = 'attention'"),
              ElementsAre("1"));
  EXPECT_THAT(sql("SELECT name FROM pragma_table_info('toy')"),
              testing::Not(Contains("attention")));  // views follow the catalog
  submit(sweep("s", {{{"model", "large"}}}));
}

struct ClashingParams {
  std::int64_t mean = 7;
  std::string host = "x";
  void visit(auto& field) {
    field("mean", mean, "called like a statistic");
    field("host", host, "called like a column");
  }
};

TEST_F(DbTest, AParameterNamedLikeAColumnOfTheViewStepsAside) {
  catalog_ = {{workload_def<ClashingParams>("toy2")}};
  reopen();
  EXPECT_THAT(sql("SELECT name FROM pragma_table_info('toy2') LIMIT 2"),
              ElementsAre("param_mean", "param_host"));
}

struct ChangedParams {
  double context = 1;
  void visit(auto& field) { field("context", context, "a real now"); }
};

TEST_F(DbTest, AParameterThatChangedItsTypeIsRefusedByName) {
  catalog_ = {{workload_def<ChangedParams>("toy")}};
  const auto store = Store::open(file(), catalog_, host_named("alpha"));
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message,
              HasSubstr("parameter `context` of workload `toy` is real now, but its column holds "
                        "INTEGER"));
}

TEST_F(DbTest, AWorkloadNamedLikeATableIsRefused) {
  for (const std::string name : {"memory", "sample", "attempts"}) {
    const auto store =
        Store::open(file(), Catalog{{workload_def<ToyParams>(name)}}, host_named("alpha"));
    ASSERT_FALSE(store) << name;
    EXPECT_THAT(store.error().message, HasSubstr("rename the workload"));
  }
}

// Makes the database that is frozen when a version is released; docs/DATABASE.md says how to dump
// it. Run it by hand: test_db --gtest_also_run_disabled_tests --gtest_filter=*WriteWhatIsFrozen
TEST_F(DbTest, DISABLED_WriteWhatIsFrozen) {
  auto request = sweep("frozen", {{{"model", "xl"}},
                                  {{"model", "xl"}, {"context", "256"}},
                                  {{"model", "xl"}, {"context", "512"}}});
  request.id = "f00df00df00df00d";
  TableSpec table;
  table.rows = {"context"};
  table.where = {{"phase", {"forward", "step"}}};
  request.sweep.tables = {table};
  const auto queued = submit(request).queued;
  ASSERT_TRUE(store_->mark_started(queued[0].row, WallTime{1}, Lease{{{{0, 1}, "", -1}}}));
  AttemptRecord record = done(queued[0].row, 10, 20);
  record.memory = {{0, "step", 1_MiB, 2_MiB, 8_MiB, 16_MiB, 32_MiB}};
  record.facts = {{0, "logits.dtype", std::nullopt, "float32"}};
  record.states = {DeviceState{}};
  record.judgement = {Verdict::kSuspect, {"load 9.0 of 4 cores"}};
  finish(record);
  finish(ended(queued[1].row, {Oom{1_GiB, 2_GiB, 4_GiB, "backward"}, 0}));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {5e10, 0}, {}, queued[0].row));
  const char* target = std::getenv("SWEEPD_FREEZE");
  ASSERT_NE(target, nullptr) << "set SWEEPD_FREEZE to the file to write";
  execute(file(), "VACUUM INTO '" + std::string(target) + "'");
}

}  // namespace
}  // namespace sweepd
