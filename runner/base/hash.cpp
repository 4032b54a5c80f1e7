#include "runner/base/hash.h"

#include <fmt/format.h>

#include <cstdint>

namespace sweepd {

std::string hash128(std::string_view text) {
  // Offset basis and prime of FNV-1a 128 (Fowler, Noll, Vo; draft-eastlake-fnv).
  __extension__ using U128 = unsigned __int128;
  U128 hash = (static_cast<U128>(0x6c62272e07bb0142ULL) << 64) | 0x62b821756295c58dULL;
  const U128 prime = (static_cast<U128>(0x0000000001000000ULL) << 64) | 0x000000000000013bULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

}  // namespace sweepd
