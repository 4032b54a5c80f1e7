// The notes on the attempts behind a table's cells: why they are marked, and why they are not done.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/cell/layout.h"
#include "runner/report/notes/notes.h"
#include "runner/stats/steady.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kMaxReasons = 3;  // of one kind; `show` lists them all
constexpr std::size_t kMaxCells = 2;    // named for one reason
constexpr std::size_t kMaxText = 160;   // of one reason: a command may be 400 letters long

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

// Texts that differ in more than their numbers, in the order of their appearance, each with the
// attempts it comes from and the cells that show it.
struct Reason {
  std::string text;  // the first one
  std::set<std::string> attempts;
  std::vector<std::string> cells;
  bool other_numbers = false;
};
struct Reasons {
  std::vector<Reason> all;
  std::map<std::string, std::size_t> index;  // by the text without its numbers
  void add(const std::string& note, const std::string& attempt, const std::string& cell);
  void add_one(const std::string& whole, const std::string& attempt, const std::string& cell);
  // "‡ suspect in tiny: the device was throttled; in 4 cells: ..."
  std::string line(const std::string& heading) const;
};

// An attempt may have several reasons, one a line.
void Reasons::add(const std::string& note, const std::string& attempt, const std::string& cell) {
  for (const std::string& reason : split(note, '\n')) add_one(reason, attempt, cell);
}

void Reasons::add_one(const std::string& whole, const std::string& attempt,
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

// " (6 attempts)"
std::string attempts_of(const Reason& reason) {
  const std::size_t n = reason.attempts.size();
  if (!reason.other_numbers) return n > 1 ? " (" + counted(n, "attempt") + ")" : "";
  if (n == 1) return " (and with other numbers)";
  return fmt::format(" (in {} attempts; the numbers are of one of them)", n);
}

// A single reason applies to every cell with the mark. If there are several, each must say where.
std::string Reasons::line(const std::string& heading) const {
  const bool same =
      std::ranges::all_of(all, [&](const Reason& each) { return each.cells == all.front().cells; });
  std::string line = heading;
  if (same && all.size() > 1) line += where(all.front().cells);
  for (std::size_t i = 0; i < std::min(all.size(), kMaxReasons); ++i) {
    const Reason& reason = all[i];
    if (i > 0) line += ";";
    if (!same) line += where(reason.cells);
    if (!reason.text.empty()) line += (line.ends_with(';') ? " " : ": ") + reason.text;
    line += attempts_of(reason);
  }
  if (all.size() > kMaxReasons) {
    line += "; and " + counted(all.size() - kMaxReasons, "other reason");
  }
  return line;
}

std::string cause_text(std::string_view cause) {
  if (cause == kCauseClock) return "; cause: the device's clock, which is lower in the slower ones";
  if (cause == kCauseHost) {
    return "; cause: the host, which needs longer around the device's work in the slower ones";
  }
  return cause.empty() ? "" : fmt::format("; cause: {}", cause);  // a word of a newer version
}

// The text after "the steps", with the consequence for the figures.
std::string predicate_of(const std::string& how) {
  using stats::SteadyKind;
  if (const std::size_t kind = how.find(kBeforeCause); kind != std::string::npos) {
    const std::string_view cause = std::string_view(how).substr(kind + kBeforeCause.size());
    return predicate_of(how.substr(0, kind)) + cause_text(cause);
  }
  if (how == stats::name_of(SteadyKind::kBimodal)) {
    return "are bimodal: they jump between two levels, and mean and median describe neither";
  }
  if (how == stats::name_of(SteadyKind::kSlowing)) {
    return "become slower: a tenth of them or more were faster than the last ones, so the figures "
           "depend on the number of steps";
  }
  if (how == stats::name_of(SteadyKind::kNoSteadyState)) {
    return "reach no steady state: less than half of them are on the last level; more steps may "
           "show one";
  }
  return "are not on one level: " + how;  // a word of a newer version
}

}  // namespace

bool NotedCell::is_done(const ResultRow& row) {
  return row.stats.n > 0 || (!row.pending && row.outcome == Outcome::kDone);
}

std::vector<const ResultRow*> NotedCell::done() const {
  std::vector<const ResultRow*> done;
  std::ranges::copy_if(rows, std::back_inserter(done),
                       [](const ResultRow* row) { return is_done(*row); });
  return done;
}

namespace notes {

NoteLines marks(const TableOfNotes& of) {
  std::map<Verdict, Reasons> marked;
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results) continue;
    for (const ResultRow* row : cell.done()) {
      if (row->verdict == Verdict::kValid || row->stats.n == 0) continue;
      marked[row->verdict].add(row->note, identity(*row), cell.name);
    }
  }
  NoteLines lines;
  for (const Verdict verdict : {Verdict::kInvalid, Verdict::kSuspect}) {
    const auto found = marked.find(verdict);
    if (found == marked.end()) continue;
    lines.push_back(found->second.line(fmt::format("{} {}", mark_of(verdict), name_of(verdict))));
  }
  return lines;
}

NoteLines unsteady(const TableOfNotes& of) {
  struct Count {
    std::size_t cells = 0;
    std::int64_t attempts = 0;
  };
  std::map<std::string, Count> kinds;
  std::size_t cells = 0;  // with a figure
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results) continue;
    std::vector<Unsteady> all;
    bool any_figure = false;
    for (const ResultRow* row : cell.done()) {
      any_figure |= row->stats.n > 0;
      for (const Unsteady& each : row->unsteady) add_unsteady(all, each.how, each.attempts);
    }
    if (any_figure) ++cells;
    for (const Unsteady& each : all) {
      Count& count = kinds[each.how];
      ++count.cells;
      count.attempts += each.attempts;
    }
  }
  NoteLines lines;
  for (const auto& [how, count] : kinds) {
    std::string line(kUnsteadyMark);
    if (cells > 1) line += fmt::format(" in {} of {} cells", count.cells, cells);
    line += " the steps " + predicate_of(how);
    const auto attempts = static_cast<std::size_t>(count.attempts);
    if (attempts > count.cells) line += fmt::format(" ({})", counted(attempts, "attempt"));
    lines.push_back(std::move(line));
  }
  return lines;
}

NoteLines ended(const TableOfNotes& of) {
  std::map<Outcome, Reasons> by_outcome;
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results) continue;
    for (const ResultRow* row : cell.rows) {
      if (NotedCell::is_done(*row) || row->pending) continue;
      by_outcome[row->outcome].add_one(row->note, identity(*row), cell.name);
    }
  }
  NoteLines lines;
  for (const auto& [outcome, reasons] : by_outcome) {
    // The word is already in the cell, so only a reason adds to it.
    Reasons with_text;
    std::copy_if(reasons.all.begin(), reasons.all.end(), std::back_inserter(with_text.all),
                 [](const Reason& reason) { return !reason.text.empty(); });
    if (with_text.all.empty()) continue;
    lines.push_back(with_text.line(std::string(info_of(outcome).cell)));
  }
  return lines;
}

}  // namespace notes
}  // namespace sweepd::report
