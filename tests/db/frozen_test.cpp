// Tests that the database of version 1 loads, and what migrations did to its figures.
#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "db/base/migrate.h"
#include "runner/model/vocabulary/program.h"
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
  // Migrates the existing file to a version of before sweepd 0.2.0.
  void migrate_to(std::size_t version) const {
    Connection connection(file(), Access::kReadWrite);
    EXPECT_TRUE(migrate(connection, std::span(migrations_before_0_2()).first(version)));
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

// What a sweep file declares, as version 36 stored it: a table with every key, two plots behind it,
// one with vertical lines, and a program.
constexpr const char* kDeclaredIn36 = R"sql(
UPDATE sweep_table SET title = 'it''s "bold"', cell = '{mean:.1f}', metric = 'time', unit = 'ms',
  warmup = 1, bold = 'faster', row_limit = 20, rest_value = 'Peak', rest_below = 0.1 + 0.2;
INSERT INTO sweep_table_dimension VALUES (1, 0, 'row', 1, 'model', 'Size'), (1, 0, 'column', 0, 'phase', '');
INSERT INTO sweep_table_filter VALUES (1, 0, 1, 0, 'model', 'xl');
INSERT INTO sweep_table_value (sweep, table_position, position, name, cell, metric, unit, warmup, bold)
  VALUES (1, 0, 0, 'Min (s)', '{min}', '', 's', NULL, NULL),
         (1, 0, 1, 'Peak', '', 'peak_allocated_bytes', 'MiB', 0, 'slower');
INSERT INTO sweep_table_value_filter VALUES (1, 0, 1, 0, 0, 'phase', 'step'), (1, 0, 1, 0, 1, 'phase', 'forward'),
  (1, 0, 1, 1, 0, 'model', 'small');
INSERT INTO sweep_table_baseline VALUES (1, 0, 0, 'context', '128'), (1, 0, 1, 'model', 'xl');
INSERT INTO sweep_table_sort VALUES (1, 0, 0, '-Peak'), (1, 0, 1, 'model');
INSERT INTO sweep_table_pool VALUES (1, 0, 0, 'seed'), (1, 0, 1, 'batch');
INSERT INTO sweep_table (sweep, position, title, cell, metric, unit, warmup) VALUES
  (1, 1, 'drawn', '', '', '', 0), (1, 2, '', '', 'steady_from', '', 0), (1, 3, 'heat', '', '', '', 0);
INSERT INTO sweep_table_plot VALUES
  (1, 0, 1, 2, 'area', 'median', 'context', '', 'phase', 'model', 1, 0, 'min-max', 1, 1),
  (1, 1, 3, NULL, 'heatmap', 'speedup', 'context', 'model', '', '', 0, 1, 'none', 0, 0);
INSERT INTO program VALUES (1, 'own', 'toy', 'a program');
INSERT INTO program_param VALUES (1, 0, 'size', 'integer', '4K', 'rows', 'how large', 1, 9e999),
  (1, 1, 'kind', 'choice', 'b', '', 'which', NULL, NULL);
INSERT INTO program_choice VALUES (1, 'kind', 0, 'b'), (1, 'kind', 1, 'a');
INSERT INTO program_metric VALUES (1, 0, 'rate', 'GFLOP/s', 'higher', 'how fast'), (1, 1, 'rest', '', '', '');
INSERT INTO program_phase VALUES (1, 0, 'load'), (1, 1, 'compute');
)sql";

TableSpec table_of_36() {
  TableSpec table;
  table.title = "it's \"bold\"";
  table.rows = {"context", "model"};
  table.columns = {"phase"};
  table.cell = "{mean:.1f}";
  table.metric = "time";
  table.unit = "ms";
  table.where = {{"phase", {"forward", "step"}}, {"model", {"xl"}}};
  table.warmup = true;
  table.bold = Bold::kFaster;
  table.headings = {{"model", "Size"}, {"phase", ""}};
  table.values = {{"Min (s)", "{min}", "", "s", {}, {}, {}},
                  {"Peak",
                   "",
                   "peak_allocated_bytes",
                   "MiB",
                   {{"phase", {"step", "forward"}}, {"model", {"small"}}},
                   false,
                   Bold::kSlower}};
  table.baseline = {{"context", {"128"}}, {"model", {"xl"}}};
  table.pool = {"seed", "batch"};
  table.sort = {"-Peak", "model"};
  table.limit = 20;
  table.rest = TableSpec::Rest{"Peak", 0.1 + 0.2};
  return table;
}

