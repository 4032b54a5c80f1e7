#include "runner/client/study/trimming.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "runner/base/text.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {
namespace {

constexpr std::string_view kOutcomeColumn = " outcome";  // of a figure's details
constexpr std::string_view kSkippedNote = "skipped: ";

}  // namespace

bool is_mostly_skipped(const DocumentTable& table) {
  if (!table.details) return false;
  std::size_t skipped = 0, others = 0;
  for (std::size_t c = 0; c < table.details->columns.size(); ++c) {
    if (!table.details->columns[c].name.ends_with(kOutcomeColumn)) continue;
    for (const std::vector<Cell>& row : table.details->rows) {
      if (row[c].text.empty()) continue;
      ++(row[c].text == name_of(Outcome::kSkipped) ? skipped : others);
    }
  }
  return skipped > others;
}

std::string skipped_in_words(const std::vector<DocumentTable>& tables) {
  std::vector<std::string> titles, reasons;
  for (const DocumentTable& each : tables) {
    titles.push_back("**" + each.table.title + "**");
    for (const std::string& note : each.table.notes) {
      if (!note.starts_with(kSkippedNote)) continue;
      std::string reason = note.substr(kSkippedNote.size());
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
  }
  return fmt::format("Skipped here{}: {}.", reasons.empty() ? "" : " (" + join(reasons, "; ") + ")",
                     join(titles, ", "));
}

void cut_rows(DocumentTable& table, std::size_t most) {
  constexpr std::size_t kMostNotes = 2;
  std::vector<std::string>& notes = table.table.notes;
  if (notes.size() > kMostNotes) {
    // Warnings come last.
    notes.erase(notes.begin(), notes.end() - static_cast<std::ptrdiff_t>(kMostNotes));
    table.table.warnings = std::min(table.table.warnings, kMostNotes);
  }
  const std::size_t rows = table.table.rows.size();
  if (rows <= most) return;
  table.table.rows.resize(most);
  if (table.details && table.details->rows.size() == rows) table.details->rows.resize(most);
  if (notes.size() == kMostNotes) notes.erase(notes.begin());
  notes.push_back(fmt::format("{} of {} rows; the long form has all", most, rows));
}

}  // namespace sweepd
