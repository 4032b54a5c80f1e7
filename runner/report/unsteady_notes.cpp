#include "runner/report/unsteady_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/report/cell.h"
#include "runner/report/footnotes.h"
#include "runner/stats/steady.h"

namespace sweepd::report {
namespace {

// The text after "the steps", with the consequence for the figures.
std::string predicate_of(const std::string& how) {
  using stats::SteadyKind;
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

void UnsteadyNotes::add_cell(const std::vector<const ResultRow*>& done) {
  std::vector<Unsteady> all;
  bool any_figure = false;
  for (const ResultRow* row : done) {
    any_figure |= row->stats.n > 0;
    for (const Unsteady& each : row->unsteady) add_unsteady(all, each.how, each.attempts);
  }
  if (any_figure) ++cells_;
  for (const Unsteady& each : all) {
    Count& count = kinds_[each.how];
    ++count.cells;
    count.attempts += each.attempts;
  }
}

std::vector<std::string> UnsteadyNotes::lines() const {
  std::vector<std::string> lines;
  for (const auto& [how, count] : kinds_) {
    std::string line(kUnsteadyMark);
    if (cells_ > 1) line += fmt::format(" in {} of {} cells", count.cells, cells_);
    line += " the steps " + predicate_of(how);
    const auto attempts = static_cast<std::size_t>(count.attempts);
    if (attempts > count.cells) line += fmt::format(" ({})", counted(attempts, "attempt"));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sweepd::report
