// Compiled with its own flags, see workloads/CMakeLists.txt.
#if defined(__x86_64__)
#define SWEEPD_FLASH_ISA avx512
#include "workloads/fused/rows.h"

namespace sweepd::fused {

const RowKernels kAvx512Rows = flash::avx512::make_row_kernels("AVX-512");

}  // namespace sweepd::fused
#endif
