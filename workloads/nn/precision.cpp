#include "workloads/nn/precision.h"

#include <stdexcept>
#include <string>

namespace sweepd {

Precision precision_from(std::string_view name) {
  if (name == "fp32") return Precision::kFp32;
  if (name == "tf32") return Precision::kTf32;
  if (name == "bf16") return Precision::kBf16;
  if (name == "bf16_pure") return Precision::kBf16Pure;
  if (name == "fp16") return Precision::kFp16;
  throw std::invalid_argument("precision: `" + std::string(name) +
                              "` is unknown; expected fp32, tf32, bf16, bf16_pure or fp16");
}

std::string_view peak_name(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return "fp32";
    case Precision::kTf32:
      return "tf32";
    case Precision::kBf16:
    case Precision::kBf16Pure:
      return "bf16";
    case Precision::kFp16:
      return "fp16";
  }
  return "?";
}

std::int64_t operand_bytes(Precision precision) {
  return precision == Precision::kFp32 || precision == Precision::kTf32 ? 4 : 2;
}

std::int64_t weight_bytes(Precision precision) {
  return precision == Precision::kBf16Pure ? 2 : 4;
}

bool is_autocast(Precision precision) {
  return precision == Precision::kBf16 || precision == Precision::kFp16;
}

double unit_roundoff(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return 0x1p-24;
    case Precision::kTf32:
    case Precision::kFp16:
      return 0x1p-11;  // 10 stored mantissa bits
    case Precision::kBf16:
    case Precision::kBf16Pure:
      return 0x1p-8;  // 7 stored mantissa bits
  }
  return 1;
}

}  // namespace sweepd
