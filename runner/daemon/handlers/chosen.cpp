#include "runner/daemon/handlers/chosen.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

Result<std::size_t> find_titled(const std::vector<std::string>& titles, const std::string& which,
                                std::string_view what) {
  std::vector<std::size_t> begin_so;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (lower(titles[i]) == lower(which)) return i;
    if (lower(titles[i]).starts_with(lower(which))) begin_so.push_back(i);
  }
  const auto number = parse_integer(which);
  if (number && *number >= 1 && *number <= static_cast<std::int64_t>(titles.size())) {
    return static_cast<std::size_t>(*number) - 1;
  }
  if (begin_so.size() == 1) return begin_so.front();
  std::string list;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    list += fmt::format("{}{} `{}`", i == 0 ? "" : ", ", i + 1, titles[i]);
  }
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{} {} `{}`{}; the sweep has {}", begin_so.empty() ? "no" : "more than one", what,
                  which, begin_so.empty() ? did_you_mean(which, titles) : "",
                  list.empty() ? "none" : list)};
}

}  // namespace sweepd
