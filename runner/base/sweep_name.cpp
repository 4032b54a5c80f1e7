#include "runner/base/sweep_name.h"

#include <algorithm>

namespace sweepd {

bool is_sweep_name(std::string_view text, std::size_t longest) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace sweepd
