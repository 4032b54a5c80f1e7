// The arithmetic that a trial requests, by its names in sweep files. Includes no torch header,
// because `work` needs it without allocating. The torch side is nn/numerics.h.
//
//   fp32       everything in fp32; TF32 off
//   tf32       fp32 tensors, GEMMs on tensor cores with 10-bit mantissas (CUDA only)
//   bf16       autocast: fp32 weights, gradients and state; GEMMs in bf16
//   bf16_pure  weights, gradients, optimizer state and activations all bf16
//   fp16       autocast to fp16 with a scaled loss
#pragma once

#include <cstdint>
#include <string_view>

namespace sweepd {

enum class Precision { kFp32, kTf32, kBf16, kBf16Pure, kFp16 };

Precision precision_from(std::string_view name);  // throws std::invalid_argument
std::string_view peak_name(Precision precision);  // the peak that limits it: "bf16" for bf16_pure
std::int64_t operand_bytes(Precision precision);  // of an element that a GEMM reads
std::int64_t weight_bytes(Precision precision);   // of a stored parameter: 2 for bf16_pure, else 4
bool is_autocast(Precision precision);            // bf16, fp16
double unit_roundoff(Precision precision);        // largest relative error of rounding an operand

}  // namespace sweepd
