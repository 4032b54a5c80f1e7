// Turns long-form results into a table, and a table into text. Pure: the same input gives the same
// bytes, on any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// A cell template: text with `{name}` or `{name:format}`; `{{` and `}}` are braces.
//
//   statistics  n mean std min p05 median p95 max mad sum; the mean of a bandwidth is its bytes by
//               the mean time
//   errors      sem ci95: the standard error of the mean, and half of its 95 % confidence interval,
//               over the cell's attempts; "—" for one attempt (processes.h)
//   derived     tokens_per_s tflops hardware_tflops gbps mfu hfu bandwidth_share: the work by the
//               time that the table shows, its median where only that is shown, else its mean; 1 GB
//               = 10^9 B. tokens_per_joule: by the metric `energy`. tflops and mfu are of the
//               model's FLOPs, hardware_tflops and hfu also of those that a kernel repeats
//   roofline    floor: the least time that the device's peaks allow, the larger of the hardware's
//               FLOPs / peak and
//               bytes / peak bandwidth (Williams et al. 2009); reached: floor by the time
//   compared    difference change ratio speedup baseline: with the mean of the table's baseline,
//               this - baseline, that by the baseline, this / baseline, baseline / this, itself;
//               with `_median` (speedup_median ...) the same of the medians; p: the p value of the
//               difference, corrected for all cells (significance.h)
//   words       outcome verdict text
//   format      [+][,][.digits][f|e|g|%|d] as in Python: `+` shows the sign, `,` groups thousands,
//               `%` shows a share in percent, `d` is for n. Without a format: six significant
//               digits
//
// A figure that does not exist (a share of an unknown peak, the std of one value) shows as "—".
struct CellTemplate {
  struct Part {
    std::string literal;
    std::string name;    // "" for a literal
    std::string format;  // the text after the colon
  };
  std::vector<Part> parts;
  // Order statistics of several attempts cannot be pooled from summaries.
  bool needs_samples() const;
};
// "" gives an empty template; pivot() then chooses one by unit and size of the values. Errors name
// the column and the nearest name.
Result<CellTemplate> parse_cell(std::string_view text);

// Returns a table's values with their missing keys filled in from the table. A table
// without `values` gives one.
std::vector<TableSpec::Value> complete_values(const TableSpec& table);

// Whether all values are computed by formulas.
bool shows_formulas(const TableSpec& table);

// Whether a table shows medians and no means of the times of its rates. They are by the median too
// then.
bool rates_by_median(const TableSpec& table);

// The results to read for a table. Values that show the same results share a read, also with a
// baseline.
struct TableReads {
  struct Use {
    std::size_t results = 0;              // index into `reads`
    std::optional<std::size_t> baseline;  // their baseline
  };
  std::vector<QuerySpec> reads;  // `cell` names the figures that are needed
  std::vector<Use> uses;         // one for each value
};
TableReads plan_reads(const QuerySpec& query);

// Whether the cell or a sort key needs ResultRow::samples. False for an invalid cell.
bool needs_samples(const QuerySpec& query);

// Checks names, cells, units and sort keys before anything is read. Returns an empty list for a
// valid table. `declared` are the workload's own metrics.
std::vector<TableMistake> mistakes_in(const TableSpec& table,
                                      const std::vector<std::string>& dimensions,
                                      const std::vector<MetricDef>& declared = {});
// The same check, with all mistakes in one message.
Result<void> validate(const TableSpec& table, const std::vector<std::string>& dimensions,
                      const std::vector<MetricDef>& declared = {});

// Rows and columns in the dimensions' display order; a point that the sweep never had is "".
//
//   several attempts in one cell  pooled as if their samples were one list; a note says so
//   different trials in one cell  an error, unless TableSpec::pool names what they differ in; in a
//                                 declared table a warning among the notes
//   some of them not done         the done ones count; a note says how many did not
//   none of them done             the outcome's word (OOM, timeout ...), "…" while pending
//   invalid (†), suspect (‡)      shown with the mark, the reasons in the notes. An invalid cell
//                                 has no Cell::number: a figure that broke physics must not slip
//                                 into somebody's arithmetic
//   steps not on one level (§)    shown with the mark; a note says in how many cells, and how
//   not judged (?)                a cell that would be bold if it had changed, and nothing, such as
//                                 a spread between steps, says whether it has
//   a mean above the median       by more than a tenth, because of a few slow steps: a note says in
//                                 how many of the cells that show no median
//
// A column is named by its values ("bf16 forward", "context 512, backward"), or by the metric when
// the query has no columns; dimensions alone have no unit ("1" is a number without a unit). `unit`
// is the target: ns us ms s m, or B KB MB GB TB KiB MiB GiB TiB (1 MB = 10^6 B). Sorting by a
// statistic looks at each row's first column that has a value; rows without one come last.
// Errors: unknown names, a wrong cell, an impossible conversion, samples needed but absent, cells
// that would pool parameters without permission.
//
// `results` are of plan_reads(query).reads, in its order. Values stand side by side in each column;
// a point that only some of them have is "" in the others. A cell with a comparison shows "—" where
// the baseline has no valid figure, and for the difference of the baseline with itself.
Result<Table> pivot(std::vector<ResultSet> results, const QuerySpec& query);
// Uses the same results for every value and the baseline.
Result<Table> pivot(const ResultSet& results, const QuerySpec& query);

// Keeps at most three notes: the meaning of marks first, then that of the figures, then warnings.
// The last one says how many more there are, and `where`: "`--notes all` shows them".
Table with_few_notes(Table table, const std::string& where);

// GitHub's dialect, padded so that the source reads as a table too.
std::string to_markdown(const Table& table);
std::string notes_in_markdown(const Table& table);  // its title and notes alone
// RFC 4180: CRLF line ends, a header row with units in parentheses, numbers unrounded. The
// caption's constants are columns behind the others.
std::string to_csv(const Table& table);
// {"title","caption"?,"constants"?:{"name":"text"},"columns":[{"name","unit"}],
// "rows":[[number|"text"|null ...]],"notes":[]}. Numbers are unrounded; null is an empty cell or a
// number that is not finite.
std::string to_json_text(const Table& table);
// For a terminal of `width` columns, 0 for any width. Long text continues on lines below. A table
// that is still too wide continues below with the row headers repeated.
std::string to_text(const Table& table, std::size_t width);
// A floating table with a caption, for a document that uses the package booktabs.
std::string to_latex(const Table& table);

// As a part of a page. Numbers are attributes of their cells (`data-v`), so that a script can sort.
// A cell names the notes that explain its marks, by their positions (`data-m`).
// `details`, if given, is the same table with the columns n, verdict, outcome and attempt behind
// each figure's: they become the figure's tooltip. Ignored if it does not show the same rows and
// columns. Every text is escaped.
std::string to_html(const Table& table, const Table* details = nullptr);
// The notes below a table or a plot, folded unless it is a short one. "" without notes. The fold
// names the last `warnings` of them.
std::string notes_to_html(const std::vector<std::string>& notes, std::size_t warnings);

enum class Format { kMarkdown, kCsv, kJson, kText, kLatex, kHtml };
Result<Format> format_from(std::string_view name);  // one of format_words()
std::vector<std::string> format_words();
std::string render(const Table& table, Format format, std::size_t width);

}  // namespace sweepd
