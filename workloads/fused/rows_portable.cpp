// Compiled with its own flags, see workloads/CMakeLists.txt.
#define SWEEPD_FLASH_ISA portable
#include "workloads/fused/rows.h"

namespace sweepd::fused {

const RowKernels kPortableRows = flash::portable::make_row_kernels("portable");

}  // namespace sweepd::fused
