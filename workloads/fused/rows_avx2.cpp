// Compiled with its own flags, see workloads/CMakeLists.txt.
#if defined(__x86_64__)
#define SWEEPD_FLASH_ISA avx2
#include "workloads/fused/rows.h"

namespace sweepd::fused {

const RowKernels kAvx2Rows = flash::avx2::make_row_kernels("AVX2");

}  // namespace sweepd::fused
#endif
