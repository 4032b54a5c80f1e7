#include "runner/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runner/stats/false_discovery.h"

namespace sweepd {
namespace {

// The attempts of one point on both sides.
struct Pair {
  stats::Measured a, b;
};
// Values by their position among those of both sides, so that points sort as tables do.
using Place = std::vector<std::size_t>;

// Which values of a dimension occur on one side, among the rows that count.
std::set<std::string> values_of(const ResultSet& results, std::size_t dimension) {
  std::set<std::string> values;
  for (const ResultRow& row : results.rows) {
    const std::uint32_t code = row.at[dimension];
    if (code != kEveryValue) values.insert(results.dimensions[dimension].values[code]);
  }
  return values;
}

bool counts(const ResultRow& row) {
  return !row.pending && row.outcome == Outcome::kDone && row.verdict != Verdict::kInvalid &&
         row.stats.n > 0;
}

// Removes what cannot be compared and counts it.
ResultSet keep_what_counts(ResultSet results, ComparedResults& compared) {
  for (const ResultRow& row : results.rows) {
    if (row.pending || row.outcome != Outcome::kDone) {
      ++compared.not_done;
    } else if (row.verdict == Verdict::kInvalid) {
      ++compared.invalid;
    } else if (row.verdict == Verdict::kSuspect) {
      ++compared.suspect;
    }
  }
  std::erase_if(results.rows, [](const ResultRow& row) { return !counts(row); });
  for (const ResultRow& row : results.rows) compared.unsteady += row.unsteady.empty() ? 0 : 1;
  return results;
}

Result<void> refuse_shared(const ResultSet& a, const ResultSet& b) {
  std::set<AttemptId> ids;
  for (const ResultRow& row : a.rows) ids.insert(row.attempt);
  const auto shared =
      std::ranges::find_if(b.rows, [&](const ResultRow& row) { return ids.contains(row.attempt); });
  if (shared == b.rows.end()) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("both sides count attempt {}, so there is nothing to compare: a sweep "
                           "reuses what was measured before",
                           shared->attempt)};
}

// Finds what tells points apart, and what tells the sides apart: a parameter with one value on each
// side, which differ.
class Points {
 public:
  Points(const ResultSet& a, const ResultSet& b, ComparedResults& compared) {
    for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
      const Dimension& dimension = a.dimensions[d];
      const auto of_a = values_of(a, d), of_b = values_of(b, d);
      if (of_a.size() <= 1 && of_b.size() <= 1) {
        if (of_a == of_b || of_a.empty() || of_b.empty()) continue;
        compared.differ.push_back(
            fmt::format("{}={} against {}", dimension.name, *of_a.begin(), *of_b.begin()));
        continue;
      }
      compared.axes.push_back({dimension.name, dimension.numeric, {}});
      std::vector<std::string> values = dimension.values;
      for (const std::string& value : b.dimensions[d].values) {
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
      }
      axes_.push_back({d, std::move(values)});
    }
  }

  Place place_of(const ResultSet& results, const ResultRow& row) const {
    Place place;
    for (const auto& [dimension, values] : axes_) {
      const std::uint32_t code = row.at[dimension];
      const auto found =
          code == kEveryValue
              ? values.end()
              : std::ranges::find(values, results.dimensions[dimension].values[code]);
      place.push_back(static_cast<std::size_t>(found - values.begin()));
    }
    return place;
  }
  std::vector<std::string> texts_of(const Place& place) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const auto& values = axes_[i].values;
      texts.push_back(place[i] < values.size() ? values[place[i]] : "");
    }
    return texts;
  }

 private:
  struct Axis {
    std::size_t dimension;
    std::vector<std::string> values;
  };
  std::vector<Axis> axes_;
};

void add_steps(const ResultSet& results, const Points& points, std::map<Place, Pair>& pairs,
               stats::Measured Pair::*side) {
  for (const ResultRow& row : results.rows) {
    stats::Measured& measured = pairs[points.place_of(results, row)].*side;
    measured.processes.push_back(row.samples.empty() ? std::vector{row.stats.mean} : row.samples);
  }
}

}  // namespace

Result<ComparedResults> compare_results(ComparedSide a, ComparedSide b,
                                        const stats::CompareOptions& options) {
  ComparedResults compared;
  compared.unit = a.results.unit;
  const ResultSet of_a = keep_what_counts(std::move(a.results), compared);
  const ResultSet of_b = keep_what_counts(std::move(b.results), compared);
  for (const auto& [side, results] : {std::pair{&a, &of_a}, std::pair{&b, &of_b}}) {
    if (!results->rows.empty()) continue;
    return Error{ErrorCode::kNotFound,
                 fmt::format("no attempt of `{}` is done and valid", side->name)};
  }
  if (const auto apart = refuse_shared(of_a, of_b); !apart) return apart.error();

  const Points points(of_a, of_b, compared);
  std::map<Place, Pair> pairs;
  add_steps(of_a, points, pairs, &Pair::a);
  add_steps(of_b, points, pairs, &Pair::b);
  for (const auto& [place, pair] : pairs) {
    if (pair.b.processes.empty()) {
      ++compared.only_a;
    } else if (pair.a.processes.empty()) {
      ++compared.only_b;
    } else {
      compared.points.push_back({points.texts_of(place), stats::compare(pair.a, pair.b, options)});
    }
  }
  if (compared.points.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("`{}` and `{}` have no point in common: {} and {} points, told apart "
                             "by {}",
                             a.name, b.name, compared.only_a, compared.only_b,
                             compared.axes.empty() ? "nothing" : compared.axes.front().name)};
  }
  std::vector<stats::Comparison> all;
  for (const ComparedPoint& point : compared.points) all.push_back(point.comparison);
  stats::control_false_discoveries(all, options);
  for (std::size_t i = 0; i < all.size(); ++i) compared.points[i].comparison = all[i];
  return compared;
}

}  // namespace sweepd
