#include "runner/model/vocabulary/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd {

std::string_view name_of(Pass pass) {
  return pass_words()[static_cast<std::size_t>(pass)];
}

Result<Pass> pass_from(std::string_view name) {
  const auto& words = pass_words();
  const auto found = std::find(words.begin(), words.end(), name);
  if (found != words.end()) return static_cast<Pass>(found - words.begin());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` is not a pass; expected one of {}", name, join(words, ", "))};
}

const std::vector<std::string>& pass_words() {
  static const std::vector<std::string> words{"timing", "memory", "profile"};
  return words;
}

}  // namespace sweepd
