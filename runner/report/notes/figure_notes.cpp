// The notes on what the figures of a table are, and on what they cover.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/notes/notes.h"
#include "runner/stats/summary.h"

namespace sweepd::report {
namespace {

// Values with the same number of samples share a caption.
struct Caption {
  std::pair<std::int64_t, std::int64_t> counts;
  std::vector<std::string> labels;   // "mean ± std", each once
  std::vector<std::string> metrics;  // each once
  std::vector<std::string> names;
  std::string rates;  // " (rates by its mean)"
  std::string alone;  // of the only value
};

void note_once(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// Whether the number of samples matters for a figure: a fact or a number of bytes is always exact.
bool is_sampled(const TableValue& table_value) {
  const ResultSet& results = table_value.results();
  const std::string metric = results.metric.empty() ? "time" : results.metric;
  if (metric == "figure" || metric.starts_with("figure.")) return false;
  const bool exact = metric == "fact" || metric.starts_with("fact.") || results.unit == "B" ||
                     metric == "steady_from" || metric.ends_with("_calls");
  const bool once = metric == "setup_time" || pass_of_metric(metric) == Pass::kProfile;
  return !exact && !once;
}

std::string count_text(const std::pair<std::int64_t, std::int64_t>& counts) {
  const auto& [fewest, most] = counts;
  return fewest == most ? with_thousands(most)
                        : fmt::format("{} to {}", with_thousands(fewest), with_thousands(most));
}

// "precision bf16", "phase forward or backward"
std::string filter_text(const TableSpec::Filter& filter) {
  return fmt::format("{} {}", filter.name, in_words(filter.values, " or "));
}

std::string filter_text(const std::vector<TableSpec::Filter>& filters) {
  std::vector<std::string> texts;
  texts.reserve(filters.size());
  for (const TableSpec::Filter& filter : filters) texts.push_back(filter_text(filter));
  return join(texts, ", ");
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words{""};
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      words.insert(std::exchange(word, ""));
    }
  }
  words.insert(word);
  return words;
}

// True if the filter needs no mention: the value's name implies it, as "Forward" implies phase =
// forward, or it is phase = step, the default.
bool goes_without_saying(const TableSpec::Filter& filter, const std::string& name) {
  if (filter.values.size() != 1) return false;
  if (filter.name == "phase" && filter.values.front() == "step") return true;
  const auto said = words_of(name), meant = words_of(filter.values.front());
  return std::includes(said.begin(), said.end(), meant.begin(), meant.end());
}

bool has_filter(const std::vector<TableSpec::Filter>& filters, const std::string& name) {
  return std::ranges::any_of(filters, [&](const auto& filter) { return filter.name == name; });
}

// Which values have a filter of that name, so that the table's has no effect on them.
enum class Replaced { kNowhere, kSomewhere, kEverywhere };

Replaced replaced_in(const TableSpec& table, const std::string& name) {
  const auto own = std::ranges::count_if(
      table.values, [&](const TableSpec::Value& value) { return has_filter(value.where, name); });
  if (own == 0) return Replaced::kNowhere;
  return static_cast<std::size_t>(own) == table.values.size() ? Replaced::kEverywhere
                                                              : Replaced::kSomewhere;
}

// Returns "columns A and B: phase setup", one text for each set of filters in the order of the
// values. `partial` are filters of the table that other values replace.
std::vector<std::string> filters_of_values(const TableSpec& table,
                                           const std::vector<TableSpec::Filter>& partial) {
  std::vector<std::pair<std::string, std::vector<std::string>>> names_by_filter;
  for (const TableSpec::Value& value : table.values) {
    std::string name = value.name.empty() ? value.metric : value.name;
    if (name.empty()) name = "time";
    std::vector<TableSpec::Filter> told = value.where;
    std::erase_if(told, [&](const TableSpec::Filter& filter) {
      return !has_filter(table.where, filter.name) && goes_without_saying(filter, name);
    });
    std::ranges::copy_if(partial, std::back_inserter(told), [&](const TableSpec::Filter& filter) {
      return !has_filter(value.where, filter.name);
    });
    if (told.empty()) continue;
    const std::string filters = filter_text(told);
    auto same = std::ranges::find(names_by_filter, filters,
                                  &std::pair<std::string, std::vector<std::string>>::first);
    if (same == names_by_filter.end()) same = names_by_filter.insert(same, {filters, {}});
    same->second.push_back(std::move(name));
  }
  std::vector<std::string> texts;
  texts.reserve(names_by_filter.size());
  for (const auto& [filters, names] : names_by_filter) {
    texts.push_back(fmt::format("{} {}: {}", names.size() == 1 ? "column" : "columns",
                                in_words(names), filters));
  }
  return texts;
}

// The speed-ups of one column, without invalid ones and the baseline's own.
struct Speedups {
  std::string mean;  // the geometric one
  std::size_t rows = 0;
  std::string largest, largest_in;
};

// Nothing if fewer than two rows have a speed-up.
std::optional<Speedups> speedups_of(const TableValue& table_value, const Key& column,
                                    const std::vector<Key>& rows) {
  const auto& parts = table_value.style().cell.parts;
  const auto part = std::find_if(parts.begin(), parts.end(), [](const auto& each) {
    const CellName* known = find_cell_name(each.name);
    return known != nullptr && known->compared_figure() == "speedup";
  });
  if (part == parts.end()) return std::nullopt;
  std::vector<double> all;
  double largest = 0;
  const Key* best = nullptr;
  for (const Key& row : rows) {
    const CellGroup* group = table_value.find(row, column);
    if (group == nullptr || group->pooled.verdict == Verdict::kInvalid) continue;
    if (table_value.partner(row, column).itself) continue;
    const auto speedup = table_value.figure(row, column, part->name);
    if (!speedup || !*speedup) continue;
    all.push_back(**speedup);
    if (best != nullptr && **speedup <= largest) continue;
    largest = **speedup;
    best = &row;
  }
  const auto mean = stats::geometric_mean(all);
  if (all.size() < 2 || !mean) return std::nullopt;
  const auto format = parse_number_format(part->format);
  const auto shown = [&](double value) {
    return format_number(value, format ? *format : NumberFormat{});
  };
  return Speedups{shown(*mean), all.size(), shown(largest), table_value.axes().row_name(*best)};
}

}  // namespace

