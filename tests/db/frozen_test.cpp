// Tests that the database of version 1 loads, and what migrations did to its figures.
#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <sstream>

#include "db/base/migrate.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

void run_sql(const std::filesystem::path& file, const std::string& sql) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

struct LaterParams : ToyParams {
  std::string attention = "naive";
  void visit(auto& field) {
    ToyParams::visit(field);
    field("attention", attention, "how", one_of({"naive", "it's flash"}));
  }
};

std::string frozen_sql() {
  std::ifstream frozen(SWEEPD_FROZEN_FOLDER "/0001.sql");
  std::stringstream text;
  text << frozen.rdbuf();
  return text.str();
}

class FrozenTest : public DbTest {
 protected:
  // Replaces the existing file.
  void thaw(const std::string& text) {
    reader_.reset();
    store_.reset();
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file().string() + end);
    ASSERT_FALSE(text.empty());
    run_sql(file(), text);
  }
};

// A database of version 1 must load for ever: the rows, the views over them, and reuse.
TEST_F(FrozenTest, ADatabaseOfVersionOneLoads) {
  thaw(frozen_sql());
  catalog_ = {{workload_def<LaterParams>("toy")}};
  reopen();
  EXPECT_THAT(sql("SELECT model, context, attention, phase, median, outcome FROM toy "
                  "ORDER BY context, phase"),
              ElementsAre("xl|128|naive|backward|20.0|done", "xl|128|naive|forward|10.0|done",
                          "xl|128|naive|step|30.0|done", "xl|256|naive|||oom", "xl|512|naive|||"));
  EXPECT_THAT(sql("SELECT DISTINCT steady_from, steadiness FROM summaries"), ElementsAre("|"))
      << "nobody looked for a steady state then";
  const auto found = reader_->find_sweep("frozen");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->counts.total, 3);
  EXPECT_EQ(found->counts.queued, 1);
  EXPECT_EQ(store_->open_attempts().value().size(), 1u);
  const auto again =
      submit(sweep("again", {{{"model", "xl"}}, {{"model", "xl"}, {"context", "512"}}}));
  EXPECT_EQ(again.attempts_reused, 1);
  EXPECT_EQ(again.attempts_joined, 1);
  EXPECT_THAT(sql("SELECT count(*) FROM pragma_foreign_key_check"), ElementsAre("0"));
}

// A peak that its suspect attempt had set no longer counts. One of a valid attempt does, and what
// that attempt reached in its phases (1 GFLOP in 10 ms) raises it.
TEST_F(FrozenTest, OnlyValidAttemptsOfAnOlderDatabaseSetAPeak) {
  std::string text = frozen_sql();
  thaw(text);
  reopen();
  EXPECT_FALSE(store_->measured_peak(cpu(), "fp32")->has_value());
  const std::string suspect = "'done','suspect'";
  ASSERT_NE(text.find(suspect), std::string::npos);
  thaw(text.replace(text.find(suspect), suspect.size(), "'done','valid'"));
  reopen();
  EXPECT_EQ((*store_->measured_peak(cpu(), "fp32"))->flops_per_s, 1e11);
  EXPECT_THAT(sql("SELECT flops_per_s, flops_attempt, seen_flops_per_s FROM device_peak"),
              ElementsAre("50000000000.0|1|100000000000.0"));
}

// Up to version 10 a value's `none` was the table's rule. Now it would be none.
TEST_F(FrozenTest, ARuleForBoldCellsStaysWhatItWas) {
  thaw(frozen_sql());
  {
    Connection connection(file(), Access::kReadWrite);
    ASSERT_TRUE(migrate(connection, std::span(embedded_migrations()).first(13)));
  }
  run_sql(
      file(),
      "UPDATE sweep_table SET bold = 'faster'; "
      "INSERT INTO sweep_table_value SELECT sweep, position, 0, 'a', '', '', '', NULL, 'none' "
      "FROM sweep_table; "
      "INSERT INTO sweep_table_value SELECT sweep, position, 1, 'b', '', '', '', NULL, 'slower' "
      "FROM sweep_table");
  reopen();
  const auto tables = reader_->tables_of("f00df00df00df00d");
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->at(0).values.size(), 2U);
  EXPECT_EQ(tables->at(0).bold, Bold::kFaster);
  EXPECT_EQ(tables->at(0).values[0].bold, std::nullopt);
  EXPECT_EQ(tables->at(0).values[1].bold, Bold::kSlower);
}

