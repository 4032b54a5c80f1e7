// CUPTI's activity records of this process. CUPTI's one subscriber is left to the program.
//
// SWEEPD_INJECT_CUPTI: files, or folders with libcupti.so.N, separated by colons; the newest that
// the driver takes is used where the process has no libcupti.
#pragma once

#include <cstdint>

namespace sweepd::inject {

// Call it once, when CUDA is initialised. Stops the recording with the reason if there is no CUPTI
// to use, or another profiler uses it.
void start_cupti();

// Moves records from CUPTI to the file: from full buffers with complete records, or all.
enum class Fetch : std::uint8_t { kComplete, kAll };
void fetch_from_cupti(Fetch what);

struct Moment {
  std::int64_t ns;
  std::uint8_t of_cupti;  // 0: the host's clock, because CUPTI does not run
};
Moment now();

}  // namespace sweepd::inject
