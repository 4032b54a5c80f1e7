#include "workloads/cpu/mkl_path.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace sweepd {
namespace {

enum class MklPath { kVendorDefault, kAvx2, kAvx512 };

MklPath choose_path() {
  const char* wanted = std::getenv("SWEEPD_MKL_VENDOR_DEFAULT");
  if (wanted != nullptr && std::string_view(wanted) == "1") return MklPath::kVendorDefault;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return MklPath::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return MklPath::kAvx2;
  return MklPath::kVendorDefault;
}

MklPath path() {
  // Chosen once: MKL may call at any time, and its answer must not change.
  static const MklPath chosen = choose_path();
  return chosen;
}

}  // namespace

std::string cpu_math() {
  switch (path()) {
    case MklPath::kAvx512:
      return "mkl-avx512";
    case MklPath::kAvx2:
      return "mkl-avx2";
    case MklPath::kVendorDefault:
      return "mkl-vendor-default";
  }
  return {};
}

}  // namespace sweepd

// MKL calls this exported function to ask whether the CPU is Intel's. Symbol lookup finds a
// definition in the executable before libtorch_cpu.so's; the linker exports it because that library
// defines it too.
extern "C" int mkl_serv_intel_cpu_true() {
  if (sweepd::path() != sweepd::MklPath::kVendorDefault) return 1;
  using Answer = int (*)();
  static const auto original =
      reinterpret_cast<Answer>(dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  return original != nullptr ? original() : 0;
}
