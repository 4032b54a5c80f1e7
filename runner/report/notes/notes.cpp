#include "runner/report/notes/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace report {
namespace {

struct NoteMaker {
  NoteLines (*make)(const TableOfNotes&);
  bool joined = false;  // its lines become a part of the first line
};

constexpr NoteMaker kExplanations[] = {
    {notes::figures, true}, {notes::baseline, true}, {notes::errors},  {notes::significance},
    {notes::best},          {notes::speedups},       {notes::filters}, {notes::unknown_names},
    {notes::remarks},       {notes::peaks},          {notes::limit},
};

constexpr NoteMaker kCautions[] = {
    {notes::marks, true},      {notes::unsteady, true}, {notes::unjudged, true},
    {notes::slow_steps, true}, {notes::unsaid_pooling}, {notes::pooled},
    {notes::pending},          {notes::partly_done},    {notes::ended},
    {notes::partial_steps},
};

void add_lines(const TableOfNotes& of, std::span<const NoteMaker> makers,
               std::vector<std::string>& all) {
  NoteLines first, others;
  for (const NoteMaker& maker : makers) {
    for (std::string& line : maker.make(of)) {
      if (!line.empty()) (maker.joined ? first : others).push_back(std::move(line));
    }
  }
  if (!first.empty()) all.push_back(join(first, "; "));
  std::move(others.begin(), others.end(), std::back_inserter(all));
}

}  // namespace

void add_notes(const TableOfNotes& of, Table& table) {
  add_lines(of, kExplanations, table.notes);
  const std::size_t explanations = table.notes.size();
  add_lines(of, kCautions, table.notes);
  table.warnings = table.notes.size() - explanations;
}

namespace {

// Why figures that need a device's peak are missing.
struct MissingPeak {
  std::string why;
  std::vector<std::string> figures;  // labels, in the order of the columns
  std::size_t cells = 0;
};

// The reason for which a result lacks a figure: the peak that the figure needs and that is unknown.
// "" if its work is the reason.
const std::string& why_missing(std::string_view figure, const ResultRow& row) {
  static const std::string kNone;
  const bool of_flops = row.flops > 0 && figure != "bandwidth_share";
  const bool of_bytes = row.bytes > 0 && figure != "mfu" && figure != "hfu";
  if (of_flops && !row.no_flops_peak.empty()) return row.no_flops_peak;
  return of_bytes ? row.no_bytes_peak : kNone;
}

// "000, 001: a sum of ten steps" for each text, in the order of their appearance.
std::vector<std::string> by_text(const std::vector<SourceRemark>& remarks, bool devices) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const SourceRemark& remark : remarks) {
    if (remark.is_device != devices) continue;
    auto same = std::ranges::find(all, remark.text, &decltype(all)::value_type::first);
    if (same == all.end()) same = all.insert(same, {remark.text, {}});
    std::vector<std::string>& sources = same->second;
    if (std::ranges::find(sources, remark.source) == sources.end()) {
      sources.push_back(remark.source);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [text, sources] : all) lines.push_back(join(sources, ", ") + ": " + text);
  return lines;
}

}  // namespace

