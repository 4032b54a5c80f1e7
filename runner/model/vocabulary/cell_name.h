// The names that may be in braces in a cell template (meanings: runner/report/cell/report.h): `db`
// reads their inputs, `report` computes and shows them.
#pragma once

#include <span>
#include <string_view>

namespace sweepd {

enum class NameKind {
  kMoment,    // pooled exactly from summaries: n mean std min max sum; floor
  kError,     // of the mean, from the means of the attempts: sem ci95
  kOrder,     // needs the samples when attempts are pooled
  kDerived,   // a rate: work divided by the time or energy that the table shows
  kCompared,  // with the baseline
  kWord,      // text
};

struct CellName {
  std::string_view name;
  NameKind kind;
  std::string_view label;  // its name in a table's header, if that is another one
  // Whether the samples must be read where a cell holds several attempts.
  bool needs_samples() const;
  // Whether FLOPs, bytes, tokens or the device's peaks must be read.
  bool needs_work() const;
  // `ratio_median` compares medians, `ratio` means.
  bool compares_medians() const { return kind == NameKind::kCompared && name.ends_with(kMedian); }
  // "ratio" for `ratio_median`
  std::string_view compared_figure() const {
    return compares_medians() ? name.substr(0, name.size() - kMedian.size()) : name;
  }
  // Whether it is in the metric's unit. A ratio is in none, and a rate has its own.
  bool in_unit_of_metric() const;

 private:
  static constexpr std::string_view kMedian = "_median";
};
std::span<const CellName> cell_names();
const CellName* find_cell_name(std::string_view name);  // null when unknown

}  // namespace sweepd
