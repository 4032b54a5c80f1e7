// Which path MKL takes for matrix products. The MKL inside LibTorch takes its AVX-512 and AVX2
// paths on Intel's CPUs only; on others it falls back to a path about half as fast. sweepd answers
// MKL's question itself (see mkl_path.cpp), so that a figure describes the machine and not its
// vendor string. SWEEPD_MKL_VENDOR_DEFAULT=1 in the worker's environment leaves MKL's own answer.
#pragma once

#include <string>

namespace sweepd {

// "mkl-avx512", "mkl-avx2": the widest path the CPU has, by our answer; "mkl-vendor-default": MKL's
// own choice, either asked for or because the CPU has neither. Stored with every attempt.
std::string cpu_math();

}  // namespace sweepd
