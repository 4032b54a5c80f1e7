#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"

namespace sweepd {
namespace {

// Figures around which a spread of the samples is meaningful.
constexpr std::array kCentres{"mean", "median", "min", "max", "p05", "p95"};

class PlotCheck {
 public:
  PlotCheck(const PlotSpec& plot, const std::vector<std::string>& dimensions,
            const std::vector<MetricDef>& declared)
      : plot_(plot), dimensions_(dimensions), declared_(declared) {}

  std::vector<TableMistake> run() {
    for (const auto& [channel, name] : channels()) {
      if (!name.empty() &&
          std::find(dimensions_.begin(), dimensions_.end(), name) == dimensions_.end()) {
        add(channel, {},
            fmt::format("{}: there is no column `{}`{}", channel, name,
                        did_you_mean(name, dimensions_)));
      }
    }
    const std::string key = plot_.shape.is_heatmap() ? "color" : "y";
    values(plot_.data, key, 0);
    if (!plot_.lines.values.empty()) values(plot_.lines, "x", plot_.data.values.size() - 1);
    const std::string& figure = plot_.shape.figure;
    const bool centre = std::find(kCentres.begin(), kCentres.end(), figure) != kCentres.end();
    if (plot_.shape.spread != PlotSpread::kNone && !centre) {
      add("error", {},
          fmt::format("error: `{}` has no {}; expected y to be one of {}", figure,
                      name_of(plot_.shape.spread), join(texts(kCentres), ", ")));
    }
    if (plot_.shape.spread == PlotSpread::kCi95 && figure != "mean") {
      if (centre) add("error", {}, "error: ci95 is the interval of a mean; write y: mean");
    }
    if (plot_.shape.log_x && plot_.shape.has_categories()) {
      add("scale", {},
          "scale: the x of a bar names its value, so it has no log scale; write "
          "scale: {y: log}");
    }
    if (plot_.shape.log_y && plot_.shape.stacked) {
      add("scale", {}, "scale: stacked bars have no log scale, because their parts add up");
    }
    return std::move(mistakes_);
  }

 private:
  template <class Words>
  static std::vector<std::string> texts(const Words& words) {
    return {words.begin(), words.end()};
  }

  std::vector<std::pair<std::string, std::string>> channels() const {
    const PlotShape& shape = plot_.shape;
    return {{"x", shape.x}, {"y", shape.y}, {"color", shape.color}, {"facet", shape.facet}};
  }

  void add(const std::string& key, std::optional<std::size_t> value, std::string message) {
    mistakes_.push_back({key, value, std::move(message)});
  }

  // The figure that a value's template shows.
  static std::string figure_of(const TableSpec::Value& value) {
    return value.cell.substr(1, value.cell.size() - 2);
  }

  // Whether the figure of a channel exists; reports any other.
  bool known(const std::string& key, std::optional<std::size_t> at, const std::string& figure) {
    const CellName* name = find_cell_name(figure);
    if (name != nullptr && name->kind != NameKind::kWord) return true;
    std::vector<std::string> names;
    for (const CellName& each : cell_names()) {
      if (each.kind != NameKind::kWord) names.emplace_back(each.name);
    }
    add(key, at,
        fmt::format("{}: `{}` is not a figure{}; expected one of {}", key, figure,
                    did_you_mean(figure, names), join(names, ", ")));
    return false;
  }

  // `first` is the index of the table's first series beside.
  void values(const TableSpec& table, const std::string& key, std::size_t first) {
    const bool has_own = &table == &plot_.data;
    const auto index = [&](std::size_t value) {
      return has_own && value == 0 ? std::optional<std::size_t>()
                                   : std::optional(first + value - (has_own ? 1 : 0));
    };
    bool all_known = true;
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      const std::string where = index(i) && has_own ? "y" : key;
      all_known &= known(where, index(i), figure_of(table.values[i]));
    }
    if (!all_known) return;  // the table's check would report the same mistake
    for (const TableMistake& mistake : mistakes_in(table, dimensions_, declared_)) {
      if (mistake.key == "rows") continue;  // the channels were checked
      const auto at = mistake.value ? index(*mistake.value) : std::nullopt;
      const std::string channel = at && has_own ? "y" : key;
      const bool cell = mistake.key == "cell";
      add(cell ? channel : mistake.key, at,
          cell ? compared(channel, table, mistake) : mistake.message);
    }
  }

  // The only mistake of a template that consists of a known figure.
  static std::string compared(const std::string& key, const TableSpec& table,
                              const TableMistake& mistake) {
    return fmt::format("{}: `{}` compares, but the plot has no baseline", key,
                       figure_of(table.values[mistake.value.value_or(0)]));
  }

  const PlotSpec& plot_;
  const std::vector<std::string>& dimensions_;
  const std::vector<MetricDef>& declared_;
  std::vector<TableMistake> mistakes_;
};

}  // namespace

std::vector<TableMistake> mistakes_in(const PlotSpec& plot,
                                      const std::vector<std::string>& dimensions,
                                      const std::vector<MetricDef>& declared) {
  return PlotCheck(plot, dimensions, declared).run();
}

Result<void> validate(const PlotSpec& plot, const std::vector<std::string>& dimensions,
                      const std::vector<MetricDef>& declared) {
  std::vector<std::string> texts;
  for (const TableMistake& mistake : mistakes_in(plot, dimensions, declared))
    texts.push_back(mistake.message);
  if (texts.empty()) return {};
  const std::string& title = plot.data.title;
  const std::string heading = title.empty() ? "" : fmt::format("plot `{}`: ", title);
  return Error{ErrorCode::kInvalidArgument, heading + join(texts, "; ")};
}

}  // namespace sweepd
