#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/model/sweep/plot.h"
#include "runner/sweepfile/table/table_parts.h"
#include "runner/sweepfile/yaml/sections.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

class PlotReader {
 public:
  PlotReader(Reporter& report, const Draft& draft) : report_(report), draft_(draft) {}

  PlotSpec read(const Node& node) {
    read_fields(report_, "a plot", node, fields());
    complete(node);
    return compose_plot(parts_);
  }

 private:
  std::vector<Field> fields() {
    return {
        text("title", parts_.title),
        {"mark", [&](const Node&, const Node& v) { read_mark(v); }},
        {"x", [&](const Node&, const Node& v) { x_ = channel("x", v, parts_.x); }},
        {"y", [&](const Node&, const Node& v) { y_ = channel("y", v, parts_.y); }},
        {"color", [&](const Node&, const Node& v) { color_ = channel("color", v, parts_.color); }},
        {"facet", [&](const Node&, const Node& v) { facet_ = channel("facet", v, parts_.facet); }},
        text("metric", parts_.metric),
        text("unit", parts_.unit),
        {"where",
         [&](const Node&, const Node& v) { read_where(report_, draft_, parts_.where, v); }},
        flag("warmup", parts_.warmup),
        {"scale", [&](const Node&, const Node& v) { read_scale(v); }},
        {"error", [&](const Node&, const Node& v) { read_error(v); }},
        flag("stack", parts_.stacked),
        {"beside", [&](const Node&, const Node& v) { read_beside(v); }},
        {"baseline",
         [&](const Node&, const Node& v) { read_baseline(report_, draft_, parts_.baseline, v); }},
        {"pool", [&](const Node&, const Node& v) { read_pool(report_, draft_, parts_.pool, v); }}};
  }

  Field text(const char* name, std::string& member) {
    return {name, [this, name, &member](const Node&, const Node& value) {
              if (auto read = read_text(report_, name, value)) member = std::move(*read);
            }};
  }
  Field flag(const char* name, bool& member) {
    return {name, [this, name, &member](const Node&, const Node& value) {
              if (const auto on = read_boolean(report_, name, value)) member = *on;
            }};
  }

  void read_mark(const Node& node) {
    const auto word = read_word(report_, "mark", mark_words(), node);
    if (word) parts_.mark = *mark_from(*word);
  }

  // Reads `name`, or one `name: text`. Returns the node of the name.
  const Node* channel(const char* what, const Node& node, PlotParts::Channel& out) {
    const bool headed = node.is_map() && node.entries.size() == 1;
    if (!headed && !node.is_scalar()) {
      report_kind(report_, what, "a name, or one `name: heading`", node);
      return nullptr;
    }
    const Node& name = headed ? *node.entries.front().key : node;
    out.name = name.text;
    if (headed) {
      if (auto text = read_text(report_, what, *node.entries.front().value)) out.text = *text;
    }
    return &name;
  }

  void read_scale(const Node& node) {
    const auto is_log = [&](const Node& value) {
      const auto word = read_word(report_, "scale", {"linear", "log"}, value);
      return word && *word == "log";
    };
    if (!node.is_map()) {
      parts_.log_x = parts_.log_y = is_log(node);
      return;
    }
    read_fields(report_, "scale", node,
                {{"x", [&](const Node&, const Node& v) { parts_.log_x = is_log(v); }},
                 {"y", [&](const Node&, const Node& v) { parts_.log_y = is_log(v); }}});
  }

  // `std`, or `{std: band}`.
  void read_error(const Node& node) {
    const bool formed = node.is_map() && node.entries.size() == 1;
    const Node& name = formed ? *node.entries.front().key : node;
    const auto word = read_word(report_, "error", spread_words(), name);
    if (word) parts_.spread = *spread_from(*word);
    if (!formed) return;
    const auto form = read_word(report_, "error", {"bars", "band"}, *node.entries.front().value);
    parts_.band = form && *form == "band";
  }

  void read_beside(const Node& list) {
    const std::string help = list.is_map() ? "begin each series with `- `" : "";
    if (!expect_list(report_, "beside", "a list of series", list, help)) return;
    for (const NodePtr& item : list.items) {
      if (!expect_map(report_, "beside", *item)) continue;
      PlotParts::Beside series;
      read_fields(report_, "a series beside", *item,
                  {text("name", series.name),
                   text("x", series.x),
                   text("y", series.y),
                   text("metric", series.metric),
                   text("unit", series.unit),
                   {"where", [&](const Node&, const Node& v) {
                      read_where(report_, draft_, series.where, v);
                    }}});
      if (series.name.empty()) report_.error(item->mark, "a series beside needs a `name`");
      if (series.x.empty() == series.y.empty()) {
        report_.error(item->mark,
                      "a series beside needs `y`, a figure over x, or `x`, a figure "
                      "where a vertical line stands");
      }
      parts_.beside.push_back(std::move(series));
    }
  }

