// Makes every table and every plot of every file under experiments/ from random results, which have
// any part of its values and any dictionaries, even empty ones. Each must give a table or a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "db/query/query.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "tests/daemon/experiment_sweeps.h"

namespace sweepd {
namespace {

using test::experiments;

class RandomResults {
 public:
  RandomResults(std::uint64_t seed, const TableSpec& table) : random_(seed), table_(table) {}

  // Returns possible results of one of a plan's reads.
  ResultSet of(const QuerySpec& read, bool with_samples) {
    // The reader pools no attempts where their own means are needed.
    may_pool_ = read.table.cell.find("{ci95") == std::string::npos &&
                read.table.cell.find("{sem") == std::string::npos;
    ResultSet set;
    set.metric = read.table.metric.empty() ? "time" : read.table.metric;
    set.unit = unit_of_metric(set.metric);
    for (const auto* names : {&read.table.rows, &read.table.columns}) {
      for (const std::string& name : *names) set.dimensions.push_back(dimension(name));
    }
    if (chance(3)) set.dimensions.push_back(dimension("hidden"));
    const int rows = chance(4) ? 0 : up_to(12);
    for (int i = 0; i < rows; ++i) set.rows.push_back(row(set, with_samples));
    return set;
  }

 private:
  int up_to(int most) { return std::uniform_int_distribution(0, most)(random_); }
  bool chance(int in) { return up_to(in - 1) == 0; }

  Dimension dimension(const std::string& name) {
    std::vector<std::string> all{"a", "b", "7"};
    const auto add = [&](const std::vector<TableSpec::Filter>& filters) {
      for (const TableSpec::Filter& filter : filters) {
        if (filter.name == name) all.insert(all.end(), filter.values.begin(), filter.values.end());
      }
    };
    add(table_.where);
    add(table_.baseline);
    for (const TableSpec::Value& value : table_.values) add(value.where);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(static_cast<std::size_t>(up_to(static_cast<int>(all.size()))));
    return {name, name.size() % 2 == 0, std::move(all)};
  }

  double any_value() {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const double values[] = {0, 1e-9, 0.5, 3, 1e15, -2, kNone, 1 / 0.0};
    return values[up_to(7)];
  }

  ResultRow row(const ResultSet& set, bool with_samples) {
    ResultRow row;
    for (const Dimension& dimension : set.dimensions) {
      const auto values = static_cast<int>(dimension.values.size());
      const bool every = values == 0 || chance(8);
      row.at.push_back(every ? kEveryValue : static_cast<std::uint32_t>(up_to(values - 1)));
    }
    row.outcome = chance(2) ? Outcome::kDone : static_cast<Outcome>(up_to(6));
    row.pending = chance(8);
    row.verdict = static_cast<Verdict>(up_to(2));
    row.attempt = std::to_string(up_to(5));
    row.trial = chance(3) ? "" : std::to_string(up_to(3));
    row.note = chance(2) ? "" : "because " + std::to_string(up_to(3));
    if (row.outcome != Outcome::kDone || row.pending || chance(6)) return row;
    if (chance(6)) row.text = "float" + std::to_string(up_to(2));
    for (int n = 1 + up_to(3); n > 0; --n) row.samples.push_back(any_value());
    row.stats = summarize(row.samples);
    row.flops = any_value();
    row.bytes = any_value();
    row.tokens = any_value();
    row.peak_flops_per_s = any_value();
    row.peak_bytes_per_s = any_value();
    if (!with_samples) {
      row.samples.clear();
      const int more = up_to(2);
      row.attempts = may_pool_ ? 1 + more : 1;
    }
    return row;
  }

  std::mt19937_64 random_;
  const TableSpec& table_;
  bool may_pool_ = true;
};

// Every result has its row: some row begins with the values of its dimensions.
void expect_all_rows(const Table& table, const std::vector<ResultSet>& results,
                     const QuerySpec& query, const TableReads& plan) {
  for (const TableReads::Use& use : plan.uses) {
    const ResultSet& set = results[use.results];
    for (const ResultRow& row : set.rows) {
      std::vector<std::string> heads;
      bool spread = false;
      for (std::size_t d = 0; d < query.table.rows.size(); ++d) {
        spread |= row.at[d] == kEveryValue;
        if (!spread) heads.push_back(set.dimensions[d].values[row.at[d]]);
      }
      if (spread) continue;
      EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& cells) {
        return std::equal(
            heads.begin(), heads.end(), cells.begin(),
            [](const std::string& head, const Cell& cell) { return head == cell.text; });
      })) << testing::PrintToString(heads);
    }
  }
}

std::vector<ResultSet> random_results(const QuerySpec& query, const TableReads& plan,
                                      std::uint64_t seed) {
  RandomResults random(seed, query.table);
  std::vector<ResultSet> results;
  for (const QuerySpec& read : plan.reads) results.push_back(random.of(read, needs_samples(read)));
  return results;
}

void expect_plot(const PlotSpec& spec, const QuerySpec& query, std::uint64_t seed) {
  const PlotQueries queries = plot_queries(spec, query);
  const auto table_of = [seed](const QuerySpec& of) {
    return pivot(random_results(of, plan_reads(of), seed), of);
  };
  const auto data = table_of(queries.data);
  ASSERT_TRUE(data) << data.error().message;
  Table lines;
  if (queries.lines) {
    const auto made = table_of(*queries.lines);
    ASSERT_TRUE(made) << made.error().message;
    lines = *made;
  }
  const Plot plot = finish_plot(spec, *data, lines);
  EXPECT_NE(to_text(plot, 80), "");
  EXPECT_NE(to_vega_lite(plot), "");
}

void expect_table(const QuerySpec& query, std::uint64_t seed) {
  const TableReads plan = plan_reads(query);
  const std::vector<ResultSet> results = random_results(query, plan, seed);
  const auto table = pivot(results, query);
  ASSERT_TRUE(table) << table.error().message;
  for (const auto& row : table->rows) ASSERT_EQ(row.size(), table->columns.size());
  const bool has_all_rows = query.table.limit == 0 && !query.table.rest;
  if (has_all_rows) expect_all_rows(*table, results, query, plan);
  for (const Format format : {Format::kMarkdown, Format::kCsv, Format::kJson, Format::kText}) {
    EXPECT_NE(render(*table, format, 80), "");
  }
}

constexpr std::uint64_t kDraws = 40;

TEST(ExperimentTables, AreMadeOfAnyResults) {
  ASSERT_GT(experiments().files.size(), 30U);
  for (const auto& file : experiments().files) {
    for (const Sweep& sweep : file.sweeps) {
      for (const TableSpec& table : sweep.tables) {
        QuerySpec query;
        query.workload = sweep.workload;
        query.table = table;
        query.declared = true;
        for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
          SCOPED_TRACE(file.name + ", table `" + table.title + "`, draw " + std::to_string(seed));
          expect_table(query, seed);
        }
      }
    }
  }
}

TEST(ExperimentPlots, AreDrawnFromAnyResults) {
  std::size_t plots = 0;
  for (const auto& file : experiments().files) {
    for (const Sweep& sweep : file.sweeps) {
      for (const PlotSpec& plot : sweep.plots) {
        ++plots;
        QuerySpec query;
        query.workload = sweep.workload;
        query.declared = true;
        for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
          SCOPED_TRACE(file.name + ", plot `" + plot.data.title + "`, draw " +
                       std::to_string(seed));
          expect_plot(plot, query, seed);
        }
      }
    }
  }
  EXPECT_GE(plots, 10U);
}

}  // namespace
}  // namespace sweepd
