#include "runner/report/filter_text.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace sweepd {

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
