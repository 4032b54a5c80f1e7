#include "runner/client/study/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

std::string name_of_figure(const StudyFigure& figure) {
  std::vector<std::string> parts = figure.where;
  for (const std::string& text : figure.baseline) parts.push_back("baseline." + text);
  return fmt::format("`{}` of sweep `{}`{}{}", figure.cell, figure.sweep,
                     parts.empty() ? "" : " at ", join(parts, " "));
}

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
  if (query.table.rows.empty()) query.table.rows = {"outcome"};
  return query;
}

Result<std::string> text_of_figure(const StudyFigure& figure, const Result<Table>& table) {
  const auto none = [&](const std::string& why) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no figure for {}: {}", name_of_figure(figure), why)};
  };
  if (!table) {
    // What follows are options of `query`.
    const std::string& why = table.error().message;
    return none(why.starts_with("these cells would pool") ? why.substr(0, why.rfind(": add "))
                                                          : why);
  }
  const std::size_t at = std::max<std::size_t>(1, figure.where.size());
  if (table->rows.empty() || table->columns.size() < at + 4)
    return none("the sweep has no such point");
  if (table->rows.size() > 1 || table->columns.size() > at + 4) {
    return none(
        fmt::format("it has {} results", table->rows.size() * (table->columns.size() - at) / 4));
  }
  const std::vector<Cell>& row = table->rows.front();
  const std::string& text = row[at].text;
  const std::string& outcome = row[at + 3].text;
  const bool counted = row[at + 1].number.value_or(0) > 0;
  const bool answers =
      counted || (is_of_words(figure.cell) &&
                  (outcome == name_of(Outcome::kDone) || shows_outcome(figure.cell)));
  if (!answers) {
    return none(outcome == name_of(Outcome::kDone) ? "the attempt measured no such thing"
                                                   : fmt::format("the attempt is {}", outcome));
  }
  if (row[at + 2].text == name_of(Verdict::kInvalid)) return none("the figure is invalid");
  if (text.empty() || text.find("—") != std::string::npos) return none("the cell is empty");
  return text;
}

}  // namespace sweepd
