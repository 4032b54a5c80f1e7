#include "runner/base/nesting.h"

#include <fmt/format.h>

namespace sweepd {

bool is_nested_too_deeply(std::string_view json) {
  if (json.size() <= static_cast<std::size_t>(kMaxNesting)) return false;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::string nested_too_deeply() {
  return fmt::format("nested more than {} levels deep", kMaxNesting);
}

}  // namespace sweepd