std::vector<PlotSpec> plots_of_36() {
  PlotSpec lines, heat;
  lines.data.title = "drawn";
  lines.lines.metric = "steady_from";
  lines.shape = {PlotMark::kArea,     "median", "context", "", "phase", "model", true, false,
                 PlotSpread::kMinMax, true,     true};
  heat.data.title = "heat";
  heat.shape.mark = PlotMark::kHeatmap;
  heat.shape.figure = "speedup";
  heat.shape.x = "context";
  heat.shape.y = "model";
  heat.shape.log_y = true;
  return {lines, heat};
}

WorkloadDef program_of_36() {
  ParamDef size, kind;
  size.name = "size";
  size.default_value = std::int64_t{4000};
  size.unit = "rows";
  size.help = "how large";
  size.minimum = 1;  // the infinite maximum is none
  kind.name = "kind";
  kind.type = ValueType::kChoice;
  kind.default_value = std::string("b");
  kind.help = "which";
  kind.choices = {"b", "a"};
  for (ParamDef* param : {&size, &kind}) param->declared = param->always_in_key = true;
  WorkloadDef program;
  program.name = "own";
  program.base = "toy";
  program.passes = {"timing", "memory", "profile"};
  program.help = "a program";
  program.params = {size, kind};
  program.metrics = {{"rate", "GFLOP/s", Better::kLarger, "how fast"}, {"rest"}};
  program.phases = {"load", "compute"};
  return program;
}

TEST_F(FrozenTest, ADatabaseOfVersion36KeepsWhatSweepFilesDeclared) {
  thaw(frozen_sql());
  migrate_to(36);
  run_sql(file(), kDeclaredIn36);
  reopen();
  const auto tables = reader_->tables_of("f00df00df00df00d");
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(*tables, std::vector{table_of_36()});
  const auto plots = reader_->plots_of("f00df00df00df00d");
  ASSERT_TRUE(plots) << plots.error().message;
  EXPECT_EQ(*plots, plots_of_36());
  ASSERT_NE(catalog_.programs->find("own"), nullptr);
  EXPECT_EQ(declaration_of(*catalog_.programs->find("own")), program_of_36());
  EXPECT_THAT(sql("SELECT context, phase, median, outcome FROM toy ORDER BY context, phase"),
              ElementsAre("128|backward|20.0|done", "128|forward|10.0|done", "128|step|30.0|done",
                          "256|||oom", "512|||"));
  EXPECT_THAT(sql("SELECT count(*) FROM samples"), ElementsAre("9"));
  EXPECT_THAT(sql("SELECT count(*) FROM pragma_foreign_key_check"), ElementsAre("0"));
}

// The statements that made tables, indexes and triggers, without comments, quotes and blanks.
std::map<std::string, std::string> schema_of(const std::filesystem::path& file) {
  static const std::regex comment("--[^\n]*"), between("[\\s\"]+"), around(" ?([(),]) ?");
  std::map<std::string, std::string> schema;
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  SQLite::Statement all(database,
                        "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL "
                        "AND type <> 'view' AND name NOT LIKE 'params_%'");
  while (all.executeStep()) {
    std::string text = std::regex_replace(all.getColumn(1).getString(), comment, "");
    text = std::regex_replace(text, between, " ");
    schema[all.getColumn(0).getString()] = std::regex_replace(text, around, "$1");
  }
  return schema;
}

TEST_F(FrozenTest, AnUpgradedDatabaseHasTheSchemaOfANewOne) {
  const auto expected = schema_of(file());
  EXPECT_GT(expected.size(), 50U);
  thaw(frozen_sql());
  reopen();
  EXPECT_EQ(schema_of(file()), expected);
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
  migrate_to(13);
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
    migrate_to(32);
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
  migrate_to(32);
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
  migrate_to(18);
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
