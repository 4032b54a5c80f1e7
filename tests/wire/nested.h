// JSON that is nested as deeply as a test needs.
#pragma once

#include <cstddef>
#include <string>

namespace sweepd {

inline std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace sweepd
