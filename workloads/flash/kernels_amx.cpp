// Compiled with its own flags, see workloads/CMakeLists.txt. AMX multiplies bf16. The other types,
// and inputs whose masked parts are not finite, use AVX-512.
#if defined(__x86_64__)
#define SWEEPD_FLASH_ISA amx
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/flash/amx_backward.h"

namespace sweepd::flash {
namespace {

// AMX's tiles have one size, for which the products and the softmax are written.
Tile forward_tile(Element element, Tile wanted) {
  if (element != Element::kBf16) return kAvx512Kernels.forward_tile(element, wanted);
  return {amx::kAmxRows, amx::kAmxColumns};
}

Tile backward_tile(Element element, Tile wanted) {
  if (element != Element::kBf16) return kAvx512Kernels.backward_tile(element, wanted);
  return {amx::kAmxBackwardRows, amx::kAmxBackwardColumns};
}

// Sufficient for either, because each task chooses between them.
int64_t forward_floats(int64_t width, Tile tile) {
  return amx::most(amx::amx_forward_floats(width), kAvx512Kernels.forward_floats(width, tile));
}

int64_t backward_floats(int64_t width, Tile tile) {
  return amx::most(amx::amx_backward_floats(width), kAvx512Kernels.backward_floats(width, tile));
}

void forward(Element element, const ForwardTask& task, float* workspace) {
  if (element != Element::kBf16 || !amx::can_multiply_zeros(task)) {
    return kAvx512Kernels.forward(element, task, workspace);
  }
  amx::amx_forward(task, workspace);
}

void backward(Element element, const BackwardTask& task, float* workspace) {
  if (element != Element::kBf16 || !amx::can_multiply_zeros(task)) {
    return kAvx512Kernels.backward(element, task, workspace);
  }
  amx::amx_backward(task, workspace);
}

void finish_dq(Element element, const DqTask& task) {
  kAvx512Kernels.finish_dq(element, task);
}

}  // namespace

const Kernels kAmxKernels{"AMX",           &forward_tile,    &backward_tile,
                          &forward_floats, &backward_floats, &forward,
                          &backward,       &finish_dq};

// Since Linux 5.16 a process gets the tiles' 8 KB of registers only if it asks.
bool ask_for_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace sweepd::flash
#endif
