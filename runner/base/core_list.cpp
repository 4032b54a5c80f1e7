#include "runner/base/core_list.h"

#include <charconv>

#include "runner/base/text.h"

namespace sweepd {
namespace {

int to_int(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string to_core_list(const std::vector<int>& cores) {
  std::string list;
  for (std::size_t begin = 0; begin < cores.size();) {
    std::size_t end = begin + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    if (!list.empty()) list += ',';
    list += std::to_string(cores[begin]);
    if (end - begin > 1) list += '-' + std::to_string(cores[end - 1]);
    begin = end;
  }
  return list;
}

std::vector<int> from_core_list(std::string_view text) {
  std::vector<int> cores;
  if (text.empty()) return cores;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const int first = to_int(std::string_view(part).substr(0, dash));
    const int last =
        dash == std::string::npos ? first : to_int(std::string_view(part).substr(dash + 1));
    for (int core = first; core >= 0 && core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

}  // namespace sweepd
