// Compiled with its own flags, see workloads/CMakeLists.txt.
#define SWEEPD_FLASH_ISA portable
#include "workloads/flash/kernels.h"

namespace sweepd::flash {

const Kernels kPortableKernels = portable::make_kernels("portable");

}  // namespace sweepd::flash