namespace notes {

NoteLines figures(const TableOfNotes& of) {
  std::vector<Caption> all;
  bool others = false;  // times that no caption is about
  for (const TableValue& table_value : of.values) {
    const auto counts = table_value.counts(of.rows);
    const bool exact = counts.second == 1 && !is_sampled(table_value);
    const std::string text =
        exact ? ""
              : caption(table_value.style(), table_value.metric(), counts.first, counts.second);
    others |= exact && !is_without_clock(table_value.results().metric);
    if (text.empty()) continue;
    auto same = std::ranges::find_if(all, [&](const auto& each) { return each.counts == counts; });
    if (same == all.end()) same = all.insert(all.end(), Caption{counts, {}, {}, {}, "", text});
    note_once(same->labels, template_label(table_value.style().cell));
    note_once(same->metrics, table_value.metric());
    note_once(same->names,
              table_value.value().name.empty() ? table_value.metric() : table_value.value().name);
    if (same->rates.empty()) same->rates = basis_of_rates(table_value.style());
  }
  std::vector<std::string> parts;
  for (const Caption& each : all) {
    const std::string names = all.size() == 1 && !others ? "" : in_words(each.names) + ": ";
    const bool one = each.labels.size() == 1 && each.metrics.size() == 1;
    const std::string what = each.labels.size() == 1 ? each.labels.front() : "figures";
    parts.push_back(names + (one ? each.alone
                                 : fmt::format("{} of {}{}, n = {}", what, in_words(each.metrics),
                                               each.rates, count_text(each.counts))));
  }
  return {join(parts, "; ")};
}

NoteLines filters(const TableOfNotes& of) {
  const TableSpec& table = of.query.table;
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<TableSpec::Filter> all, partial;  // of all values, and of some
  for (const TableSpec::Filter& filter : table.where) {
    const bool shown = is_in(table.rows, filter.name) || is_in(table.columns, filter.name);
    if (shown || is_in(of.query.said, filter.name) || goes_without_saying(filter, "")) continue;
    const Replaced replaced = replaced_in(table, filter.name);
    if (replaced == Replaced::kNowhere) all.push_back(filter);
    if (replaced == Replaced::kSomewhere) partial.push_back(filter);
  }
  NoteLines lines;
  if (!all.empty()) lines.push_back("only results with " + filter_text(all));
  const auto of_values = filters_of_values(table, partial);
  if (!of_values.empty()) lines.push_back(join(of_values, "; "));
  return lines;
}

NoteLines unknown_names(const TableOfNotes& of) {
  std::vector<std::string> names;
  bool any_done = false;
  for (const TableValue& table_value : of.values) {
    const std::vector<ResultRow>& rows = table_value.results().rows;
    any_done |= std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
      return !row.pending && row.outcome == Outcome::kDone;
    });
    for (const std::string& name : table_value.results().unknown) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  // A sweep that never ran will not get results later.
  if (!any_done) std::erase_if(names, [](const auto& name) { return !name.starts_with("sweep "); });
  if (names.empty()) return {};
  return {"no result has " + join(names, ", ")};
}

NoteLines baseline(const TableOfNotes& of) {
  const TableSpec& table = of.query.table;
  const bool any = std::ranges::any_of(
      of.values, [](const TableValue& table_value) { return compares(table_value.style().cell); });
  if (table.baseline.empty() || !any) return {};
  const bool found = std::ranges::any_of(of.values, [](const TableValue& table_value) {
    return table_value.baseline() != nullptr && !table_value.baseline()->empty();
  });
  const std::string names = filter_text(table.baseline);
  if (!found) return {fmt::format("no results with {} to compare with", names)};
  bool means = false, medians = false;
  for (const TableValue& table_value : of.values) {
    for (const CellTemplate::Part& part : table_value.style().cell.parts) {
      const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
      if (known == nullptr || known->kind != NameKind::kCompared || known->name == "p") continue;
      (known->compares_medians() ? medians : means) = true;
    }
  }
  std::string line = fmt::format("compared with {}", names);
  if (means) line += " by the means";
  if (medians) line += means ? " and the medians" : " by the medians";
  return {line};
}

NoteLines speedups(const TableOfNotes& of) {
  std::vector<std::string> texts;
  for (const ValueColumn& column : of.columns) {
    const TableValue& table_value = of.values[column.table_value];
    const auto each = speedups_of(table_value, column.key, of.rows);
    if (!each) continue;
    const std::string name =
        of.values.front().axes().column_name(column.key, table_value.value().name);
    texts.push_back(fmt::format("{}{} over {} rows, largest {}{}", name.empty() ? "" : name + " ",
                                each->mean, each->rows, each->largest,
                                each->largest_in.empty() ? "" : " (" + each->largest_in + ")"));
  }
  if (texts.empty()) return {};
  return {"geometric mean of the speed-ups: " + join(texts, "; ")};
}

}  // namespace notes
}  // namespace sweepd::report
