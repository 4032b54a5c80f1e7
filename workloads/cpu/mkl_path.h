// Which path MKL uses for matrix products. The MKL inside LibTorch uses its AVX-512 and AVX2 paths
// only on Intel's CPUs, and on others a path that is about half as fast. sweepd answers MKL's
// question itself (see mkl_path.cpp), so that a figure describes the machine and not its vendor
// string. SWEEPD_MKL_VENDOR_DEFAULT=1 in the worker's environment keeps MKL's own answer.
#pragma once

#include <string>

namespace sweepd {

// "mkl-avx512", "mkl-avx2": the widest path of the CPU, by our answer; "mkl-vendor-default": MKL's
// own choice, because it was requested or the CPU has neither. Stored with every attempt.
std::string cpu_math();

}  // namespace sweepd
