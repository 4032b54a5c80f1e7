#include "runner/report/render/option_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// Returns the key at the beginning of `text`, or "" if there is none.
std::string_view key_at(std::string_view text, const std::vector<std::string>& keys) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view key = text.substr(0, equals);
  const bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
  return known || (key.starts_with(kWhereKey) && key.size() > kWhereKey.size())
             ? key
             : std::string_view{};
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> split_option(
    std::string_view option, std::string_view text, const std::vector<std::string>& keys) {
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends =
        i == text.size() || (text[i] == ',' && !key_at(text.substr(i + 1), keys).empty());
    if (!ends) continue;
    const std::string_view field = text.substr(begin, i - begin);
    const std::string_view key = key_at(field, keys);
    if (key.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}: `{}` does not begin with a key; write KEY=TEXT,KEY=TEXT with "
                               "keys {}, where.NAME{}",
                               option, field, join(keys, ", "),
                               did_you_mean(field.substr(0, field.find('=')), keys))};
    }
    fields.emplace_back(key, field.substr(key.size() + 1));
    begin = i + 1;
  }
  return fields;
}

Result<TableSpec::Filter> filter_from_text(std::string_view what, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: `{}` must be name=value or name=value,value,...", what, text)};
  }
  return TableSpec::Filter{text.substr(0, equals), split(text.substr(equals + 1), ',')};
}

Result<TableSpec::Filter> baseline_from_text(const std::string& text) {
  auto filter = filter_from_text("--baseline", text);
  if (filter && filter->values.size() != 1) {
    return Error{ErrorCode::kInvalidArgument, "--baseline: `" + text + "` must be name=value"};
  }
  return filter;
}

}  // namespace sweepd
