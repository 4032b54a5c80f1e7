// Merges databases of other builds, and refuses other files.
#include "tests/db/merge_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct GrownToyParams : ToyParams {
  std::int64_t heads = 8;
  void visit(auto& field) {
    ToyParams::visit(field);
    field("heads", heads, "a parameter of a newer build");
  }
};

TEST_F(MergeTest, ANewerBuildsParametersAndWorkloadsComeAlong) {
  const Catalog newer{{workload_def<ToyParams>("extra"), workload_def<GrownToyParams>("toy")}};
  Site there = site("gamma", newer);
  NewSweep request = sweep("wide", {});
  Trial trial = default_trial(newer.workloads[1]);
  trial.values[*newer.workloads[1].index_of("heads")] = std::int64_t{16};
  request.trials = {{key_of(newer.workloads[1], trial), trial}};
  ASSERT_TRUE(there.store->submit(request, newer.workloads[1]));
  measure(ours_, "here", {{{"model", "small"}}});
  merged(ours_, there);
  EXPECT_THAT(rows(ours_.file, "select model, heads from params_toy"),
              ElementsAre("small|16", "small|8"));
  EXPECT_THAT(rows(ours_.file, "select count(*) from params_extra"), ElementsAre("0"));
}

TEST_F(MergeTest, AnOlderBuildsTrialsGetTheDefaults) {
  measure(theirs_, "there", {{{"model", "large"}}});
  Site here = site("delta", Catalog{{workload_def<GrownToyParams>("toy")}});
  merged(here, theirs_);
  EXPECT_THAT(rows(here.file, "select model, heads from params_toy"), ElementsAre("large|8"));
}

TEST_F(MergeTest, AnOlderDatabaseIsMigratedInACopy) {
  const auto old = folder_ / "old.db";
  SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec(slurp(std::filesystem::path(SWEEPD_FROZEN_FOLDER) / "0001.sql"));
  const std::string bytes = slurp(old);
  const auto receipt = merge(ours_, old);
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_GT(receipt->attempts.brought, 0);
  EXPECT_EQ(slurp(old), bytes) << "the original is only read";
}

// A view may never end, and the migration would read it.
TEST_F(MergeTest, AViewInPlaceOfAnOlderTableIsRefused) {
  const auto old = folder_ / "old.db";
  SQLite::Database database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(slurp(std::filesystem::path(SWEEPD_FROZEN_FOLDER) / "0001.sql"));
  database.exec(
      "drop table sweep_table_filter; create view sweep_table_filter as with recursive r(n) as "
      "(select 1 union all select n + 1 from r) select n as sweep from r");
  const auto receipt = merge(ours_, old);
  ASSERT_FALSE(receipt);
  EXPECT_THAT(receipt.error().message,
              HasSubstr("`sweep_table_filter` is a view in it; expected a table"));
}

TEST_F(MergeTest, ALogThatWasNotWrittenBackIsReadWhereNothingCanBeWritten) {
  measure(theirs_, "there", {{{"model", "small"}}});
  const auto copied = folder_ / "copied.db";
  std::filesystem::copy_file(theirs_.file, copied);
  std::filesystem::copy_file(theirs_.file.string() + "-wal", copied.string() + "-wal");
  // SQLite does not follow a link there, so it cannot make its index, as on a read-only medium.
  std::filesystem::create_symlink("/nowhere", copied.string() + "-shm");
  EXPECT_FALSE(is_readable_in_place(copied, catalog_).value());
  const auto receipt = merge(ours_, copied);
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_EQ(receipt->attempts.brought, 1);
}

struct Refusal {
  const char* name;
  const char* sql;  // makes the file; nullptr: no file
  const char* message;
};

TEST_F(MergeTest, RefusesWhatIsNoDatabaseOfOursAndNamesIt) {
  const std::vector<Refusal> cases{
      {"missing.db", nullptr, "does not exist"},
      {"foreign.db", "create table t (x); pragma application_id = 7;", "not one of sweepd"},
      {"empty.db", "", "not a database of sweepd"},
      {"newer.db", "pragma application_id = 1937204592; pragma user_version = 999;",
       "version 999, written by a newer sweepd; this one knows versions up to"},
  };
  for (const Refusal& refusal : cases) {
    const auto path = folder_ / refusal.name;
    if (refusal.sql != nullptr) {
      SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
          .exec(refusal.sql);
    }
    const auto result = merge(ours_, path);
    ASSERT_FALSE(result) << refusal.name;
    EXPECT_THAT(result.error().message, HasSubstr(refusal.name));
    EXPECT_THAT(result.error().message, HasSubstr(refusal.message));
  }
  std::ofstream(folder_ / "text.db") << "not a database at all, but long enough to be looked at\n";
  EXPECT_THAT(merge(ours_, folder_ / "text.db").error().message, HasSubstr("not a database"));
  EXPECT_THAT(merge(ours_, folder_).error().message, HasSubstr("it is a folder"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("copy-")) << entry.path();
  }
}

// An id names a folder. The first one here would lead out of `runs`.
TEST_F(MergeTest, RefusesIdsThatAreNone) {
  measure(theirs_, "there", {{{"model", "small"}}});
  for (const char* sql : {"update attempt set uid = '../../../../x'", "update sweep set uid = ''",
                          "update trial set key = 'ABCDEF'"}) {
    const auto bad = folder_ / "bad.db";
    std::filesystem::remove(bad);
    SQLite::Database(theirs_.file.string(), SQLite::OPEN_READONLY)
        .exec("vacuum into '" + bad.string() + "'");
    SQLite::Database(bad.string(), SQLite::OPEN_READWRITE).exec(sql);
    const auto result = merge(ours_, bad);
    ASSERT_FALSE(result) << sql;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr("expected hex digits as its id"));
  }
  EXPECT_EQ(ours_.store->open_attempts()->size(), 0u);
}

TEST_F(MergeTest, ATableThatNoRuleFitsIsNamed) {
  for (const Site* site : {&ours_, &theirs_}) {
    SQLite::Database(site->file.string(), SQLite::OPEN_READWRITE)
        .exec("create table lonely (id integer primary key, x text)");
  }
  EXPECT_THAT(merge(ours_, theirs_.file).error().message, HasSubstr("`lonely`"));
}

}  // namespace
}  // namespace sweepd
