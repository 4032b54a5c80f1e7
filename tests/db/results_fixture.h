// Queries over the workload `toy`, with their rows as text.
#pragma once

#include <string>
#include <vector>

#include "tests/db/fixture.h"

namespace sweepd {

// Returns "small forward done 10" for each row: the dimensions' texts, the outcome, the median.
inline std::vector<std::string> lines(const ResultSet& results) {
  std::vector<std::string> all;
  for (const ResultRow& row : results.rows) {
    std::string line;
    for (std::size_t d = 0; d < results.dimensions.size(); ++d) {
      line += row.at[d] == kEveryValue ? "*" : results.dimensions[d].values.at(row.at[d]);
      line += ' ';
    }
    line += row.pending ? "pending" : std::string(name_of(row.outcome));
    if (row.stats.n > 0 || (!row.pending && row.outcome == Outcome::kDone)) {
      line += ' ' + (row.text.empty() ? to_text(row.stats.median) : row.text);
    }
    all.push_back(line);
  }
  return all;
}

class ResultsTest : public DbTest {
 protected:
  ResultSet ask(QuerySpec query, bool with_samples = false) {
    if (query.sweep.empty() && query.workload.empty()) query.workload = "toy";
    auto results = reader_->results(query, with_samples);
    EXPECT_TRUE(results) << results.error().message;
    return results ? *results : ResultSet{};
  }
  std::string refusal(QuerySpec query) {
    if (query.sweep.empty() && query.workload.empty()) query.workload = "toy";
    const auto results = reader_->results(query, false);
    EXPECT_FALSE(results);
    return results ? "" : results.error().message;
  }
  static QuerySpec by(std::vector<std::string> rows, std::vector<std::string> columns = {},
                      std::vector<TableSpec::Filter> where = {}) {
    QuerySpec query;
    query.table.rows = std::move(rows);
    query.table.columns = std::move(columns);
    query.table.where = std::move(where);
    return query;
  }
};

}  // namespace sweepd
