#include "runner/base/ids.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>

namespace sweepd {

std::string random_id() {
  std::random_device device;  // getrandom(2) under glibc
  const std::uint64_t high = device();
  const std::uint64_t low = device();
  return fmt::format("{:08x}{:08x}", high & 0xffffffffU, low & 0xffffffffU);
}

}  // namespace sweepd
