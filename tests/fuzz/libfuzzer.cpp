// The program of one target for libFuzzer, which has the `main`.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sweepd::fuzz::SWEEPD_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
