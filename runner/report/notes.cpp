#include "runner/report/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd::report {
namespace {

// Values of one metric and number of samples share a line.
struct Caption {
  std::string metric;
  std::pair<std::int64_t, std::int64_t> counts;
  std::string text;  // "" when their templates differ
  std::vector<std::string> names;
};

std::string count_text(const std::pair<std::int64_t, std::int64_t>& counts) {
  const auto& [fewest, most] = counts;
  return fewest == most ? with_thousands(most)
                        : fmt::format("{} to {}", with_thousands(fewest), with_thousands(most));
}

std::string filter_text(const TableSpec::Filter& filter) {
  return fmt::format("{} = {}", filter.name, join(filter.values, ", "));
}

std::string filter_text(const std::vector<TableSpec::Filter>& filters) {
  std::vector<std::string> texts;
  texts.reserve(filters.size());
  for (const TableSpec::Filter& filter : filters) texts.push_back(filter_text(filter));
  return join(texts, ", ");
}

}  // namespace

std::vector<std::string> captions(const std::vector<Layer>& layers, const std::vector<Key>& rows) {
  std::vector<Caption> all;
  for (const Layer& layer : layers) {
    const auto counts = layer.counts(rows);
    const std::string text =
        caption(layer.style().cell, layer.metric(), counts.first, counts.second);
    if (text.empty()) continue;
    const std::string name = layer.value().name.empty() ? layer.metric() : layer.value().name;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Caption& each) {
      return each.metric == layer.metric() && each.counts == counts;
    });
    if (same == all.end()) {
      all.push_back({layer.metric(), counts, text, {name}});
      continue;
    }
    if (same->text != text) same->text.clear();
    const bool listed =
        std::find(same->names.begin(), same->names.end(), name) != same->names.end();
    if (!listed) same->names.push_back(name);
  }
  std::vector<std::string> lines;
  for (const Caption& each : all) {
    const std::string names = all.size() == 1 ? "" : join(each.names, ", ") + ": ";
    lines.push_back(names + (each.text.empty() ? fmt::format("figures of {}, n = {}", each.metric,
                                                             count_text(each.counts))
                                               : each.text));
  }
  return lines;
}

std::vector<std::string> filter_notes(const TableSpec& table) {
  std::vector<std::string> lines;
  for (const TableSpec::Filter& filter : table.where) {
    // Where each value has a filter of its own in its place, the table's says nothing.
    const bool replaced =
        !table.values.empty() &&
        std::all_of(table.values.begin(), table.values.end(), [&](const TableSpec::Value& value) {
          return std::any_of(value.where.begin(), value.where.end(),
                             [&](const auto& own) { return own.name == filter.name; });
        });
    if (!replaced) lines.push_back("only " + filter_text(filter));
  }
  std::vector<std::string> narrower;
  for (const TableSpec::Value& value : table.values) {
    if (value.where.empty()) continue;
    narrower.push_back((value.name.empty() ? value.metric : value.name) + ": " +
                       filter_text(value.where));
  }
  if (!narrower.empty()) lines.push_back("only in " + join(narrower, "; "));
  return lines;
}

std::vector<std::string> baseline_notes(const TableSpec& table, std::vector<Layer>& layers) {
  const bool any = std::any_of(layers.begin(), layers.end(),
                               [](const Layer& layer) { return compares(layer.style().cell); });
  if (table.baseline.empty() || !any) return {};
  const bool found = std::any_of(layers.begin(), layers.end(), [](Layer& layer) {
    return layer.baseline() != nullptr && !layer.baseline()->empty();
  });
  const std::string names = filter_text(table.baseline);
  if (!found) return {fmt::format("no results with {} to compare with", names)};
  std::string line = fmt::format("compared with {} by the means", names);
  const bool bold = std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
    return compares(layer.style().cell) && layer.style().bold != Bold::kNone;
  });
  if (bold) line += "; bold: by more than twice the standard error";
  return {line};
}

}  // namespace sweepd::report
