#include "runner/report/partial_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/report/footnotes.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kMaxPartial = 5;  // attempts listed one by one

}  // namespace

void PartialNotes::add_cell(const std::string& name, const std::string& row_name,
                            const std::vector<const ResultRow*>& rows) {
  for (const ResultRow* row : rows) {
    if (!row->partial) continue;
    const auto [entry, added] = index_.try_emplace(row->attempt, notes_.size());
    if (added) {
      notes_.push_back({name, row_name, describe(*row->partial, row->outcome)});
    } else if (Note& note = notes_[entry->second]; note.cell != name) {
      note.cell = note.row;
    }
  }
}

std::vector<std::string> PartialNotes::lines() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(notes_.size(), kMaxPartial); ++i) {
    const std::string& cell = notes_[i].cell;
    lines.push_back((cell.empty() ? "" : cell + ": ") + notes_[i].text);
  }
  if (notes_.size() > kMaxPartial) {
    lines.push_back(fmt::format("{} measured some steps too; `sweepctl show` has them",
                                counted(notes_.size() - kMaxPartial, "more attempt")));
  }
  return lines;
}

}  // namespace sweepd::report
