#include "runner/model/key_text.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace sweepd {

std::string key_text(const ParamDef& param, const Value& value) {
  if (param.type != ValueType::kBytes) return param.text(value);
  // Uses the largest power of 1,024 that divides the value.
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::int64_t bytes = std::get<std::int64_t>(value);
  std::size_t i = 0;
  while (bytes != 0 && bytes % 1024 == 0 && i + 1 < kUnits.size()) {
    bytes /= 1024;
    ++i;
  }
  return std::to_string(bytes) + std::string(kUnits[i]);
}

}  // namespace sweepd
