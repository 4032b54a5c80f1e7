// Compiled with its own flags, see workloads/CMakeLists.txt.
#if defined(__x86_64__)
#define SWEEPD_FLASH_ISA avx512
#include "workloads/flash/kernels.h"

namespace sweepd::flash {

const Kernels kAvx512Kernels = avx512::make_kernels("AVX-512");

}  // namespace sweepd::flash
#endif
