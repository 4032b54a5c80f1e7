// Compiled with its own flags, see workloads/CMakeLists.txt.
#if defined(__x86_64__)
#define SWEEPD_FLASH_ISA avx2
#include "workloads/flash/kernels.h"

namespace sweepd::flash {

const Kernels kAvx2Kernels = avx2::make_kernels("AVX2");

}  // namespace sweepd::flash
#endif
