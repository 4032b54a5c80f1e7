#include "runner/client/study/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"
#include "runner/stats/summary.h"

namespace sweepd {
namespace {

// Whether a cell consists of words alone: `{outcome}` is an answer even if the attempt failed.
bool is_of_words(const std::string& cell) {
  const auto parsed = parse_cell(cell);
  return parsed && std::all_of(parsed->parts.begin(), parsed->parts.end(), [](const auto& part) {
           return part.name.empty() || part.name == "outcome" || part.name == "verdict" ||
                  part.name == "text";
         });
}

bool shows_outcome(const std::string& cell) {
  return cell.find("{outcome") != std::string::npos;
}

// The first column after the names of the point.
std::size_t first_cell(const StudyFigure& figure) {
  return std::max<std::size_t>(1, figure.where.size() + (figure.top.empty() ? 0 : 1));
}

// In a cell: the name of the largest of several points.
constexpr std::string_view kTopName = "{top}";

std::string without_top(std::string cell, const std::string& instead) {
  const std::size_t at = cell.find(kTopName);
  return at == std::string::npos ? cell : cell.replace(at, kTopName.size(), instead);
}

// A fact may be a number that is stored as text.
std::optional<double> number_in(const Cell& cell) {
  if (cell.number) return cell.number;
  double value = 0;
  const char* end = cell.text.data() + cell.text.size();
  const auto [rest, error] = std::from_chars(cell.text.data(), end, value);
  return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

bool is_a_time(const std::string& metric) {
  return metric.empty() || metric == "time" || metric.ends_with("_time");
}

// Why the attempt measured nothing. The note of a skipped one has the reason, without its remedy.
std::string why_not_done(const Table& table, const std::string& outcome) {
  if (outcome == name_of(Outcome::kDone)) return "the attempt measured no such thing";
  if (outcome.find("pending") != std::string::npos) return std::string(kNotMeasuredYet);
  constexpr std::string_view kSkipped = "skipped: ", kCut = " …";
  for (const std::string& note : table.notes) {
    if (outcome != name_of(Outcome::kSkipped) || !note.starts_with(kSkipped)) continue;
    return note.substr(kSkipped.size(), note.find(kCut) - kSkipped.size());
  }
  return fmt::format("the attempt is {}", outcome);
}

}  // namespace

Result<QuerySpec> query_of(const StudyFigure& figure, const std::string& sweep) {
  QuerySpec query;
  query.sweep = sweep;
  query.table.cell = figure.cell;
  query.table.metric = figure.metric;
  query.table.unit = figure.unit;
  query.with = {"n", "verdict", "outcome"};
  for (const std::string& text : figure.where) {
    // Not filter_from_text, which would split a value at its commas.
    const std::string name = text.substr(0, text.find('='));
    query.table.where.push_back({name, {text.substr(name.size() + 1)}});
    query.table.rows.push_back(name);
  }
  for (const std::string& text : figure.baseline) {
    const std::string name = text.substr(0, text.find('='));
    query.table.baseline.push_back({name, {text.substr(name.size() + 1)}});
  }
  if (!figure.top.empty()) {
    query.table.rows.push_back(figure.top);
    TableSpec::Value shown, by;
    shown.name = "shown";
    shown.cell = without_top(figure.cell, "{mean}");
    by.name = "by";
    by.metric = figure.by;
    by.cell = "{mean}";
    query.table.values = {std::move(shown), std::move(by)};
    query.table.sort = {"-by"};
    query.table.limit = 1;
  }
  if (query.table.rows.empty()) query.table.rows = {"outcome"};
  return query;
}

std::string no_figure(const StudyFigure& figure, const std::string& why) {
  std::vector<std::string> parts = figure.where;
  for (const std::string& text : figure.baseline) parts.push_back("baseline." + text);
  return fmt::format("no figure for `{}` of sweep `{}`{}{}: {}", figure.cell, figure.sweep,
                     parts.empty() ? "" : " at ", join(parts, " "), why);
}

Result<QuerySpec> spread_query_of(const StudyFigure& figure, const std::string& sweep) {
  StudyFigure plain = figure;
  plain.top.clear();
  auto query = query_of(plain, sweep);
  if (!query) return query;
  query->with = {"n"};
  query->table.cell.clear();
  query->table.baseline.clear();
  for (const char* name : {"mean", "std", "ci95"}) {
    TableSpec::Value value;
    value.name = name;
    value.cell = fmt::format("{{{}}}", name);
    query->table.values.push_back(std::move(value));
  }
  return query;
}

std::optional<double> spread_of(const StudyFigure& figure, const Result<Table>& table) {
  const auto cell = parse_cell(figure.cell);
  const bool is_exact =
      cell && std::any_of(cell->parts.begin(), cell->parts.end(), [](auto& part) {
        return part.name == "min" || part.name == "max" || part.name == "n" || part.name == "text";
      });
  if (is_exact || !figure.top.empty()) return 0;
  const std::size_t at = first_cell(figure);
  if (!table || table->rows.size() != 1 || table->columns.size() != at + 6) return {};
  const std::vector<Cell>& row = table->rows.front();
  const auto mean = row[at].number, n = row[at + 1].number, std = row[at + 2].number;
  const auto between_attempts = row[at + 4].number;
  if (n.value_or(0) < 2 || !std) {
    return is_a_time(figure.metric) ? std::nullopt : std::optional(0.0);
  }
  if (*std == 0) return 0;
  if (mean.value_or(0) == 0) return {};
  double half = *std;  // as a spread of single values
  // The standard deviation of a standard deviation, for a normal distribution.
  if (figure.cell.find("{std") != std::string::npos)
    half = *mean / std::sqrt(2 * (1 - 1 / *n));
  else if (between_attempts)
    return *between_attempts / std::abs(*mean);
  const auto width = stats::mean_half_width(half, static_cast<std::int64_t>(*n));
  return width ? std::optional(std::abs(*width / *mean)) : std::nullopt;
}

Result<FoundFigure> find_figure(const StudyFigure& figure, const Result<Table>& table) {
  const auto none = [](const std::string& why, ErrorCode code = ErrorCode::kNotFound) {
    return Error{code, why};
  };
  if (!table) {
    const std::string& why = table.error().message;
    if (why.starts_with("metric: ")) return none(kNothingMeasured);  // the rest lists others
    if (!why.starts_with("these cells would pool")) return none(why);
    // The rest of the message are options of `query`.
    return none(why.substr(0, why.rfind(": add ")), ErrorCode::kInvalidArgument);
  }
  const std::size_t at = first_cell(figure);
  const std::size_t columns = at + (figure.top.empty() ? 4 : 8);
  if (table->rows.empty() || table->columns.size() < columns)
    return none("the sweep has no such point", ErrorCode::kInvalidArgument);
  if (table->rows.size() > 1 || table->columns.size() > columns) {
    return none(
        fmt::format("it has {} results", table->rows.size() * (table->columns.size() - at) / 4),
        ErrorCode::kInvalidArgument);
  }
  const std::vector<Cell>& row = table->rows.front();
  const std::string& text = row[at].text;
  const std::string& outcome = row[at + 3].text;
  const bool counted = row[at + 1].number.value_or(0) > 0;
  const bool answers =
      counted || (is_of_words(figure.cell) &&
                  (outcome == name_of(Outcome::kDone) || shows_outcome(figure.cell)));
  if (!answers) return none(why_not_done(*table, outcome));
  if (row[at + 2].text == name_of(Verdict::kInvalid)) return none("the figure is invalid");
  if (text.empty() || text.find("—") != std::string::npos) return none("the cell is empty");
  if (figure.cell.find(kTopName) != std::string::npos) {
    return FoundFigure{without_top(figure.cell, row[at - 1].text), {}, false};
  }
  return FoundFigure{text, number_in(row[at]), row[at + 2].text == name_of(Verdict::kSuspect)};
}

}  // namespace sweepd
