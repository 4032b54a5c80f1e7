#include "runner/report/cell/table_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"

namespace sweepd::report {
namespace {

// Returns "OOM", "OOM/timeout" or "…", which a cell shows in place of a figure.
std::string word_of(const CellGroup& group, std::string_view of_done) {
  std::set<Outcome> outcomes;
  bool pending = false;
  for (const ResultRow* row : group.rows) {
    if (row->pending) {
      pending = true;
    } else {
      outcomes.insert(row->outcome);
    }
  }
  std::vector<std::string> words;
  words.reserve(outcomes.size() + 1);
  for (const Outcome outcome : outcomes) {
    words.emplace_back(outcome == Outcome::kDone ? of_done : info_of(outcome).cell);
  }
  if (pending) words.emplace_back("…");
  return join(words, "/");
}

// Shown for a done attempt in which this metric was not measured.
constexpr std::string_view kNotMeasured = "—";

// "Min (s)" -> "Min" in a table in seconds, whose header already names the unit.
std::string without_unit(const std::string& name, const std::string& unit) {
  const std::string suffix = " (" + unit + ")";
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

}  // namespace

Result<TableValue> TableValue::resolve(const TableSpec& table, const TableSpec::Value& value,
                                       const ResultSet& results, const ResultSet* baseline) {
  auto cell = parse_cell(value.cell);
  if (!cell) return cell.error();
  auto divided = parse_metric(value.metric);
  if (!divided) return divided.error();
  const auto convert = conversion(results.unit, value.unit);
  if (!convert) return convert.error();
  auto axes = Axes::resolve(results, table);
  if (!axes) return axes.error();
  TableValue table_value(std::move(*axes), value, results);
  table_value.style_ = {std::move(*cell),
                        results.unit,
                        value.unit.empty() ? results.unit : value.unit,
                        *convert,
                        value.bold.value_or(Bold::kNone),
                        rates_by_median(table) ? RateBasis::kMedian : RateBasis::kMean};
  table_value.divided_ = std::move(*divided);
  if (baseline != nullptr) {
    auto groups = BaselineGroups::resolve(*baseline, table, value);
    if (!groups) return groups.error();
    table_value.baseline_ = std::move(*groups);
  }
  return table_value;
}

void TableValue::group(const std::vector<TableSpec::Filter>& baseline) {
  for (const ResultRow& row : results_->rows) {
    for (CellKeys& place : axes_.places(row)) {
      columns_.insert(place.column);
      lines_[std::move(place.row)][std::move(place.column)].rows.push_back(&row);
    }
  }
  for (auto& [key, line] : lines_) {
    for (auto& [column, group] : line) group.add_up(results_->metric);
  }
  if (style_.cell.parts.empty()) style_.cell = choose_cell();
  if (baseline_) baseline_->group(baseline);
}

void TableValue::add_cells(UnsaidPooling& pooling) const {
  for (const auto& [row, line] : lines_) {
    for (const auto& [column, group] : line) pooling.add_cell(group.rows, axes_);
  }
  if (baseline_) baseline_->add_cells(pooling);
}

CellTemplate TableValue::choose_cell() const {
  std::vector<Pooled> figures;
  bool any_text = false;
  for (const auto& [key, line] : lines_) {
    for (const auto& [column, group] : line) {
      if (group.pooled.stats.n > 0) figures.push_back(group.pooled);
      any_text |= !group.text.empty();
    }
  }
  return *parse_cell(any_text ? "{text}" : default_cell(figures, style_));
}

const CellGroup* TableValue::find(const Key& row, const Key& column) const {
  const auto line = lines_.find(row);
  if (line == lines_.end()) return nullptr;
  const auto group = line->second.find(column);
  return group == line->second.end() ? nullptr : &group->second;
}

Result<Cell> TableValue::cell(const Key& row, const Key& column) const {
  const CellGroup* group = find(row, column);
  if (group == nullptr) return Cell{};
  const bool words_only = shows_words_only(style_.cell);
  const bool any_done = std::any_of(
      group->rows.begin(), group->rows.end(),
      [](const ResultRow* each) { return !each->pending && each->outcome == Outcome::kDone; });
  const bool has_figure = group->pooled.stats.n > 0 || (words_only && any_done);
  if (!has_figure && group->text.empty()) return Cell{word_of(*group, kNotMeasured), {}, false};
  // The done ones of several attempts count, and a note says how many did not end well.
  const std::string outcome =
      any_done ? std::string(name_of(Outcome::kDone)) : word_of(*group, kNotMeasured);
  const CellContent content{&group->pooled, partner(row, column), outcome, group->text};
  if (divided_.parameter.empty()) return figure_cell(content, style_);
  CellStyle style = style_;
  style.convert = conversion_at(row, column);
  return figure_cell(content, style);
}

Conversion TableValue::conversion_at(const Key& row, const Key& column) const {
  Conversion convert = style_.convert;
  if (divided_.parameter.empty()) return convert;
  // A point without the number has no figure either: its row is a word that covers all values.
  const auto number = axes_.number_at(row, column, divided_.parameter);
  convert.divide *= number ? std::pow(*number, divided_.power) : std::nan("");
  return convert;
}

Partner TableValue::partner(const Key& row, const Key& column) const {
  if (!baseline_) return {};
  const auto found = baseline_->find(row, column, find(row, column));
  if (found.group == nullptr || found.group->pooled.stats.n == 0) return {};
  const auto found_judged = judged_.find({row, column});
  const Judged judged = found_judged == judged_.end() ? Judged{} : found_judged->second;
  return {&found.group->pooled, found.itself, judged.p, judged.change, judged.possible};
}

std::vector<const ResultRow*> TableValue::failed_baseline(const Key& row, const Key& column) const {
  const CellGroup* own = find(row, column);
  if (!baseline_ || !compares(style_.cell) || own == nullptr) return {};
  const auto found = baseline_->find(row, column, own);
  if (found.group == nullptr || found.itself) return {};
  const Pooled& pooled = found.group->pooled;
  if (pooled.stats.n > 0 && pooled.verdict != Verdict::kInvalid) return {};
  return found.group->rows;
}

bool TableValue::is_idle(const Key& column) const {
  const bool only_compares = std::all_of(
      style_.cell.parts.begin(), style_.cell.parts.end(), [](const CellTemplate::Part& part) {
        const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
        return known == nullptr ||
               // `baseline` shows the baseline's own figure, so its column is not idle.
               (known->kind == NameKind::kCompared && known->compared_figure() != "baseline");
      });
  if (!baseline_ || !only_compares) return false;
  return std::all_of(lines_.begin(), lines_.end(), [&](const auto& line) {
    const auto own = line.second.find(column);
    return own == line.second.end() || baseline_->find(line.first, column, &own->second).itself;
  });
}

Result<std::optional<double>> TableValue::figure(const Key& row, const Key& column,
                                                 std::string_view name) const {
  const CellGroup* group = find(row, column);
  if (group == nullptr) return std::optional<double>();
  return Figures(group->pooled, style_.unit, conversion_at(row, column), partner(row, column),
                 style_.basis)
      .get(name);
}

std::string TableValue::first_figure() const {
  for (const CellTemplate::Part& part : style_.cell.parts) {
    const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
    if (known != nullptr && known->kind != NameKind::kWord) return part.name;
  }
  return "";
}

bool TableValue::shows_mean() const {
  bool mean = false;
  for (const CellTemplate::Part& part : style_.cell.parts) {
    const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
    if (known == nullptr) continue;
    if (known->name == "median" || known->compares_medians()) return false;
    const bool rate = known->kind == NameKind::kDerived && style_.basis == RateBasis::kMean;
    const bool compared = known->kind == NameKind::kCompared && known->name != "p";
    mean = mean || known->name == "mean" || rate || compared;
  }
  return mean;
}

std::string TableValue::metric() const {
  std::vector<std::string> labels;  // a table may have several metrics
  for (const std::string& part : split(results_->metric, ',')) {
    const std::string own(trim(part));
    const std::string shown = shown_metric(*results_, own);
    labels.push_back(shown != own ? shown : metric_label(own.empty() ? "time" : own));
  }
  const std::string label = join(labels, ", ");
  return divided_.parameter.empty() ? label : label + " per " + divided_.divisor();
}

Column TableValue::header(const Key& column) const {
  const Align align = shows_words_only(style_.cell) ? Align::kLeft : Align::kRight;
  const std::string own = axes_.column_unit(column);
  std::string unit = value_unit(style_);
  if (unit == "1" && !own.empty()) unit = own;
  const std::string name = axes_.column_name(column, without_unit(value_.name, unit));
  if (!name.empty()) return {name, unit, align};
  const std::string figure = template_label(style_.cell);
  // A rate names itself: "TFLOP/s" says more than "time (TFLOP/s)".
  if (figure == unit) return {figure, "1", align};
  return {metric(), unit, align};
}

std::pair<std::int64_t, std::int64_t> TableValue::counts(const std::vector<Key>& rows) const {
  std::int64_t fewest = 0, most = 0;
  for (const Key& row : rows) {
    const auto line = lines_.find(row);
    if (line == lines_.end()) continue;
    for (const auto& [column, group] : line->second) {
      const std::int64_t n = group.pooled.stats.n;
      if (n == 0) continue;
      fewest = fewest == 0 ? n : std::min(fewest, n);
      most = std::max(most, n);
    }
  }
  return {fewest, most};
}

}  // namespace sweepd::report
