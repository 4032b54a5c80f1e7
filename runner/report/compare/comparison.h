// Compares the results of two sides point by point: pairs the attempts of equal parameters,
// compares their steps by runner/stats, and makes a table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/attempt/what_ran.h"
#include "runner/model/sweep/table.h"
#include "runner/stats/compare.h"

namespace sweepd {

// One side: every attempt's samples of one metric in one phase. All parameters that may distinguish
// points are dimensions; those of both sides are the same, in the same order.
struct ComparedSide {
  std::string name;  // heads its column
  ResultSet results;
  std::map<AttemptId, WhatRan> ran = {};  // of these attempts; unknown ones are not compared
};

// The results of one point on both sides.
struct ComparedPoint {
  std::vector<std::string> at;  // the axes' values as they are shown
  stats::Comparison comparison;
};

struct ComparedResults {
  std::vector<Dimension> axes;      // dimensions that distinguish points; their `values` are empty
  std::vector<std::string> differ;  // "precision=fp32 against bf16": the difference between the
                                    // sides
  // The same for unrequested differences, such as the driver of two hosts or the build of two
  // precisions: every ratio contains their effect.
  std::vector<std::string> also_differ;
  std::vector<ComparedPoint> points;                   // in display order
  std::size_t only_a = 0, only_b = 0;                  // points that one side lacks
  std::size_t suspect = 0, invalid = 0, not_done = 0;  // attempts; the last two are skipped
  std::size_t unsteady = 0;  // attempts that count, but whose steps are not on one level
  std::string unit;
  Better better = Better::kSmaller;  // of the metric; of a time, smaller
};

// Error: an attempt is on both sides.
Result<void> refuse_shared(const ResultSet& a, const ResultSet& b);

// `asked` is the name by which the user distinguished the sides, such as `precision` or `host`; ""
// if they are two sweeps. Errors: the sides share an attempt, or have no point in common.
Result<ComparedResults> compare_results(ComparedSide a, ComparedSide b,
                                        const stats::CompareOptions& options,
                                        std::string_view asked = "");

// One row a point; the geometric mean of all ratios is a note, and unrequested differences are
// warnings.
Table comparison_table(const ComparedResults& compared, const std::string& name_a,
                       const std::string& name_b, const stats::CompareOptions& options);

}  // namespace sweepd
