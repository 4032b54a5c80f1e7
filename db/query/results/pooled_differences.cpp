// Finds the parameters that the trials of each cell share beside those of rows and columns.
#include <string>
#include <unordered_map>
#include <vector>

#include "db/query/results/pooled_reader.h"
#include "runner/base/text.h"

namespace sweepd {

// Compares trials until no cell has anything in common. Most axes differ within the first few
// hundred trials, and their columns are the last and most expensive ones of a row.
void PooledReader::find_differences(std::vector<SelectedAttempt>& singles) {
  if (other_columns_.empty()) return;
  constexpr std::size_t kFew = 1000;  // at most this many are looked up by id
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> alone;
  for (const SelectedAttempt& single : singles) alone[single.trial];
  for (const Cell& cell : cells_) {
    // A cell with a single trial has the parameters of that trial.
    if (!cell.several_trials) alone[trials_[attempts_[cell.attempt].trial].id];
  }
  undecided_ = cells_.size();
  std::vector<std::uint32_t> codes(other_columns_.size());
  const auto read = [&](const RowValues& row) {
    const std::uint32_t found = trial_of_id_.find(row.integer(0));
    if (found == RowIndex::kNone || trials_[found].attempt == kNone) return;
    const TrialAt& trial = trials_[found];
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = other_columns_[i].code(row, static_cast<int>(i) + 1);
      other_columns_[i].note(codes[i], trial.position);
    }
    const auto own = alone.find(trial.id);
    if (own != alone.end()) own->second = codes;
    compare(trial, codes);
  };
  const bool few = alone.size() <= kFew;
  if (few) {
    std::vector<std::string> ids;
    for (const auto& [id, unread] : alone) ids.push_back(std::to_string(id));
    state_.rows.each(difference_rows(plan_, "p.trial IN (" + join(ids, ", ") + ")"), read);
  }
  state_.rows.each(difference_rows(plan_, "1"), [&](const RowValues& row) {
    if (few && undecided_ == 0) return Visited::kStop;
    read(row);
    return Visited::kGoOn;
  });
  for (SelectedAttempt& single : singles) {
    const std::vector<std::uint32_t>& own = alone[single.trial];
    for (std::size_t i = 0; i < own.size(); ++i) {
      single.at[other_columns_[i].dimension()] = own[i];
    }
  }
}

void PooledReader::compare(const TrialAt& trial, const std::vector<std::uint32_t>& codes) {
  for (std::uint32_t at = trial.attempt; at != kNone; at = attempts_[at].before) {
    const AttemptAt& attempt = attempts_[at];
    if (!attempt.trusted) continue;
    for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
      if ((attempt.phases >> phase & 1) == 0) continue;
      Cell& cell = cells_[cell_of_place_[phase][attempt.place] - 1];
      if (!cell.decided) compare(cell, codes);
    }
  }
}

void PooledReader::compare(Cell& cell, const std::vector<std::uint32_t>& codes) {
  bool alike = false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::uint32_t& common = cell.at[other_columns_[i].dimension()];
    if (!cell.compared) common = codes[i];
    if (common != codes[i]) common = kEveryValue;
    if (common != kEveryValue) alike = true;
  }
  cell.compared = true;
  if (alike && cell.several_trials) return;
  cell.decided = true;
  --undecided_;
}

}  // namespace sweepd
