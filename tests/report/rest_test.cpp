// Tests that small rows of a table are added up in one row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

// The same figures serve as shares, as means of calls and as times.
QuerySpec kernels(double below) {
  QuerySpec query = query_of({"model", "kernel"}, {}, "{mean}");
  query.declared = true;
  query.table.sort = {"model", "-Share"};
  query.table.rest = TableSpec::Rest{"Share", below};
  for (const auto& [name, metric, cell] : {std::tuple("Share", "kernel_share", "{mean:.1%}"),
                                           std::tuple("Avg", "kernel_mean", "{mean:.2f}"),
                                           std::tuple("Calls", "kernel_calls", "{mean:.2f}")}) {
    TableSpec::Value value;
    value.name = name;
    value.metric = metric;
    value.cell = cell;
    query.table.values.push_back(value);
  }
  return query;
}

ResultSet some_kernels() {
  ResultsBuilder b;
  b.text("model", {"small", "large"}).text("kernel", {"gemm", "add", "copy", "fill"});
  b.summary({"small", "gemm"}, 1, 0.95, 0);
  b.summary({"small", "add"}, 1, 0.03, 0);
  b.summary({"small", "copy"}, 1, 0.02, 0);
  b.summary({"large", "gemm"}, 1, 0.99, 0);
  b.summary({"large", "fill"}, 1, 0.01, 0);
  return b.get();
}

std::vector<std::string> first_rows(const QuerySpec& query) {
  const auto table = pivot(some_kernels(), query);
  EXPECT_TRUE(table) << (table ? "" : table.error().message);
  std::vector<std::string> lines;
  if (!table) return lines;
  for (const auto& row : table->rows) {
    std::string& line = lines.emplace_back();
    for (const Cell& cell : row) line += (line.empty() ? "" : "|") + cell.text;
  }
  return lines;
}

TEST(Rest, SmallRowsOfAPointAreOneRow) {
  EXPECT_THAT(first_rows(kernels(0.05)),
              testing::ElementsAre("small|gemm|95.0%|0.95|0.95",
                                   "small|2 others, each below 5 %|5.0%||0.05",
                                   "large|gemm|99.0%|0.99|0.99", "large|fill|1.0%|0.01|0.01"))
      << "a single one keeps its name, and a mean has no sum";
  EXPECT_EQ(first_rows(kernels(0.001)).size(), 5U);
}

TEST(Rest, ASumOfSuspectFiguresIsMarkedAsTheyAre) {
  ResultSet results = some_kernels();
  results.rows[2].verdict = Verdict::kSuspect;
  const auto table = pivot(results, kernels(0.05));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.at(1).at(2).text, "5.0%‡");
  EXPECT_EQ(table->rows.at(0).at(2).text, "95.0%");
}

TEST(Rest, KeepsColumnsOfWordsInTheirPlaces) {
  QuerySpec query = kernels(0.05);
  query.with = {"n"};
  EXPECT_EQ(first_rows(query).at(1), "small|2 others, each below 5 %|5.0%||||0.05|");
}

}  // namespace
}  // namespace sweepd
