// The lines under a table: what its figures are, what they cover, and cautions. notes.cpp lists the
// makers of notes in their order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/report/cell/pooling.h"
#include "runner/report/cell/table_value.h"
#include "runner/report/notes/significance.h"

namespace sweepd::report {

// The results behind a cell, as far as notes are about them.
struct NotedCell {
  std::string name, row_name;  // "small, bf16 forward" and "small"; "" for the only cell
  std::vector<const ResultRow*> rows;
  const Axes* axes;
  // False if another cell that shows the same results is noted, too.
  bool notes_results = true;
  // False for a baseline that gives no comparison, and for a column that is omitted.
  bool shown = true;
  // The results if the cell shows their mean and no other cell of these results does, else null.
  const ResultSet* mean_of = nullptr;

  std::vector<const ResultRow*> done() const;
  static bool is_done(const ResultRow& row);  // an analytic figure exists for any outcome
};

// The input of every maker of notes.
struct TableOfNotes {
  const QuerySpec& query;
  const std::vector<TableValue>& values;
  const std::vector<ValueColumn>& columns;
  const std::vector<Key>& rows;  // the shown ones, in order
  std::size_t all_rows = 0;
  const std::vector<NotedCell>& cells;
  const Significance& significance;
  const UnsaidPooling& pooling;
};

using NoteLines = std::vector<std::string>;

// Adds all notes, cautions last; the number of these is Table::warnings.
void add_notes(const TableOfNotes& of, Table& table);

// Each returns its lines, none if there is nothing to note.
namespace notes {

// "mean ± std of time, n = 10", by value where they differ. Nothing if all figures are exact, as
// formulas and sizes are.
NoteLines figures(const TableOfNotes& of);
// "compared with precision fp32 by the means"
NoteLines baseline(const TableOfNotes& of);
// Explains `{sem}` and `{ci95}` of the shown rows, and why some cells have none.
NoteLines errors(const TableOfNotes& of);
// Explains the p values and bold cells, and why some cells have no p (significance.cpp).
NoteLines significance(const TableOfNotes& of);
// "bold: the smallest mean in each row", by value if there are several (best.cpp).
NoteLines best(const TableOfNotes& of);
// "geometric mean of the speed-ups: compiled 1.50 over 20 rows, largest 2.31 (64 256)". Invalid
// cells do not count, nor the baseline's own.
NoteLines speedups(const TableOfNotes& of);
// "only results with pass profile", for filters that neither rows and columns nor the caption show,
// and one line for the filters of single columns: "columns bf16 and Change: precision bf16".
NoteLines filters(const TableOfNotes& of);
// Names in the table that no result has, once some attempt is done: they may be misspelt. A sweep
// that never ran is listed at once.
NoteLines unknown_names(const TableOfNotes& of);
// One line for all devices of published figures, then one for each remark: "000, 001: a sum".
NoteLines remarks(const TableOfNotes& of);
// "no MFU or roofline floor in 4 cells, because the device's peak in fp32 is unknown: ..."
NoteLines peaks(const TableOfNotes& of);
// "the first 10 of 40 rows"
NoteLines limit(const TableOfNotes& of);

// "‡ suspect in tiny: the device was throttled; in 4 cells: ..."
NoteLines marks(const TableOfNotes& of);
// "§ in 2 of 12 cells the steps are bimodal: ..."; one line a kind, in alphabetical order.
NoteLines unsteady(const TableOfNotes& of);
// The mark `?`: whether the cell changed, and so should be bold, is unknown (significance.cpp).
NoteLines unjudged(const TableOfNotes& of);
// "in 2 of 12 cells the mean is more than a tenth above the median, ...", of cells that show no
// median and are times of at least five steps.
NoteLines slow_steps(const TableOfNotes& of);
// Pooling of different trials that the table neither names nor allows.
NoteLines unsaid_pooling(const TableOfNotes& of);
// How many attempts or trials a cell pools, and whether repeats agree. The spread inside each
// attempt cannot show this: each process has other memory addresses, clock and temperature.
NoteLines pooled(const TableOfNotes& of);
// "…: not measured yet (3 attempts pending)"
NoteLines pending(const TableOfNotes& of);
// "context 512, fp32 forward: 2 of 3 attempts done (1 timeout)"
NoteLines partly_done(const TableOfNotes& of);
// Why attempts are not done, by outcome.
NoteLines ended(const TableOfNotes& of);
// "context 4096: 12 of 50 steps were measured before the timeout, mean 512.3 ms; ..."
NoteLines partial_steps(const TableOfNotes& of);

}  // namespace notes
}  // namespace sweepd::report
