#include "runner/report/plot/plot_words.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/model/sweep/plot.h"
#include "runner/report/render/option_text.h"

namespace sweepd {
namespace {

Error wrong(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

PlotParts::Channel channel(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, ""};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Result<void> read_scale(const std::string& text, PlotParts& parts) {
  if (text.empty() || text == "linear") return {};
  if (text == "log" || text == "x=log,y=log" || text == "y=log,x=log") {
    parts.log_x = parts.log_y = true;
  } else if (text == "x=log") {
    parts.log_x = true;
  } else if (text == "y=log") {
    parts.log_y = true;
  } else {
    return wrong(fmt::format("--scale: `{}` is not log, x=log or y=log", text));
  }
  return {};
}

Result<void> read_spread(const std::string& text, PlotParts& parts) {
  if (text.empty()) return {};
  const PlotParts::Channel named = channel(text);
  const auto spread = spread_from(named.name);
  if (!spread) return Error{spread.error().code, "--error: " + spread.error().message};
  if (!named.text.empty() && named.text != "band" && named.text != "bars") {
    return wrong(fmt::format("--error: `{}` is not bars or band", named.text));
  }
  parts.spread = *spread;
  parts.band = named.text == "band";
  return {};
}

Result<void> read_filters(const PlotWords& words, PlotParts& parts) {
  for (const std::string& text : words.where) {
    auto filter = filter_from_text("--where", text);
    if (!filter) return filter.error();
    parts.where.push_back(std::move(*filter));
  }
  for (const std::string& text : words.baseline) {
    auto filter = baseline_from_text(text);
    if (!filter) return filter.error();
    parts.baseline.push_back(std::move(*filter));
  }
  return {};
}

Result<PlotParts::Beside> beside_from(const std::string& text) {
  PlotParts::Beside beside;
  const auto fields = split_option("--beside", text, {"name", "x", "y", "metric", "unit"});
  if (!fields) return fields.error();
  for (const auto& [key, value] : *fields) {
    if (key == "name") beside.name = value;
    if (key == "x") beside.x = value;
    if (key == "y") beside.y = value;
    if (key == "metric") beside.metric = value;
    if (key == "unit") beside.unit = value;
    if (key.starts_with(kWhereKey)) {
      beside.where.push_back({key.substr(kWhereKey.size()), split(value, '|')});
    }
  }
  if (beside.name.empty() || beside.x.empty() == beside.y.empty()) {
    return wrong(
        fmt::format("--beside: `{}` needs a name, and y, a figure over x, or x, a figure "
                    "where a vertical line stands",
                    text));
  }
  return beside;
}

// The chosen mark's required and forbidden options.
Result<void> check(const PlotParts& parts) {
  const bool heatmap = parts.mark == PlotMark::kHeatmap;
  if (parts.x.name.empty()) return wrong("a plot needs --x, a parameter or column");
  if (parts.y.name.empty()) {
    return wrong(heatmap ? "a heatmap needs --y, a parameter or column"
                         : "a plot needs --y, a figure such as median");
  }
  if (heatmap && parts.color.name.empty()) {
    return wrong("a heatmap needs --color, a figure such as median");
  }
  if (heatmap &&
      (parts.log_x || parts.log_y || parts.spread != PlotSpread::kNone || !parts.beside.empty())) {
    return wrong("a heatmap has no --scale, --error or --beside");
  }
  const bool stacks = parts.mark == PlotMark::kBar || parts.mark == PlotMark::kArea;
  if (parts.stacked && !stacks) {
    return wrong(fmt::format("--mark {} has no --stack", name_of(parts.mark)));
  }
  std::vector<std::string> used{parts.x.name};
  for (const auto& channel : {heatmap ? parts.y : parts.color, parts.facet}) {
    if (channel.name.empty()) continue;
    for (const std::string& name : used) {
      if (name == channel.name) {
        return wrong(fmt::format("`{}` is given twice among the plot's columns", name));
      }
    }
    used.push_back(channel.name);
  }
  return {};
}

}  // namespace

Result<PlotSpec> plot_from_words(const PlotWords& words) {
  PlotParts parts;
  parts.title = words.title;
  const auto mark = mark_from(words.mark);
  if (!mark) return Error{mark.error().code, "--mark: " + mark.error().message};
  parts.mark = *mark;
  parts.x = channel(words.x);
  parts.y = channel(words.y);
  parts.color = channel(words.color);
  parts.facet = channel(words.facet);
  parts.metric = words.metric;
  parts.unit = words.unit;
  parts.pool = words.pool;
  parts.stacked = words.stack;
  parts.warmup = words.warmup;
  if (auto read = read_scale(words.scale, parts); !read) return read.error();
  if (auto read = read_spread(words.error, parts); !read) return read.error();
  if (auto read = read_filters(words, parts); !read) return read.error();
  for (const std::string& text : words.beside) {
    auto beside = beside_from(text);
    if (!beside) return beside.error();
    parts.beside.push_back(std::move(*beside));
  }
  if (const auto fits = check(parts); !fits) return fits.error();
  return compose_plot(parts);
}

}  // namespace sweepd
