// The sums of the assignment's mixed-precision problem and of a longer one. They are known to the
// last bit, on every device.
#pragma once

namespace sweepd {

struct Addends {
  const char *count, *increment, *accumulator, *addend, *conversion;
  const char* result;
};

inline constexpr Addends kSums[] = {
    {"1000", "0.01", "fp32", "fp32", "implicit", "10.000133514404297"},
    {"1000", "0.01", "fp16", "fp16", "implicit", "9.953125"},
    {"1000", "0.01", "fp32", "fp16", "implicit", "10.00213623046875"},
    {"1000", "0.01", "fp32", "fp16", "explicit", "10.00213623046875"},
    {"1000", "0.01", "bf16", "bf16", "implicit", "4.0"},
    {"1000", "0.01", "fp32", "bf16", "implicit", "10.009765625"},
    {"10000", "0.001", "fp32", "fp32", "implicit", "10.000411033630371"},
    {"10000", "0.001", "fp16", "fp16", "implicit", "4.0"},
    {"10000", "0.001", "bf16", "bf16", "implicit", "0.5"},
};

}  // namespace sweepd
