#include "runner/report/few_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/report/cell.h"
#include "runner/report/footnotes.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostNotes = 3;

// Without it a cell cannot be read.
bool explains_a_mark(std::string_view note) {
  return note.starts_with("ci95: ") || note.starts_with("sem: ") ||
         note.starts_with(report::mark_of(Verdict::kInvalid)) ||
         note.starts_with(report::mark_of(Verdict::kSuspect)) ||
         note.starts_with(report::kUnsteadyMark) || note.starts_with(report::kUnjudgedMark);
}

}  // namespace

Table with_few_notes(Table table, const std::string& where) {
  const std::size_t all = table.notes.size();
  if (all <= kMostNotes) return table;
  const std::size_t first_warning = all - table.warnings;
  std::vector<std::pair<int, std::size_t>> ranked;  // lower ranks stay
  for (std::size_t i = 0; i < all; ++i) {
    const bool mark = explains_a_mark(table.notes[i]), warns = i >= first_warning;
    ranked.emplace_back(mark ? 0 : i == 0 ? 1 : warns ? 2 : 3, i);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(kMostNotes);
  std::vector<std::size_t> kept;
  for (const auto& [rank, i] : ranked) kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  std::vector<std::string> notes;
  table.warnings = 0;
  for (const std::size_t i : kept) {
    notes.push_back(std::move(table.notes[i]));
    if (i >= first_warning) ++table.warnings;
  }
  notes.back() += fmt::format(" ({}: {})", report::counted(all - kMostNotes, "more note"), where);
  table.notes = std::move(notes);
  return table;
}

}  // namespace sweepd