namespace notes {

NoteLines errors(const TableOfNotes& of) {
  bool sem = false, ci95 = false;
  std::size_t fewest = 0, most = 0;
  std::set<std::vector<const ResultRow*>> single,
      mixed;  // values side by side may show the same cell
  for (const TableValue& table_value : of.values) {
    if (!shows(table_value.style().cell, "sem") && !shows(table_value.style().cell, "ci95"))
      continue;
    sem |= shows(table_value.style().cell, "sem");
    ci95 |= shows(table_value.style().cell, "ci95");
    for (const Key& row : of.rows) {
      const auto line = table_value.lines().find(row);
      if (line == table_value.lines().end()) continue;
      for (const auto& [column, group] : line->second) {
        const MeanError& error = group.pooled.error;
        if (group.pooled.stats.n == 0) continue;
        if (error.processes == 1) {
          single.insert(group.rows);
        } else if (!error.one_trial) {
          mixed.insert(group.rows);
        } else {
          fewest = fewest == 0 ? error.processes : std::min(fewest, error.processes);
          most = std::max(most, error.processes);
        }
      }
    }
  }
  NoteLines lines;
  const std::string count =
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
  const std::string over = fmt::format("the mean over {} processes", count);
  if (ci95 && most > 0) {
    lines.push_back("ci95: half of the 95 % confidence interval of " + over);
  }
  if (sem && most > 0) lines.push_back("sem: the standard error of " + over);
  const std::string name = !ci95 ? "sem" : sem ? "sem, ci95" : "ci95";
  const auto without = [&](std::size_t n, std::string_view why) {
    if (n > 0) lines.push_back(fmt::format("no {} in {}: {}", name, counted(n, "cell"), why));
  };
  without(single.size(),
          "one process does not predict others, and its steps are not independent; `repeats: 5` "
          "measures five");
  without(mixed.size(), "the attempts are of different trials, so they are no repeats");
  return lines;
}

NoteLines remarks(const TableOfNotes& of) {
  std::vector<SourceRemark> all;
  for (const TableValue& table_value : of.values) {
    const auto& own = table_value.results().remarks;
    all.insert(all.end(), own.begin(), own.end());
  }
  NoteLines lines = by_text(all, false);
  const NoteLines devices = by_text(all, true);
  if (devices.empty()) return lines;
  lines.insert(lines.begin(), "devices of published figures: " + join(devices, "; "));
  return lines;
}

NoteLines peaks(const TableOfNotes& of) {
  constexpr std::string_view kOfPeaks[] = {"mfu", "hfu", "bandwidth_share", "floor", "reached"};
  std::vector<MissingPeak> all;
  for (const TableValue& table_value : of.values) {
    for (const std::string_view name : kOfPeaks) {
      if (!shows(table_value.style().cell, name)) continue;
      for (const Key& row : of.rows) {
        const auto line = table_value.lines().find(row);
        if (line == table_value.lines().end()) continue;
        for (const auto& [column, group] : line->second) {
          const auto figure = table_value.figure(row, column, name);
          const bool known = !figure || figure->has_value();
          if (known || group.pooled.stats.n == 0) continue;
          const std::string& why = why_missing(name, *group.rows.front());
          if (why.empty()) continue;
          auto same = std::ranges::find(all, why, &MissingPeak::why);
          if (same == all.end()) same = all.insert(same, {why, {}, 0});
          const std::string label(find_cell_name(name)->label);
          if (std::ranges::find(same->figures, label) == same->figures.end()) {
            same->figures.push_back(label);
          }
          ++same->cells;
        }
      }
    }
  }
  NoteLines lines;
  for (const MissingPeak& each : all) {
    lines.push_back(fmt::format("no {} in {}, because {}", in_words(each.figures, " or "),
                                counted(each.cells, "cell"), each.why));
  }
  return lines;
}

NoteLines limit(const TableOfNotes& of) {
  if (of.rows.size() >= of.all_rows) return {};
  return {fmt::format("the first {} of {} rows", of.rows.size(), of.all_rows)};
}

NoteLines slow_steps(const TableOfNotes& of) {
  constexpr std::int64_t kFewestSteps = 5;
  constexpr double kMoved = 1.1;     // mean by median
  std::size_t cells = 0, moved = 0;  // of times; those whose mean is no usual step
  double largest = 0;
  std::string largest_in;
  for (const NotedCell& cell : of.cells) {
    if (cell.mean_of == nullptr) continue;
    if (cell.mean_of->metric != "time" && cell.mean_of->metric != "host_time") continue;
    double ratio = 0;  // stays so if no attempt has enough steps, or the reader pooled them
    for (const ResultRow* row : cell.rows) {
      const bool counts = row->outcome == Outcome::kDone && row->stats.n >= kFewestSteps;
      if (!counts || !(row->stats.median > 0)) continue;
      ratio = std::max(ratio, row->stats.mean / row->stats.median);
    }
    if (ratio == 0) continue;
    ++cells;
    if (ratio <= kMoved) continue;
    ++moved;
    if (ratio <= largest) continue;
    largest = ratio;
    largest_in = cell.name;
  }
  if (moved == 0) return {};
  const std::string by = fmt::format("{:.0f} %", (largest - 1) * 100);
  constexpr std::string_view kInstead = "; slow steps move `{median}` less";
  if (cells == 1) return {fmt::format("the mean is {} above the median{}", by, kInstead)};
  const std::string most = largest_in.empty() ? "" : fmt::format(" ({})", largest_in);
  return {fmt::format(
      "in {} of {} cells the mean is more than a tenth above the median, by {} at most{}{}", moved,
      cells, by, most, kInstead)};
}

NoteLines unsaid_pooling(const TableOfNotes& of) {
  if (!of.pooling.any()) return {};
  return {of.pooling.warning()};
}

NoteLines partial_steps(const TableOfNotes& of) {
  constexpr std::size_t kMost = 5;  // attempts listed one by one
  struct Partial {
    std::string cell, row, text;
  };
  std::vector<Partial> all;
  std::map<AttemptId, std::size_t> index;
  for (const NotedCell& cell : of.cells) {
    if (!cell.notes_results || !cell.shown) continue;
    for (const ResultRow* row : cell.rows) {
      if (!row->partial) continue;
      const auto [entry, added] = index.try_emplace(row->attempt, all.size());
      if (added) {
        all.push_back({cell.name, cell.row_name, describe(*row->partial, row->outcome)});
      } else if (Partial& first = all[entry->second]; first.cell != cell.name) {
        first.cell = first.row;  // cells of one row may show the same attempt
      }
    }
  }
  NoteLines lines;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    lines.push_back((all[i].cell.empty() ? "" : all[i].cell + ": ") + all[i].text);
  }
  if (all.size() > kMost) {
    lines.push_back(fmt::format("{} measured some steps too; `sweepctl show` has them",
                                counted(all.size() - kMost, "more attempt")));
  }
  return lines;
}

}  // namespace notes

