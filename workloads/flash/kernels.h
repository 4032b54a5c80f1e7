// The table of kernels of one instruction set, for the three files that instantiate it.
#pragma once

#include "workloads/flash/backward.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

inline void forward_of(Element element, const ForwardTask& task, float* workspace) {
  switch (element) {
    case Element::kFp32:
      return forward<Fp32>(task, workspace);
    case Element::kFp16:
      return forward<Fp16>(task, workspace);
    case Element::kBf16:
      return forward<Bf16>(task, workspace);
  }
}

inline void backward_of(Element element, const BackwardTask& task, float* workspace) {
  switch (element) {
    case Element::kFp32:
      return backward<Fp32>(task, workspace);
    case Element::kFp16:
      return backward<Fp16>(task, workspace);
    case Element::kBf16:
      return backward<Bf16>(task, workspace);
  }
}

inline void finish_dq_of(Element element, const DqTask& task) {
  switch (element) {
    case Element::kFp32:
      return finish_dq<Fp32>(task);
    case Element::kFp16:
      return finish_dq<Fp16>(task);
    case Element::kBf16:
      return finish_dq<Bf16>(task);
  }
}

constexpr Tile with_choice(Tile wanted, Tile own) {
  return {wanted.rows > 0 ? wanted.rows : own.rows,
          wanted.columns > 0 ? wanted.columns : own.columns};
}
inline Tile forward_tile_of(Tile wanted) {
  return with_choice(wanted, kForwardTile);
}
inline Tile backward_tile_of(Tile wanted) {
  return with_choice(wanted, kBackwardTile);
}

constexpr Kernels make_kernels(const char* name) {
  return {name,        &forward_tile_of, &backward_tile_of, &forward_floats, &backward_floats,
          &forward_of, &backward_of,     &finish_dq_of};
}

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
