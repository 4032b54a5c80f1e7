#include "runner/report/cell/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "runner/base/units.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/cell_format.h"

namespace sweepd::report {
namespace {

constexpr std::string_view kMissing = "—";

bool is_whole(double value) {
  return value == std::nearbyint(value);
}

}  // namespace

std::string default_cell(const std::vector<Pooled>& cells, const CellStyle& style) {
  double smallest = 0;
  bool whole = true, repeated = false;
  for (const Pooled& cell : cells) {
    const double mean = std::abs(style.convert(cell.stats.mean));
    if (!std::isfinite(mean)) continue;
    whole &= is_whole(mean);
    repeated |= cell.stats.n > 1;
    if (mean > 0 && (smallest == 0 || mean < smallest)) smallest = mean;
  }
  // Counts and bytes stay whole. A whole-numbered time must not look like a count.
  const bool counts =
      style.shown_unit == "B" || style.shown_unit == "1" || style.shown_unit.empty();
  std::string format = ",.0f";
  if (!counts || !whole || repeated) {
    const int decimals =
        smallest > 0 ? std::max(1, 2 - static_cast<int>(std::floor(std::log10(smallest)))) : 1;
    format = decimals <= 6 ? fmt::format(",.{}f", decimals) : ".3g";
  }
  return repeated ? fmt::format("{{mean:{0}}} ± {{std:{0}}}", format)
                  : fmt::format("{{mean:{}}}", format);
}

namespace {

const CellName* name_in(const CellTemplate::Part& part) {
  return part.name.empty() ? nullptr : find_cell_name(part.name);
}

// `{text}` of a numeric fact shows the number.
std::string word(const CellTemplate::Part& part, const CellContent& content,
                 const CellStyle& style) {
  const Stats& stats = content.pooled->stats;
  if (part.name == "outcome") return content.outcome;
  if (part.name == "verdict") {
    return std::string(stats.n > 0 ? name_of(content.pooled->verdict) : kMissing);
  }
  if (!content.text.empty()) return content.text;
  return stats.n > 0 ? format_number(style.convert(stats.mean), {}) : std::string(kMissing);
}

std::string number_text(const CellTemplate::Part& part, double value) {
  if (part.name == "p" && part.format.empty()) return p_text(value);
  return format_number(value, *parse_number_format(part.format));
}

}  // namespace

Result<Cell> figure_cell(const CellContent& content, const CellStyle& style) {
  const Figures figures(*content.pooled, style.unit, style.convert, content.partner, style.basis);
  Cell cell;
  std::optional<double> only;
  int named = 0;
  bool any = false, any_but_n = false;  // what the cell shows: a figure or a word
  // A fact that is a text has no mean, so a cell that asks for one shows the text.
  const bool text_alone = content.pooled->stats.n == 0 && !content.text.empty();
  if (text_alone && !shows_words_only(style.cell)) return Cell{content.text, {}, false};
  for (const CellTemplate::Part& part : style.cell.parts) {
    const CellName* known = name_in(part);
    if (known == nullptr) {
      cell.text += part.literal;
      continue;
    }
    ++named;
    any_but_n |= known->name != "n";
    if (known->kind == NameKind::kWord) {
      any = true;
      cell.text += word(part, content, style);
      if (part.name == "text" && content.text.empty() && content.pooled->stats.n > 0) {
        only = style.convert(content.pooled->stats.mean);
      }
      continue;
    }
    auto figure = figures.get(part.name);
    if (!figure) return figure.error();
    only = *figure;
    any |= only.has_value();
    cell.text += only ? number_text(part, *only) : std::string(kMissing);
  }
  Verdict verdict = any_but_n ? content.pooled->verdict : content.pooled->verdict_of_count;
  const bool compared = compares(style.cell) && content.partner.pooled != nullptr;
  // An invalid baseline gives no comparison, so there is nothing to mark. A suspect one does.
  if (compared && content.partner.pooled->verdict == Verdict::kSuspect) {
    verdict = std::max(verdict, Verdict::kSuspect);
  }
  if (any) {  // nothing doubts a dash
    cell.text += mark_of(verdict);
    if (content.pooled->unsteady && any_but_n) cell.text += kUnsteadyMark;
  }
  if (judges(style) && !content.partner.judged && only) cell.text += kUnjudgedMark;
  if (named == 1 && verdict != Verdict::kInvalid) cell.number = only;
  cell.bold = judges(style) && stands_out(content.partner, style.bold);
  return cell;
}

bool shows_words_only(const CellTemplate& cell) {
  return std::all_of(cell.parts.begin(), cell.parts.end(), [](const CellTemplate::Part& part) {
    const CellName* known = name_in(part);
    return known == nullptr || known->kind == NameKind::kWord;
  });
}

bool compares(const CellTemplate& cell) {
  return std::any_of(cell.parts.begin(), cell.parts.end(), [](const CellTemplate::Part& part) {
    const CellName* known = name_in(part);
    return known != nullptr && known->kind == NameKind::kCompared;
  });
}

bool judges(const CellStyle& style) {
  return compares(style.cell) && scope_of(style.bold) == BoldScope::kBaseline;
}

bool shows(const CellTemplate& cell, std::string_view figure) {
  return std::any_of(cell.parts.begin(), cell.parts.end(),
                     [&](const CellTemplate::Part& part) { return part.name == figure; });
}

std::string_view mark_of(Verdict verdict) {
  if (verdict == Verdict::kInvalid) return "†";
  return verdict == Verdict::kSuspect ? "‡" : "";
}

std::string metric_label(const std::string& metric) {
  if (metric.starts_with(kRangeTimePrefix)) {
    return "time in the range " + metric.substr(kRangeTimePrefix.size());
  }
  std::string label = metric;
  for (const std::string_view kind : {"figure.", "fact."}) {
    if (label.starts_with(kind)) label.erase(0, kind.size());
  }
  const std::string_view unit = unit_of_metric(metric);
  const std::string suffix = unit == "B" ? "_bytes" : fmt::format("_{}", unit);
  const bool named = !unit.empty() && unit != "1" && label.ends_with(suffix);
  if (named && label.size() > suffix.size()) label.resize(label.size() - suffix.size());
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

namespace {

// Returns the text between two figures without the letters that touch a figure: those belong to the
// figure's value, not to its name. "x (" -> " (".
std::string between_figures(std::string_view literal) {
  const auto touches = [](unsigned char c) { return std::isalnum(c) != 0 || c == '%'; };
  while (!literal.empty() && touches(static_cast<unsigned char>(literal.front()))) {
    literal.remove_prefix(1);
  }
  while (!literal.empty() && touches(static_cast<unsigned char>(literal.back()))) {
    literal.remove_suffix(1);
  }
  return std::string(literal);
}

}  // namespace

std::string template_label(const CellTemplate& cell) {
  std::string label;
  for (const CellTemplate::Part& part : cell.parts) {
    const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
    if (known == nullptr) {
      label += between_figures(part.literal);
    } else {
      label += known->label.empty() ? known->name : known->label;
    }
  }
  return label;
}

std::string basis_of_rates(const CellStyle& style) {
  const bool rates = std::any_of(style.cell.parts.begin(), style.cell.parts.end(),
                                 [](const CellTemplate::Part& part) {
                                   const CellName* known = name_in(part);
                                   return known != nullptr && known->kind == NameKind::kDerived;
                                 });
  if (!rates) return "";
  return style.basis == RateBasis::kMean ? " (rates by its mean)" : " (rates by its median)";
}

std::string caption(const CellStyle& style, const std::string& metric, std::int64_t fewest,
                    std::int64_t most) {
  const std::string rates = basis_of_rates(style);
  const bool statistics = std::any_of(style.cell.parts.begin(), style.cell.parts.end(),
                                      [](const CellTemplate::Part& part) {
                                        const CellName* known = name_in(part);
                                        return known != nullptr && known->kind != NameKind::kWord &&
                                               known->kind != NameKind::kDerived;
                                      });
  if (most == 0 || (!statistics && rates.empty())) return "";
  const std::string count =
      fewest == most ? with_thousands(most)
                     : fmt::format("{} to {}", with_thousands(fewest), with_thousands(most));
  const std::string_view basis = style.basis == RateBasis::kMean ? "mean" : "median";
  return fmt::format("{} {}{}{}, n = {}", template_label(style.cell),
                     statistics ? "of " : fmt::format("by the {} ", basis), metric,
                     statistics ? rates : "", count);
}

std::string value_unit(const CellStyle& style) {
  std::string_view rate;
  bool rates_differ = false;
  for (const CellTemplate::Part& part : style.cell.parts) {
    const CellName* known = part.name.empty() ? nullptr : find_cell_name(part.name);
    if (known == nullptr) continue;
    if (known->in_unit_of_metric()) return style.shown_unit.empty() ? "1" : style.shown_unit;
    if (known->kind != NameKind::kDerived) continue;
    rates_differ |= !rate.empty() && rate != known->label;
    rate = known->label;
  }
  return rate.empty() || rates_differ ? "1" : std::string(rate);
}

}  // namespace sweepd::report
