#include "runner/daemon/handlers/note_drift.h"

#include <algorithm>
#include <utility>

namespace sweepd {

Result<DriftNotes> DriftNotes::read(Reader& reader) {
  const auto series = reader.sentinel_series();
  if (!series) return series.error();
  DriftNotes notes;
  notes.shifts_ = machine_shifts(*series);
  return notes;
}

void DriftNotes::add(const std::string& name, const SweepId& sweep, const ResultSet& results) {
  if (shifts_.empty()) return;
  auto group = std::ranges::find(groups_, name, &Group::name);
  if (group == groups_.end()) group = groups_.insert(group, {name, "", {}});
  for (const ResultRow& row : results.rows) {
    const bool counts =
        !row.pending && row.outcome == Outcome::kDone && row.verdict != Verdict::kInvalid;
    if (!counts) continue;
    if (row.attempt.empty()) {
      group->pooled_of = sweep;
    } else {
      group->attempts.insert(row.attempt);
    }
  }
}

Result<void> DriftNotes::write(Reader& reader, Table& table) const {
  if (shifts_.empty()) return {};
  std::vector<DriftGroup> spans;
  for (const Group& group : groups_) {
    auto own = group.pooled_of.empty()
                   ? reader.spans_of({group.attempts.begin(), group.attempts.end()})
                   : reader.spans_of_sweep(group.pooled_of);
    if (!own) return own.error();
    spans.push_back({group.name, std::move(*own)});
  }
  for (std::string& note : drift_notes(shifts_, spans)) {
    table.notes.push_back(std::move(note));
    ++table.warnings;
  }
  return {};
}

}  // namespace sweepd
