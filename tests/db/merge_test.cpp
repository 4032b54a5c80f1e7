// Merges two machines' databases, made by their stores, into one.
#include "db/merge.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <random>
#include <sstream>

#include "db/database_copy.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

// Everything that leaves a machine, except ids that are only valid in one file.
const Lines kEverything{
    "select uid, hostname from host",
    "select uid, name, description, workload, submitted_ns, cancelled_ns, source from sweep",
    "select s.uid, p.position, p.pass from sweep_pass p join sweep s on s.id = p.sweep",
    "select s.uid, t.position, t.title, d.side, d.position, d.name from sweep_table t "
    "join sweep s on s.id = t.sweep left join sweep_table_dimension d on d.sweep = t.sweep "
    "and d.table_position = t.position",
    "select s.uid, t.key, x.position, x.priority, x.repeats from sweep_trial x "
    "join sweep s on s.id = x.sweep join trial t on t.id = x.trial",
    "select t.key, p.model, p.context, p.scale, p.tied from params_toy p "
    "join trial t on t.id = p.trial",
    "select attempt_uid, trial_key, pass, repeat, is_current, outcome, verdict, started, ended, "
    "host, device_name, message from attempts",
    "select sweep_uid, trial_key, pass, repeat, origin, attempt_uid from sweep_trials",
    "select * from samples",
    "select * from summaries",
    "select * from memories",
    "select * from figures",
    "select * from facts",
    "select a.uid, e.uid from attempt a join environment e on e.id = a.environment",
    "select d.name, h.uid, p.arithmetic, p.flops_per_s, f.uid, p.bytes_per_s, b.uid "
    "from device_peak p join device d on d.id = p.device join host h on h.id = d.host "
    "left join attempt f on f.row = p.flops_attempt left join attempt b on b.row = p.bytes_attempt",
};

std::string slurp(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class MergeTest : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    ours_ = {file(), std::move(store_)};
    theirs_ = site("beta");
  }
  void TearDown() override {
    ours_.store.reset();
    theirs_.store.reset();
    DbTest::TearDown();
  }

  struct Site {
    std::filesystem::path file;
    std::unique_ptr<Store> store;
  };

  Site site(const std::string& host, const Catalog& catalog = toy_catalog()) const {
    Site made{folder_ / (host + ".db"), nullptr};
    auto store = Store::open(made.file, catalog, host_named(host));
    EXPECT_TRUE(store) << store.error().message;
    made.store = std::move(*store);
    return made;
  }

  // Submits the points and ends every attempt as done. The first takes `forward` ms, each next one
  // 1 ms more.
  NewSweep measure(Site& site, const std::string& name, const std::vector<Settings>& points,
                   double forward = 10, WallTime when = WallTime{5'000'000'000}) {
    NewSweep request = sweep(name, points);
    request.sweep.tables = {{}};
    request.sweep.tables[0].rows = {"model"};
    const auto receipt = site.store->submit(request, def());
    EXPECT_TRUE(receipt) << receipt.error().message;
    for (const OpenAttempt& attempt : receipt->queued) {
      EXPECT_TRUE(site.store->mark_started(attempt.row, WallTime{1}, Lease{{{{0, 1}, "", -1}}}));
      EXPECT_TRUE(site.store->finish(done(attempt.row, forward++, 2, when)).value());
    }
    return request;
  }

  Result<MergeReceipt> merge(Site& into, const std::filesystem::path& from, int most_steps = 1000) {
    auto copy = DatabaseCopy::make(from, folder_, catalog_);
    if (!copy) return copy.error();
    if (auto prepared = Merger::prepare(copy->file()); !prepared) return prepared.error();
    auto merger = Merger::begin(*into.store, copy->file());
    if (!merger) return merger.error();
    for (int i = 0; i < most_steps; ++i) {
      const auto more = (*merger)->step();
      if (!more) return more.error();
      if (!*more) break;
    }
    return (*merger)->receipt();
  }
  MergeReceipt merged(Site& into, const Site& from) {
    const auto receipt = merge(into, from.file);
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : MergeReceipt{};
  }

  static Lines rows(const std::filesystem::path& file, const std::string& query) {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
    SQLite::Statement statement(database, query);
    Lines rows;
    while (statement.executeStep()) {
      std::string row;
      for (int i = 0; i < statement.getColumnCount(); ++i) {
        row += (i > 0 ? "|" : "") + statement.getColumn(i).getString();
      }
      rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  static Lines everything(const Site& site) {
    Lines all;
    for (const std::string& query : kEverything) {
      all.push_back("-- " + query);
      for (std::string& row : rows(site.file, query)) all.push_back(std::move(row));
    }
    EXPECT_THAT(rows(site.file, "pragma foreign_key_check"), IsEmpty());
    return all;
  }

  Site ours_, theirs_;
};

TEST_F(MergeTest, BringsTheResultsAndKeepsTheirHost) {
  measure(ours_, "here", {{{"model", "small"}}}, 10);
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}}, 20);
  const MergeReceipt receipt = merged(ours_, theirs_);
  EXPECT_EQ(receipt.sweeps.brought, 1);
  EXPECT_EQ(receipt.trials.brought, 1);
  EXPECT_EQ(receipt.trials.present, 1) << "`small` was measured here too";
  EXPECT_EQ(receipt.attempts.brought, 2);
  EXPECT_EQ(receipt.samples, 2 * 9);
  EXPECT_THAT(receipt.hosts, ElementsAre("beta"));
  EXPECT_THAT(rows(ours_.file, "select model, host, median from toy where phase = 'forward'"),
              ElementsAre("large|beta|21.0", "small|alpha|10.0", "small|beta|20.0"));
}

