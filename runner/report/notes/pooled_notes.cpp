// The notes on what a table's cells pool.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "runner/base/text.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/notes/notes.h"

namespace sweepd::report {
namespace {

// Counts distinct attempts of rows that outlive it; a row without an id counts as one. A row
// that the reader pooled counts as several.
class AttemptCount {
 public:
  void add(const ResultRow& row) {
    if (row.attempt.empty()) ++more_;
    if (!row.attempt.empty()) ids_.insert(row.attempt);
    more_ += static_cast<std::size_t>(row.attempts) - 1;
  }
  std::size_t size() const { return ids_.size() + more_; }

 private:
  std::unordered_set<std::string_view> ids_;
  std::size_t more_ = 0;
};

// Whether repeated attempts of one trial agree.
class Agreement {
 public:
  // Adds the attempts of one cell. A cell is skipped if one of them has fewer than two samples,
  // because that attempt has no spread.
  void add_cell(const std::vector<const ResultRow*>& attempts) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    double least = kFar, most = -kFar, lowest_end = kFar, highest_begin = -kFar, sum = 0;
    for (const ResultRow* row : attempts) {
      const Stats& stats = row->stats;
      if (row->attempts != 1 || stats.n < 2 || !std::isfinite(stats.mean)) return;
      least = std::min(least, stats.mean);
      most = std::max(most, stats.mean);
      lowest_end = std::min(lowest_end, stats.mean + stats.std);
      highest_begin = std::max(highest_begin, stats.mean - stats.std);
      sum += stats.mean;
    }
    if (attempts.size() < 2) return;
    ++cells_;
    if (highest_begin <= lowest_end) ++agreeing_;
    const double mean = std::abs(sum / static_cast<double>(attempts.size()));
    if (mean > 0) widest_ = std::max(widest_, (most - least) / mean);
  }

  // "; their means differ by up to 12% and agree within ± std in 10 of 12 cells", or "" if no cell
  // was added.
  std::string words() const {
    if (cells_ == 0) return "";
    return fmt::format(
        "; their means differ by up to {:.0f}% and agree within ± std in {} of {} {}",
        100 * widest_, agreeing_, cells_, cells_ == 1 ? "cell" : "cells");
  }

 private:
  std::size_t cells_ = 0, agreeing_ = 0;
  double widest_ = 0;  // largest minus smallest mean, as a share of the cell's
};

// What the cells pool.
class PooledCells {
 public:
  void add(const std::vector<const ResultRow*>& done, const Axes& axes);
  NoteLines lines() const;

