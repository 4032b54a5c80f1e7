#include "runner/client/study/trimming.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "runner/base/text.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {
namespace {

// Of a figure's details.
constexpr std::string_view kOutcomeColumn = " outcome";
constexpr std::string_view kAttemptColumn = " attempt";

// The texts of the columns that end so, without empty ones.
std::vector<std::string> texts_of(const DocumentTable& table, std::string_view column) {
  std::vector<std::string> texts;
  if (!table.details) return texts;
  for (std::size_t c = 0; c < table.details->columns.size(); ++c) {
    if (!table.details->columns[c].name.ends_with(column)) continue;
    for (const std::vector<Cell>& row : table.details->rows) {
      if (!row[c].text.empty()) texts.push_back(row[c].text);
    }
  }
  return texts;
}

}  // namespace

bool is_skipped(const DocumentTable& table) {
  const std::vector<std::string> outcomes = texts_of(table, kOutcomeColumn);
  return !outcomes.empty() && std::ranges::all_of(outcomes, [](const std::string& outcome) {
    return outcome == name_of(Outcome::kSkipped);
  });
}

std::vector<std::string> attempts_behind(const DocumentTable& table) {
  std::vector<std::string> attempts;
  for (const std::string& cell : texts_of(table, kAttemptColumn)) {
    for (const std::string& id : split(cell, ' ')) {
      if (std::ranges::find(attempts, id) == attempts.end()) attempts.push_back(id);
    }
  }
  return attempts;
}

std::string without_remedy(const std::string& reason) {
  return reason.substr(0, reason.find("; "));
}

std::string skipped_in_words(const std::vector<std::string>& titles,
                             const std::vector<std::string>& reasons) {
  return fmt::format("Skipped here{}: **{}**.",
                     reasons.empty() ? "" : " (" + join(reasons, "; ") + ")",
                     join(titles, "**, **"));
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