TEST_F(MergeTest, AnEmptyDatabaseBecomesTheOther) {
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  DeviceInfo device = cpu();
  ASSERT_TRUE(theirs_.store->record_peak(device, "fp32", {2e12, 0}, {}, 1));
  ASSERT_TRUE(theirs_.store->record_peak(device, "fp32", {1e12, 5e10}, {}, 2));
  merged(ours_, theirs_);
  Lines expected = everything(theirs_);
  expected.insert(expected.begin() + 1, "id-of-alpha|alpha");  // our own host
  EXPECT_EQ(everything(ours_), expected);
}

TEST_F(MergeTest, TwiceAddsNothing) {
  measure(ours_, "here", {{{"model", "small"}}});
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  merged(ours_, theirs_);
  const Lines once = everything(ours_);
  const MergeReceipt again = merged(ours_, theirs_);
  EXPECT_EQ(again.sweeps.brought + again.trials.brought + again.attempts.brought + again.samples,
            0);
  EXPECT_EQ(again.sweeps.present, 1);
  EXPECT_EQ(again.attempts.present, 2);
  EXPECT_THAT(again.hosts, IsEmpty());
  EXPECT_EQ(everything(ours_), once);
}

// Whatever both have measured, both end with the same results.
TEST_F(MergeTest, BothWaysAreEqual) {
  const std::vector<std::string> models{"small", "large", "xl"};
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    Site a = site("a" + std::to_string(seed));
    Site b = site("b" + std::to_string(seed));
    for (int i = 0; i < 8; ++i) {
      Site& site = random() % 2 == 0 ? a : b;
      std::vector<Settings> points;
      for (const std::string& model : models) {
        if (random() % 2 == 0) points.push_back({{"model", model}});
      }
      if (points.empty()) points.push_back({{"context", std::to_string(1 + random() % 3)}});
      measure(site, "s" + std::to_string(i), points, 1 + i, WallTime{1'000 + i});
      if (random() % 3 == 0) merged(a, b);
      if (random() % 3 == 0) merged(b, a);
    }
    merged(a, b);
    merged(b, a);
    EXPECT_EQ(everything(a), everything(b)) << "seed " << seed;
  }
}

TEST_F(MergeTest, WhatWaitsOrRunsThereStaysThere) {
  const NewSweep request = sweep("open", {{{"model", "small"}}, {{"model", "large"}}});
  const auto receipt = theirs_.store->submit(request, def());
  ASSERT_TRUE(theirs_.store->finish(done(receipt->queued[0].row, 3, 4)).value());
  EXPECT_EQ(merged(ours_, theirs_).open, 1);
  EXPECT_THAT(rows(ours_.file, "select count(*) from attempt"), ElementsAre("1"));
  ASSERT_TRUE(theirs_.store->finish(done(receipt->queued[1].row, 5, 6)).value());
  EXPECT_EQ(merged(ours_, theirs_).attempts.brought, 1);
  EXPECT_THAT(rows(ours_.file, "select sweep, outcome from sweep_trials"),
              ElementsAre("open|done", "open|done"));
}

TEST_F(MergeTest, ARetryThereReplacesTheAnswerHere) {
  const NewSweep request = sweep("again", {{{"model", "small"}}});
  const auto first = theirs_.store->submit(request, def());
  ASSERT_TRUE(theirs_.store->finish(ended(first->queued[0].row, {Failed{"no luck", ""}, 0})));
  merged(ours_, theirs_);
  const auto second = theirs_.store->retry_sweep(request.id, {}, WallTime{6'000'000'000});
  ASSERT_TRUE(second);
  ASSERT_TRUE(theirs_.store->finish(done(second->queued[0].row, 3, 4, WallTime{7'000'000'000})));
  merged(ours_, theirs_);
  EXPECT_THAT(rows(ours_.file, "select outcome from sweep_trials"), ElementsAre("done"));
  EXPECT_THAT(rows(ours_.file, "select is_current, outcome from attempts"),
              ElementsAre("0|failed", "1|done"));
}

TEST_F(MergeTest, CutOffAndDoneAgainIsWhole) {
  std::vector<Settings> points;
  for (int i = 1; i <= 300; ++i) points.push_back({{"context", std::to_string(i)}});
  measure(theirs_, "many", points);
  for (int steps = 0; steps < 6; ++steps) {
    Site here = site("cut" + std::to_string(steps));
    ASSERT_TRUE(merge(here, theirs_.file, steps));
    EXPECT_THAT(rows(here.file, "pragma foreign_key_check"), IsEmpty());
    merged(here, theirs_);
    EXPECT_THAT(rows(here.file, "select count(*), sum(is_current) from attempt"),
                ElementsAre("300|300"));
    EXPECT_THAT(rows(here.file, "select count(*) from sweep_trials"), ElementsAre("300"));
    EXPECT_THAT(rows(here.file, "select count(*) from sample"), ElementsAre("2700"));
  }
}

TEST_F(MergeTest, ThePreviewSaysWhatTheMergeDoes) {
  measure(ours_, "here", {{{"model", "small"}}});
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  auto copy = DatabaseCopy::make(theirs_.file, folder_, catalog_);
  ASSERT_TRUE(copy);
  const auto preview = preview_merge(ours_.file, copy->file());
  ASSERT_TRUE(preview) << preview.error().message;
  const Lines before = everything(ours_);
  EXPECT_EQ(everything(ours_), before);
  const MergeReceipt real = merged(ours_, theirs_);
  const auto flat = [](const MergeReceipt& r) {
    return std::vector<std::int64_t>{
        r.sweeps.brought,   r.sweeps.present,   r.trials.brought, r.trials.present,
        r.attempts.brought, r.attempts.present, r.samples,        r.open};
  };
  EXPECT_EQ(flat(*preview), flat(real));
  EXPECT_EQ(preview->hosts, real.hosts);
}

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
