#include "runner/report/footnotes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell.h"
#include "runner/report/layout.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kMaxReasons = 3;     // of one kind; `show` lists them all
constexpr std::size_t kMaxPartlyDone = 5;  // cells listed one by one
constexpr std::size_t kMaxCells = 2;       // named for one reason
constexpr std::size_t kMaxText = 160;      // of one reason: a command may be 400 letters long

// Cuts the text to the problem, without the command that fixes it, which may have 400 letters.
// `show` prints all of it.
std::string one_line(const std::string& text) {
  if (display_width(text) <= kMaxText) return text;
  const std::size_t clause = text.find("; ");
  const std::string front =
      clause < kMaxText ? text.substr(0, clause) : wrap(text, kMaxText).front();
  return front + " … (`sweepctl show` has the rest)";
}

// " in tiny, forward and small, forward", " in 6 cells"
std::string where(const std::vector<std::string>& cells) {
  if (cells.empty()) return "";
  if (cells.size() > kMaxCells) return " in " + counted(cells.size(), "cell");
  return " in " + join(cells, " and ");
}

// A load average makes each attempt's text unique.
std::string without_numbers(const std::string& text) {
  std::string kind;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) kind += c;
    if (digit && !kind.ends_with('#')) kind += '#';
  }
  return kind;
}

// Returns an identity for the attempt. Rows without an id are distinguished by their addresses.
std::string identity(const ResultRow& row) {
  return row.attempt.empty() ? fmt::format("{}", static_cast<const void*>(&row)) : row.attempt;
}

// An analytic figure exists for any outcome of its attempt.
bool is_done(const ResultRow& row) {
  return row.stats.n > 0 || (!row.pending && row.outcome == Outcome::kDone);
}

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

}  // namespace

std::string counted(std::size_t n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

// An attempt may have several reasons, one a line.
void Footnotes::Reasons::add(const std::string& note, const std::string& attempt,
                             const std::string& cell) {
  for (const std::string& reason : split(note, '\n')) add_one(reason, attempt, cell);
}

void Footnotes::Reasons::add_one(const std::string& whole, const std::string& attempt,
                                 const std::string& cell) {
  const std::string text = one_line(whole);
  const auto [entry, added] = index.try_emplace(without_numbers(text), all.size());
  if (added) all.push_back({text, {}, {}, false});
  Reason& reason = all[entry->second];
  reason.other_numbers |= reason.text != text;
  reason.attempts.insert(attempt);
  const bool known = !reason.cells.empty() && reason.cells.back() == cell;
  if (!cell.empty() && !known) reason.cells.push_back(cell);
}

// A single reason applies to every cell with the mark. If there are several, each must say where.
std::string Footnotes::Reasons::line(const std::string& heading) const {
  const bool same =
      std::ranges::all_of(all, [&](const Reason& each) { return each.cells == all.front().cells; });
  std::string line = heading;
  if (same && all.size() > 1) line += where(all.front().cells);
  for (std::size_t i = 0; i < std::min(all.size(), kMaxReasons); ++i) {
    const Reason& reason = all[i];
    if (i > 0) line += ";";
    if (!same) line += where(reason.cells);
    if (!reason.text.empty()) line += (line.ends_with(';') ? " " : ": ") + reason.text;
    std::vector<std::string> more;
    if (reason.attempts.size() > 1) more.push_back(counted(reason.attempts.size(), "attempt"));
    if (reason.other_numbers) more.emplace_back("with other numbers");
    if (!more.empty()) line += " (" + join(more, ", ") + ")";
  }
  if (all.size() > kMaxReasons) {
    line += "; and " + counted(all.size() - kMaxReasons, "other reason");
  }
  return line;
}

void Footnotes::add_cell(const std::string& name, const std::vector<const ResultRow*>& rows,
                         const Axes& axes) {
  std::vector<const ResultRow*> done;
  for (const ResultRow* row : rows) {
    if (row->pending && row->stats.n == 0) continue;
    if (!is_done(*row)) {
      ended_[row->outcome].add_one(row->note, identity(*row), name);
      continue;
    }
    done.push_back(row);
    if (row->verdict != Verdict::kValid) {
      marked_[row->verdict].add(row->note, identity(*row), name);
    }
  }
  if (!done.empty()) add_pooling(done, axes);
  unsteady_.add_cell(done);
  if (!done.empty() && done.size() < rows.size()) add_unfinished(name, rows);
}

void Footnotes::add_pooling(const std::vector<const ResultRow*>& done, const Axes& axes) {
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
  bool several = false;
  for (const ResultRow* row : done) {
    several |= row->several_trials || row->trial != done.front()->trial;
    trials_known_ &= !row->trial.empty();
  }
  if (several) {
    ++cells_of_several_trials_;
  } else if (attempts == done.size()) {
    agreement_.add_cell(done);
  }
}

// "xl 512, fp32 forward: 2 of 3 attempts done (1 timeout)"
void Footnotes::add_unfinished(const std::string& name, const std::vector<const ResultRow*>& rows) {
  AttemptCount all, done, pending;
  std::map<Outcome, AttemptCount> others;
  for (const ResultRow* row : rows) {
    all.add(*row);
    if (is_done(*row)) {
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
  partly_done_.push_back(fmt::format("{}: {} of {} done ({})", name.empty() ? "all" : name,
                                     done.size(), counted(all.size(), "attempt"),
                                     join(words, ", ")));
}

void Footnotes::append_pooling(std::vector<std::string>& lines) const {
  const std::vector<std::string> names(differences_.begin(), differences_.end());
  const std::string hidden =
      names.empty() ? "what is not shown" : join(names, ", ") + " (not shown)";
  if (cells_of_parts_ > 0) {
    lines.push_back(fmt::format(
        "pooled: {} several figures of one attempt, which differ in {}",
        counted(cells_of_parts_, "cell") + (cells_of_parts_ == 1 ? " holds" : " hold"), hidden));
  }
  if (cells_of_several_attempts_ == 0) return;
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
}

std::string Footnotes::marks() const {
  std::vector<std::string> lines;
  for (const Verdict verdict : {Verdict::kInvalid, Verdict::kSuspect}) {
    const auto found = marked_.find(verdict);
    if (found == marked_.end()) continue;
    lines.push_back(found->second.line(fmt::format("{} {}", mark_of(verdict), name_of(verdict))));
  }
  for (std::string& line : unsteady_.lines()) lines.push_back(std::move(line));
  return join(lines, "; ");
}

std::vector<std::string> Footnotes::lines() const {
  std::vector<std::string> lines;
  append_pooling(lines);
  for (std::size_t i = 0; i < std::min(partly_done_.size(), kMaxPartlyDone); ++i) {
    lines.push_back(partly_done_[i]);
  }
  if (partly_done_.size() > kMaxPartlyDone) {
    lines.push_back(fmt::format("{}: only the attempts that are done count",
                                counted(partly_done_.size() - kMaxPartlyDone, "more cell")));
  }
  for (const auto& [outcome, reasons] : ended_) {
    // The word is already in the cell, so only a reason adds to it.
    Reasons with_text;
    std::copy_if(reasons.all.begin(), reasons.all.end(), std::back_inserter(with_text.all),
                 [](const Reason& reason) { return !reason.text.empty(); });
    if (with_text.all.empty()) continue;
    lines.push_back(with_text.line(std::string(info_of(outcome).cell)));
  }
  return lines;
}

}  // namespace sweepd::report