// Up to version 32 no FLOPs were called recomputed: attention alone counted them, the model did
// not.
TEST_F(FrozenTest, FlopsThatFlashComputesAgainAreToldApart) {
  const auto work_of = [&](const std::string& figures) {
    thaw(frozen_sql());
    {
      Connection connection(file(), Access::kReadWrite);
      EXPECT_TRUE(migrate(connection, std::span(embedded_migrations()).first(32)));
    }
    run_sql(file(),
            "INSERT INTO name VALUES (901, 'backward_flops_factor'), (902, 'layers'), "
            "(903, 'matmuls_forward'), (904, 'attention_matmul_flops');" +
                figures);
    reopen();
    return sql(
        "SELECT n.text, w.flops, w.recomputed_flops FROM phase_work w JOIN name n ON "
        "n.id = w.phase ORDER BY n.text");
  };
  const std::string flash = "INSERT INTO figure VALUES (1, 901, 2.5, 4)";
  EXPECT_THAT(work_of(flash),
              ElementsAre("backward|2000000000.0|400000000.0", "forward|1000000000.0|0.0",
                          "step|3000000000.0|400000000.0"));
  // Two layers: 7L + 1 products in the forward, so attention is one kernel.
  const std::string model =
      "INSERT INTO figure VALUES (1, 902, 2, 4), (1, 903, 15, 4), (1, 904, 1e8, 4)";
  EXPECT_THAT(work_of(model),
              ElementsAre("backward|2050000000.0|50000000.0", "forward|1000000000.0|0.0",
                          "step|3050000000.0|50000000.0"));
  const std::string naive =
      "INSERT INTO figure VALUES (1, 902, 2, 4), (1, 903, 19, 4), (1, 904, 1e8, 4)";
  EXPECT_THAT(work_of(naive), ElementsAre("backward|2000000000.0|0.0", "forward|1000000000.0|0.0",
                                          "step|3000000000.0|0.0"));
}

// Up to version 32 the share was that of whole ranges.
TEST_F(FrozenTest, SoftmaxsShareIsThatOfKernels) {
  thaw(frozen_sql());
  {
    Connection connection(file(), Access::kReadWrite);
    ASSERT_TRUE(migrate(connection, std::span(embedded_migrations()).first(32)));
  }
  run_sql(file(),
          "INSERT INTO name VALUES (901, 'profile.softmax_share'), (902, 'attention.scores'), "
          "(903, 'attention.softmax'), (904, 'softmax'), (905, 'matmul'), (906, 'copy');"
          "INSERT INTO fact VALUES (1, 0, 901, 0.175, '');"
          "INSERT INTO kernel VALUES (1, 0, 1, 902, 905, 905, 905, 0,0,0, 0,0,0, 1, 60, 0,0,0,0,0),"
          "(1, 0, 1, 902, 906, 906, 906, 0,0,0, 0,0,0, 1, 90, 0,0,0,0,0),"
          "(1, 0, 1, 903, 904, 904, 904, 0,0,0, 0,0,0, 1, 40, 0,0,0,0,0)");
  reopen();
  EXPECT_THAT(sql("SELECT number FROM fact WHERE name = 901"), ElementsAre("0.4"));
}

// Up to version 14 no sweep had a sentinel.
TEST_F(FrozenTest, AnOldSweepHasNoSentinelAndIsNone) {
  thaw(frozen_sql());
  {
    Connection connection(file(), Access::kReadWrite);
    ASSERT_TRUE(migrate(connection, std::span(embedded_migrations()).first(18)));
  }
  reopen();
  EXPECT_THAT(sql("SELECT sentinel_ns IS NULL, sentinel_of IS NULL FROM sweep"),
              ElementsAre("1|1"));
  ASSERT_TRUE(reader_->find_sweep(""));
  EXPECT_EQ(reader_->find_sweep("")->name, "frozen");
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->size(), 1U);
  EXPECT_EQ(open->at(0).watched_sweep, 0);
}

}  // namespace
}  // namespace sweepd
