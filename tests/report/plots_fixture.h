// Plots of literal results: a specification and its results, as the daemon puts them together.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "runner/report/plot/plot_words.h"
#include "tests/report/results_builder.h"

namespace sweepd {

inline PlotSpec spec_of(const PlotWords& words) {
  const auto spec = plot_from_words(words);
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? *spec : PlotSpec{};
}

// The same results for every figure; `lines` for vertical lines.
inline Plot plot_of(const PlotWords& words, const ResultSet& results,
                    const ResultSet* lines = nullptr) {
  const PlotSpec spec = spec_of(words);
  QuerySpec base;
  base.declared = true;
  const PlotQueries queries = plot_queries(spec, base);
  const auto data = pivot(results, queries.data);
  EXPECT_TRUE(data) << data.error().message;
  Table drawn;
  if (queries.lines && lines != nullptr) {
    const auto made = pivot(*lines, *queries.lines);
    EXPECT_TRUE(made) << made.error().message;
    if (made) drawn = *made;
  }
  return finish_plot(spec, data ? *data : Table{}, std::move(drawn));
}

// Step times of two precisions over the context, where the last one of fp32 does not fit.
inline ResultSet times_over_context() {
  ResultsBuilder results;
  results.numbers("context", {"128", "256", "512"}).text("precision", {"fp32", "bf16"});
  int n = 0;
  for (const char* precision : {"fp32", "bf16"}) {
    for (const char* context : {"128", "256", "512"}) {
      ++n;
      if (n == 3) {
        results.ended({context, precision}, Outcome::kOom, "64 MiB too much").attempt = "a3";
        continue;
      }
      const double time = n <= 3 ? 10.0 * n : 3.0 * (n - 3);
      ResultRow& row = results.samples({context, precision}, {time - 1, time, time + 1});
      row.attempt = "a" + std::to_string(n);
      row.flops = 4e8 * time;
      row.peak_flops_per_s = 1e12;
    }
  }
  return results.get();
}

}  // namespace sweepd