  // Checks what depends on the mark, wherever that is in the file.
  void complete(const Node& node) {
    const bool heatmap = parts_.mark == PlotMark::kHeatmap;
    std::vector<std::pair<const char*, const Node*>> dimensions{
        {"x", x_}, {heatmap ? "y" : "color", heatmap ? y_ : color_}, {"facet", facet_}};
    const char* figure = heatmap ? "color" : "y";
    if (value_in(node, "x") == nullptr)
      report_.error(node.mark, "a plot needs `x`, a parameter or column");
    if (value_in(node, figure) == nullptr) {
      report_.error(node.mark, fmt::format("a {} needs `{}`, a figure such as median",
                                           heatmap ? "heatmap" : "plot", figure));
    }
    if (heatmap && value_in(node, "y") == nullptr) {
      report_.error(node.mark, "a heatmap needs `y`, a parameter or column");
    }
    std::vector<std::pair<std::string, const char*>> used;
    for (const auto& [what, name] : dimensions) {
      if (name == nullptr || !check_column(report_, draft_, what, *name)) continue;
      const std::string& column = name->text;
      const auto same = std::find_if(used.begin(), used.end(),
                                     [&](const auto& each) { return each.first == column; });
      if (same != used.end()) {
        report_.error(name->mark, fmt::format("{}: `{}` is already the {} of this plot", what,
                                              shown(name->text), same->second));
      }
      used.emplace_back(name->text, what);
    }
    if (heatmap) refuse(node, {"scale", "error", "stack", "beside"}, "a heatmap");
    if (parts_.mark == PlotMark::kPoint || parts_.mark == PlotMark::kLine) {
      refuse(node, {"stack"}, fmt::format("`mark: {}`", name_of(parts_.mark)));
    }
  }

  void refuse(const Node& node, const std::vector<std::string_view>& keys, std::string_view whose) {
    for (const auto& [key, value] : node.entries) {
      if (std::find(keys.begin(), keys.end(), key->text) == keys.end()) continue;
      report_.error(key->mark, fmt::format("{} has no `{}`", whose, key->text));
    }
  }

  Reporter& report_;
  const Draft& draft_;
  PlotParts parts_;
  const Node *x_ = nullptr, *y_ = nullptr, *color_ = nullptr, *facet_ = nullptr;
};

// Series over x come first, then the vertical lines, as in a PlotSpec.
const Node* series_at(const Node& list, std::size_t index) {
  std::vector<const Node*> ordered;
  for (const char* kind : {"y", "x"}) {
    for (const NodePtr& item : list.items) {
      if (value_in(*item, kind) != nullptr) ordered.push_back(item.get());
    }
  }
  return index < ordered.size() ? ordered[index] : nullptr;
}

const Mark& plot_place_of(const Node& plot, const TableMistake& mistake) {
  if (mistake.value) {
    const Node* list = value_in(plot, "beside");
    const Node* series = list == nullptr ? nullptr : series_at(*list, *mistake.value);
    const Node* own = series == nullptr ? nullptr : value_in(*series, mistake.key);
    if (own != nullptr) return own->mark;
  }
  const Node* key = value_in(plot, mistake.key);
  return key != nullptr ? key->mark : plot.mark;
}

}  // namespace

void read_plots(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each plot with `- `" : "";
  if (!expect_list(report, "plots", "a list of plots", section, help)) return;
  for (const NodePtr& plot : section.items) {
    if (!expect_map(report, "plots", *plot)) continue;
    const std::size_t before = report.count();
    draft.sweep.plots.push_back(PlotReader(report, draft).read(*plot));
    draft.plot_sources.push_back({plot, {}, report.count() == before});
  }
}

void check_plots(Reporter& report, const Draft& draft, const PlotCheck& check) {
  if (!check || draft.def == nullptr) return;
  for (std::size_t i = 0; i < draft.plot_sources.size(); ++i) {
    const TableSource& source = draft.plot_sources[i];
    if (!source.sound) continue;
    for (const TableMistake& mistake : check(draft.sweep.plots[i], draft.sweep, *draft.def)) {
      report.error(plot_place_of(*source.node, mistake), mistake.message);
    }
  }
}

}  // namespace sweepd::sweepfile
