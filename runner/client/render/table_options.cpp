#include "runner/client/render/table_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/render/option_text.h"

namespace sweepd {
namespace {

const std::vector<std::string> kKeys{"name", "cell", "metric", "unit", "warmup", "bold"};

Result<void> set_field(TableSpec::Value& value, std::string_view key, const std::string& text) {
  if (key == "name") value.name = text;
  if (key == "cell") value.cell = text;
  if (key == "metric") value.metric = text;
  if (key == "unit") value.unit = text;
  if (key.starts_with(kWhereKey)) {
    value.where.push_back({std::string(key.substr(kWhereKey.size())), split(text, '|')});
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
  const auto fields = split_option("--value", text, kKeys);
  if (!fields) return fields.error();
  TableSpec::Value value;
  for (const auto& [key, field] : *fields) {
    if (const auto set = set_field(value, key, field); !set) {
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