namespace {

constexpr std::size_t kMostNotes = 3;

// Without it a cell cannot be read.
bool explains_a_mark(std::string_view note) {
  return note.starts_with("ci95: ") || note.starts_with("sem: ") ||
         note.starts_with(mark_of(Verdict::kInvalid)) ||
         note.starts_with(mark_of(Verdict::kSuspect)) || note.starts_with(kUnsteadyMark) ||
         note.starts_with(kUnjudgedMark) || note.starts_with("…");
}

}  // namespace
}  // namespace report

Table with_few_notes(Table table, const std::string& where) {
  const std::size_t all = table.notes.size();
  if (all <= report::kMostNotes) return table;
  const std::size_t first_warning = all - table.warnings;
  std::vector<std::pair<int, std::size_t>> ranked;  // lower ranks stay
  for (std::size_t i = 0; i < all; ++i) {
    const bool mark = report::explains_a_mark(table.notes[i]), warns = i >= first_warning;
    ranked.emplace_back(mark ? 0 : i == 0 ? 1 : warns ? 2 : 3, i);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(report::kMostNotes);
  std::vector<std::size_t> kept;
  for (const auto& [rank, i] : ranked) kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  std::vector<std::string> notes;
  table.warnings = 0;
  for (const std::size_t i : kept) {
    notes.push_back(std::move(table.notes[i]));
    if (i >= first_warning) ++table.warnings;
  }
  notes.back() +=
      fmt::format(" ({}: {})", report::counted(all - report::kMostNotes, "more note"), where);
  table.notes = std::move(notes);
  return table;
}

}  // namespace sweepd
