#include "runner/client/table_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

const std::vector<std::string> kKeys{"name", "cell", "metric", "unit", "warmup", "bold"};
constexpr std::string_view kWhere = "where.";

// Returns the key at the beginning of `text`, or "" if there is none.
std::string_view key_at(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view key = text.substr(0, equals);
  const bool known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
  return known || (key.starts_with(kWhere) && key.size() > kWhere.size()) ? key
                                                                          : std::string_view{};
}

std::vector<std::string> split_fields(std::string_view text) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',' || key_at(text.substr(i + 1)).empty()) continue;
    fields.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  fields.emplace_back(text.substr(begin));
  return fields;
}

Result<void> set_field(TableSpec::Value& value, std::string_view key, const std::string& text) {
  if (key == "name") value.name = text;
  if (key == "cell") value.cell = text;
  if (key == "metric") value.metric = text;
  if (key == "unit") value.unit = text;
  if (key.starts_with(kWhere)) {
    value.where.push_back({std::string(key.substr(kWhere.size())), split(text, '|')});
  }
  if (key == "warmup") {
    const auto on = parse_boolean(text);
    if (!on) return on.error();
    value.warmup = *on;
  }
  if (key == "bold") {
    const auto bold = bold_from(text);
    if (!bold) return bold.error();
    value.bold = *bold;
  }
  return {};
}

}  // namespace

Result<TableSpec::Value> parse_value_option(const std::string& text) {
  TableSpec::Value value;
  for (const std::string& field : split_fields(text)) {
    const std::string_view key = key_at(field);
    if (key.empty()) {
      const std::string typed = field.substr(0, field.find('='));
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--value: `{}` does not begin with a key; write KEY=TEXT,KEY=TEXT "
                               "with keys {}, where.NAME{}",
                               field, join(kKeys, ", "), did_you_mean(typed, kKeys))};
    }
    if (const auto set = set_field(value, key, field.substr(key.size() + 1)); !set) {
      return Error{set.error().code, "--value: " + set.error().message};
    }
  }
  return value;
}

void split_headings(std::vector<std::string>& names, std::vector<TableSpec::Heading>& headings) {
  for (std::string& name : names) {
    const std::size_t equals = name.find('=');
    if (equals == std::string::npos) continue;
    headings.push_back({name.substr(0, equals), name.substr(equals + 1)});
    name.resize(equals);
  }
}

Result<void> check_name(std::string_view what, const std::string& word) {
  if (word.find('=') == std::string::npos) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{0}` is not {1}; a filter is written --where {0}", word, what)};
}

}  // namespace sweepd
