// Compares a table that is read in one pass with the same table read attempt by attempt.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/db/results_fixture.h"

namespace sweepd {

class PooledTest : public ResultsTest {
 protected:
  void change(const std::string& statements) {
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(statements);
  }

  // Returns "small 1 forward", for example.
  static std::string place_of(const ResultSet& results, const ResultRow& row, std::size_t shown) {
    std::string place;
    for (std::size_t d = 0; d < shown; ++d) {
      place += results.dimensions[d].values.at(row.at[d]) + ' ';
    }
    return place;
  }
  // The results of reading each attempt and pooling by the first `shown` dimensions.
  struct Sum {
    std::int64_t attempts = 0;
    std::vector<Stats> parts;
    std::map<std::string, std::int64_t> unsteady;  // attempts by kind
  };
  static std::map<std::string, Sum> by_place(const ResultSet& results, std::size_t shown) {
    std::map<std::string, Sum> sums;
    for (const ResultRow& row : results.rows) {
      if (row.pending || row.outcome != Outcome::kDone || row.stats.n == 0) continue;
      const std::string place = place_of(results, row, shown);
      sums[place].attempts += row.attempts;
      sums[place].parts.push_back(row.stats);
      for (const Unsteady& each : row.unsteady) sums[place].unsteady[each.how] += each.attempts;
    }
    return sums;
  }
  static Stats joined(const std::vector<Stats>& parts) {
    Stats all = parts.front();
    double sum = 0, squares = 0;
    all.n = 0;
    for (const Stats& part : parts) {
      all.n += part.n;
      sum += static_cast<double>(part.n) * part.mean;
      all.min = std::min(all.min, part.min);
      all.max = std::max(all.max, part.max);
    }
    all.mean = sum / static_cast<double>(all.n);
    for (const Stats& part : parts) {
      const auto n = static_cast<double>(part.n);
      squares += (n - 1) * part.std * part.std + n * std::pow(part.mean - all.mean, 2);
    }
    all.std = std::sqrt(squares / static_cast<double>(all.n - 1));
    return all;
  }

  void expect_the_same(QuerySpec query) {
    query.table.cell += "{min} {max}";
    const auto fast = ask(query), slow = ask(query, true);
    const std::size_t shown = query.table.rows.size() + query.table.columns.size();
    pooled_ = std::any_of(fast.rows.begin(), fast.rows.end(),
                          [](const ResultRow& row) { return row.attempts > 1; });
    for (std::size_t d = 0; d < shown; ++d) {
      EXPECT_EQ(fast.dimensions[d].values, slow.dimensions[d].values);
    }
    const auto left = by_place(fast, shown), right = by_place(slow, shown);
    ASSERT_EQ(left.size(), right.size());
    for (const auto& [place, sum] : right) {
      ASSERT_EQ(left.count(place), 1u) << place;
      EXPECT_EQ(left.at(place).attempts, sum.attempts) << place;
      EXPECT_EQ(left.at(place).unsteady, sum.unsteady) << place;
      const Stats a = joined(left.at(place).parts), b = joined(sum.parts);
      EXPECT_EQ(a.n, b.n) << place;
      EXPECT_NEAR(a.mean, b.mean, 1e-9) << place;
      EXPECT_NEAR(a.std, b.std, 1e-9) << place;
      EXPECT_EQ(a.min, b.min) << place;
      EXPECT_EQ(a.max, b.max) << place;
    }
    expect_the_same_others(fast, slow);
    expect_the_same_differences(fast, slow, shown);
  }

  // Everything but valid figures is a separate row both ways, with its note.
  static std::multiset<std::string> others(const ResultSet& results) {
    std::multiset<std::string> texts;
    for (const ResultRow& row : results.rows) {
      if (row.stats.n > 0 && row.verdict == Verdict::kValid) continue;
      texts.insert(fmt::format("{} {} {} {} {} {}", row.attempt, row.trial, row.pending,
                               row.pending ? "" : name_of(row.outcome), name_of(row.verdict),
                               row.note));
    }
    return texts;
  }
  static void expect_the_same_others(const ResultSet& fast, const ResultSet& slow) {
    EXPECT_EQ(others(fast), others(slow));
  }

  // For each parameter that the query does not name, a pooled row has the value that all its
  // attempts share.
  static void expect_the_same_differences(const ResultSet& fast, const ResultSet& slow,
                                          std::size_t shown) {
    for (std::size_t d = shown; d < fast.dimensions.size(); ++d) {
      for (std::size_t e = shown; e < slow.dimensions.size(); ++e) {
        if (fast.dimensions[d].name != slow.dimensions[e].name) continue;
        const auto all = values_by_place(slow, shown, e);
        for (const auto& [place, values] : values_by_place(fast, shown, d)) {
          EXPECT_EQ(values, all.at(place)) << place << fast.dimensions[d].name;
        }
      }
    }
  }
  // The single value of a dimension at each place; "*" if there are several.
  static std::map<std::string, std::string> values_by_place(const ResultSet& results,
                                                            std::size_t shown, std::size_t d) {
    std::map<std::string, std::string> values;
    for (const ResultRow& row : results.rows) {
      if (row.pending || row.outcome != Outcome::kDone || row.stats.n == 0) continue;
      const std::string value =
          row.at[d] == kEveryValue ? "*" : results.dimensions[d].values.at(row.at[d]);
      const auto [entry, added] = values.try_emplace(place_of(results, row, shown), value);
      if (!added && entry->second != value) entry->second = "*";
    }
    return values;
  }

  bool pooled_ = false;  // whether the last table was read in one pass
};

}  // namespace sweepd
