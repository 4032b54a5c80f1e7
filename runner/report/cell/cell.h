// From pooled figures to the text of one cell, and the words for the contents of cells.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/table.h"
#include "runner/report/cell/pool.h"
#include "runner/report/cell/report.h"

namespace sweepd::report {

// Properties that all cells of a table share.
struct CellStyle {
  CellTemplate cell;
  std::string unit;        // of the results
  std::string shown_unit;  // after conversion
  Conversion convert;
  Bold bold = Bold::kNone;
  RateBasis basis = RateBasis::kMean;
};

// Enough decimals that the smallest mean has three digits; "± std" only if a cell has several
// values. One choice for the whole table, so that its decimals line up.
std::string default_cell(const std::vector<Pooled>& cells, const CellStyle& style);

// One cell's content. Words are "" where they do not apply.
struct CellContent {
  const Pooled* pooled = nullptr;  // never null; n = 0 in a cell of words only
  Partner partner;
  std::string outcome;  // "done", "OOM", "…"
  std::string text;     // a fact that is no number
};
Result<Cell> figure_cell(const CellContent& content, const CellStyle& style);

bool shows_words_only(const CellTemplate& cell);
bool compares(const CellTemplate& cell);
bool judges(const CellStyle& style);  // whether bold marks changed cells
bool shows(const CellTemplate& cell, std::string_view figure);

std::string_view mark_of(Verdict verdict);              // "", "‡", "†"
inline constexpr std::string_view kUnsteadyMark = "§";  // follows that of the verdict
// Follows the others: whether the cell should be bold is unknown, since its difference cannot be
// judged.
inline constexpr std::string_view kUnjudgedMark = "?";

// "peak allocated" for peak_allocated_bytes, "skew mean" for fact.skew_mean_ms: the unit stands
// beside it.
std::string metric_label(const std::string& metric);
// "mean ± std", "mean (speedup)", "TFLOP/s": the template with its figures' names in place of their
// values, without letters that belong to a value ("{speedup:.2f}x").
std::string template_label(const CellTemplate& cell);
// "mean ± std of time, n = 10 to 30": for the caption. "" when no figure is shown.
std::string caption(const CellStyle& style, const std::string& metric, std::int64_t fewest,
                    std::int64_t most);
// " (rates by its mean)" where the cell shows rates, else "".
std::string basis_of_rates(const CellStyle& style);
// Unit of the value columns: the shown one for statistics, a rate's own when only it is shown, "1"
// where there is none.
std::string value_unit(const CellStyle& style);

}  // namespace sweepd::report
