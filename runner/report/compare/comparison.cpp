#include "runner/report/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runner/report/cell/processes.h"
#include "runner/report/compare/comparison_pairing.h"
#include "runner/stats/false_discovery.h"

namespace sweepd {
namespace {

using report::add_what_ran;
using report::ComparisonPairing;
using report::PointPlace;
using report::RanAtPoint;
using report::SideDifferences;

// The attempts of one point on both sides.
struct Pair {
  stats::Measured a, b;
  RanAtPoint ran_a, ran_b;
};
bool counts(const ResultRow& row) {
  return !row.pending && row.outcome == Outcome::kDone && row.verdict != Verdict::kInvalid &&
         row.stats.n > 0;
}

// Removes and counts attempts that cannot be compared.
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

// Whether the user's choice of sides implies a difference of this name. Builds differ in code, and
// hosts in devices.
bool belongs_to(std::string_view asked, std::string_view name) {
  const auto both_of = [&](std::string_view first, std::string_view second) {
    return (asked == first || asked == second) && (name == first || name == second);
  };
  return asked == name || both_of("host", "device_name") || both_of("build", "code");
}

// Two sweeps of equal parameters are compared because of their code or machine. Otherwise code,
// build, LibTorch and driver are expected to be equal, and between two values of a parameter so is
// the machine.
void note_differences(const ComparisonPairing& points, const SideDifferences& ran,
                      std::string_view asked, ComparedResults& compared) {
  const auto add = [&](const auto& difference, bool expected) {
    const auto& [name, text] = difference;
    (expected || belongs_to(asked, name) ? compared.differ : compared.also_differ)
        .push_back(fmt::format("{}{}{}", name, text.starts_with("at ") ? " " : "=", text));
  };
  for (const auto& each : points.differ()) add(each, asked.empty() || each.first != "host");
  const auto differences = ran.texts();
  const bool only_what_ran = asked.empty() && compared.differ.empty();
  for (const auto& each : differences) {
    add(each, only_what_ran || (asked.empty() && each.first == "device_name"));
  }
}

struct OfSide {
  stats::Measured Pair::*measured;
  RanAtPoint Pair::*ran;
};

void add_steps(const ResultSet& results, const std::map<AttemptId, WhatRan>& ran,
               const ComparisonPairing& points, std::map<PointPlace, Pair>& pairs, OfSide side) {
  for (const ResultRow& row : results.rows) {
    Pair& pair = pairs[points.place_of(results, row)];
    stats::Measured& measured = pair.*side.measured;
    measured.processes.push_back(row.samples.empty() ? std::vector{row.stats.mean} : row.samples);
    measured.started.push_back(row.started.ns);
    add_what_ran(results, row, ran, pair.*side.ran);
  }
}

}  // namespace

Result<void> refuse_shared(const ResultSet& a, const ResultSet& b) {
  std::set<AttemptId> ids;
  for (const ResultRow& row : a.rows) ids.insert(row.attempt);
  const auto shared =
      std::ranges::find_if(b.rows, [&](const ResultRow& row) { return ids.contains(row.attempt); });
  if (shared == b.rows.end()) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("both sides count attempt {}, so there is nothing to compare: a sweep "
                           "reuses earlier results",
                           shared->attempt)};
}

Result<ComparedResults> compare_results(ComparedSide a, ComparedSide b,
                                        const stats::CompareOptions& options,
                                        std::string_view asked) {
  ComparedResults compared;
  compared.unit = a.results.unit;
  compared.better = a.results.better;
  const std::string metric = a.results.metric.empty() ? "time" : a.results.metric;
  for (const ComparedSide* side : {&a, &b}) {
    if (!side->results.rows.empty()) continue;
    return Error{ErrorCode::kNotFound,
                 fmt::format("no attempt of `{}` measures `{}`", side->name, metric)};
  }
  const ResultSet of_a = keep_what_counts(std::move(a.results), compared);
  const ResultSet of_b = keep_what_counts(std::move(b.results), compared);
  for (const auto& [side, results] : {std::pair{&a, &of_a}, std::pair{&b, &of_b}}) {
    if (!results->rows.empty()) continue;
    return Error{ErrorCode::kNotFound,
                 fmt::format("no attempt of `{}` is done and valid", side->name)};
  }
  if (const auto apart = refuse_shared(of_a, of_b); !apart) return apart.error();

  const ComparisonPairing points(of_a, of_b);
  compared.axes = points.axes();
  std::map<PointPlace, Pair> pairs;
  add_steps(of_a, a.ran, points, pairs, {&Pair::a, &Pair::ran_a});
  add_steps(of_b, b.ran, points, pairs, {&Pair::b, &Pair::ran_b});
  SideDifferences ran;
  for (auto& [place, pair] : pairs) {
    report::keep_known_times(pair.a);
    report::keep_known_times(pair.b);
    if (pair.b.processes.empty()) {
      ++compared.only_a;
    } else if (pair.a.processes.empty()) {
      ++compared.only_b;
    } else {
      compared.points.push_back({points.texts_of(place), stats::compare(pair.a, pair.b, options)});
      ran.add(pair.ran_a, pair.ran_b);
    }
  }
  if (compared.points.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("`{}` and `{}` have no point in common: {} and {} points, told apart "
                             "by {}",
                             a.name, b.name, compared.only_a, compared.only_b,
                             compared.axes.empty() ? "nothing" : compared.axes.front().name)};
  }
  note_differences(points, ran, asked, compared);
  std::vector<stats::Comparison> all;
  for (const ComparedPoint& point : compared.points) all.push_back(point.comparison);
  stats::control_false_discoveries(all, options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (compared.better == Better::kLarger) all[i].change = stats::opposite(all[i].change);
    compared.points[i].comparison = all[i];
  }
  return compared;
}

}  // namespace sweepd