 private:
  std::size_t cells_of_several_trials_ = 0, cells_of_several_attempts_ = 0, cells_of_parts_ = 0;
  bool trials_known_ = true;
  std::size_t fewest_attempts_ = 0, most_attempts_ = 0;
  std::set<std::string> differences_;
  Agreement agreement_;
};

void PooledCells::add(const std::vector<const ResultRow*>& done, const Axes& axes) {
  AttemptCount counted_attempts;
  for (const ResultRow* row : done) counted_attempts.add(*row);
  const std::size_t attempts = counted_attempts.size();
  fewest_attempts_ = fewest_attempts_ == 0 ? attempts : std::min(fewest_attempts_, attempts);
  most_attempts_ = std::max(most_attempts_, attempts);
  if (attempts < done.size()) ++cells_of_parts_;
  if (attempts > 1 || done.size() > 1) {
    for (const auto& difference : axes.hidden_differences(done)) {
      differences_.insert(difference.name);
    }
  }
  if (attempts < 2) return;
  ++cells_of_several_attempts_;
  trials_known_ &=
      std::ranges::none_of(done, [](const ResultRow* row) { return row->trial.empty(); });
  if (one_trial(done) == OneTrial::kNo) {
    ++cells_of_several_trials_;
  } else if (attempts == done.size()) {
    agreement_.add_cell(done);
  }
}

NoteLines PooledCells::lines() const {
  NoteLines lines;
  const std::vector<std::string> names(differences_.begin(), differences_.end());
  const std::string hidden =
      names.empty() ? "what is not shown" : join(names, ", ") + " (not shown)";
  if (cells_of_parts_ > 0) {
    lines.push_back(fmt::format(
        "pooled: {} several figures of one attempt, which differ in {}",
        counted(cells_of_parts_, "cell") + (cells_of_parts_ == 1 ? " holds" : " hold"), hidden));
  }
  if (cells_of_several_attempts_ == 0) return lines;
  const bool one = cells_of_several_attempts_ == 1;
  if (cells_of_several_trials_ > 0) {
    lines.push_back(
        fmt::format("pooled: {} of different trials, which differ in {}",
                    counted(cells_of_several_trials_, "cell") +
                        (cells_of_several_trials_ == 1 ? " holds results" : " hold results"),
                    hidden));
  } else if (!trials_known_) {
    lines.push_back(fmt::format(
        "pooled: {} several attempts (repeats, hosts, or trials that differ in {})",
        counted(cells_of_several_attempts_, "cell") + (one ? " holds" : " hold"), hidden));
  } else {
    const std::string range = fewest_attempts_ == most_attempts_
                                  ? std::to_string(most_attempts_)
                                  : fmt::format("{} to {}", fewest_attempts_, most_attempts_);
    lines.push_back("pooled: each figure is of " + range + " attempts of its trial" +
                    agreement_.words());
  }
  return lines;
}

// "xl 512, fp32 forward: 2 of 3 attempts done (1 timeout)"
std::string unfinished_line(const NotedCell& cell) {
  AttemptCount all, done, pending;
  std::map<Outcome, AttemptCount> others;
  for (const ResultRow* row : cell.rows) {
    all.add(*row);
    if (NotedCell::is_done(*row)) {
      done.add(*row);
    } else if (row->pending) {
      pending.add(*row);
    } else {
      others[row->outcome].add(*row);
    }
  }
  std::vector<std::string> words;
  words.reserve(others.size() + 1);
  for (const auto& [outcome, attempts] : others) {
    words.push_back(fmt::format("{} {}", attempts.size(), info_of(outcome).cell));
  }
  if (pending.size() > 0) words.push_back(fmt::format("{} pending", pending.size()));
  return fmt::format("{}: {} of {} done ({})", cell.name.empty() ? "all" : cell.name, done.size(),
                     counted(all.size(), "attempt"), join(words, ", "));
}

}  // namespace

namespace notes {

NoteLines pooled(const TableOfNotes& of) {
  PooledCells cells;
  for (const NotedCell& cell : of.cells) {
    const auto done = cell.done();
    if (cell.notes_results && !done.empty()) cells.add(done, *cell.axes);
  }
  return cells.lines();
}

NoteLines pending(const TableOfNotes& of) {
  AttemptCount attempts;  // of cells that show nothing else
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results || !cell.shown || !cell.done().empty()) continue;
    for (const ResultRow* row : cell.rows) {
      if (row->pending) attempts.add(*row);
    }
  }
  if (attempts.size() == 0) return {};
  return {fmt::format("…: not measured yet ({} pending)", counted(attempts.size(), "attempt"))};
}

NoteLines partly_done(const TableOfNotes& of) {
  constexpr std::size_t kMost = 5;  // cells listed one by one
  NoteLines lines;
  std::size_t more = 0;
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results) continue;
    const std::size_t done = cell.done().size();
    if (done == 0 || done == cell.rows.size()) continue;
    if (lines.size() < kMost) {
      lines.push_back(unfinished_line(cell));
    } else {
      ++more;
    }
  }
  if (more > 0) {
    lines.push_back(
        fmt::format("{}: only the attempts that are done count", counted(more, "more cell")));
  }
  return lines;
}

}  // namespace notes
}  // namespace sweepd::report
