// Builds long-form results from literal rows, so that a test reads as the measurements and the
// table that they give.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/report/cell/report.h"

namespace sweepd {

class ResultsBuilder {
 public:
  explicit ResultsBuilder(std::string metric = "time", std::string unit = "ms") {
    results_.metric = std::move(metric);
    results_.unit = std::move(unit);
  }

  ResultsBuilder& text(std::string name, std::vector<std::string> values) {
    results_.dimensions.push_back({std::move(name), false, std::move(values)});
    return *this;
  }
  ResultsBuilder& numbers(std::string name, std::vector<std::string> values) {
    results_.dimensions.push_back({std::move(name), true, std::move(values)});
    return *this;
  }

  // "*" means every value of a dimension. Returns the row, for everything else that it needs.
  ResultRow& row(const std::vector<std::string>& at) {
    ResultRow& row = results_.rows.emplace_back();
    for (std::size_t d = 0; d < at.size(); ++d) {
      const auto& values = results_.dimensions[d].values;
      const auto found = std::find(values.begin(), values.end(), at[d]);
      row.at.push_back(found == values.end() ? kEveryValue
                                             : static_cast<std::uint32_t>(found - values.begin()));
    }
    row.attempt = "attempt" + std::to_string(results_.rows.size());
    return row;
  }
  // Adds a done attempt with these samples.
  ResultRow& samples(const std::vector<std::string>& at, std::vector<double> values) {
    ResultRow& added = row(at);
    added.stats = summarize(values);
    added.samples = std::move(values);
    return added;
  }
  // Adds a done attempt of which only the summary was read.
  ResultRow& summary(const std::vector<std::string>& at, std::int64_t n, double mean, double std) {
    ResultRow& added = row(at);
    added.stats = {n, mean, std, mean - std, mean - std, mean, mean + std, mean + std, std};
    return added;
  }
  ResultRow& ended(const std::vector<std::string>& at, Outcome outcome, std::string note = "") {
    ResultRow& added = row(at);
    added.outcome = outcome;
    added.note = std::move(note);
    return added;
  }
  ResultRow& pending(const std::vector<std::string>& at) {
    ResultRow& added = row(at);
    added.pending = true;
    return added;
  }

  ResultsBuilder& shown(std::string metric, std::string name) {
    results_.shown.emplace_back(std::move(metric), std::move(name));
    return *this;
  }

  const ResultSet& get() const { return results_; }

 private:
  ResultSet results_;
};

inline TableSpec::Value value_of(std::string name, std::string cell, std::string unit = "",
                                 std::string metric = "",
                                 std::vector<TableSpec::Filter> where = {}) {
  return {std::move(name),
          std::move(cell),
          std::move(metric),
          std::move(unit),
          std::move(where),
          {},
          {}};
}

inline QuerySpec query_of(std::vector<std::string> rows, std::vector<std::string> columns,
                          std::string cell = "", std::string unit = "") {
  QuerySpec query;
  query.table.rows = std::move(rows);
  query.table.columns = std::move(columns);
  query.table.cell = std::move(cell);
  query.table.unit = std::move(unit);
  return query;
}

// The table of the results in Markdown, or the error that there is instead.
inline std::string markdown(std::vector<ResultSet> results, const QuerySpec& query) {
  const auto table = pivot(std::move(results), query);
  return table ? to_markdown(*table) : "error: " + table.error().message;
}

}  // namespace sweepd
