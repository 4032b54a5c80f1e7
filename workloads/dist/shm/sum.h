// Element-wise sums of several buffers, for all types of the collectives.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sweepd::shm {

enum class Type { kFp32, kFp64, kFp16, kBf16, kInt32, kInt64 };

std::size_t size_of(Type type);  // bytes of one element
std::string_view name_of(Type type);

// destination[i] = sources[0][i] + sources[1][i] + ..., in that order, for every destination.
//
// fp16 and bf16 are added in fp32 and rounded once, to nearest even; integers wrap around. The
// result depends only on the order of the sources, not on the CPU. A destination may be one of the
// sources, or overlap with none; all are aligned to their element.
void sum(Type type, std::span<const std::byte* const> sources,
         std::span<std::byte* const> destinations, std::size_t count);

// The versions for which `sum` is compiled. The best one that this CPU supports is used.
enum class Isa { kPortable, kAvx2, kAvx512 };
Isa best_isa();
void sum(Isa isa, Type type, std::span<const std::byte* const> sources,
         std::span<std::byte* const> destinations, std::size_t count);  // for tests

}  // namespace sweepd::shm
