// Compares the profiles of two sides kernel by kernel: which appeared, vanished, got slower or
// faster, and how much of the difference in device time each explains. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/step_kernels.h"
#include "runner/model/sweep/table.h"
#include "runner/report/compare/comparison.h"

namespace sweepd {

// The profiles of one side that count: of one point, one an attempt.
struct ProfiledSide {
  ComparedSide side;                                   // a row an attempt
  std::vector<StepKernels> profiles;                   // of these attempts, in their order
  std::size_t suspect = 0, invalid = 0, not_done = 0;  // attempts; the last two are left out
};

// Takes a side whose rows are attempts of the profile pass with their kernel time in `phase`, and
// keeps those that count; `profiles` stays empty. Errors: none is left; several points, whose mean
// would be the time of none.
Result<ProfiledSide> choose_profiles(ComparedSide side, const std::string& phase);

// Means over the attempts of a side; 0 of a kernel that a side lacks.
struct KernelDifference {
  std::string name, kernel_class;
  double a_ms = 0, b_ms = 0;        // of a step
  double a_calls = 0, b_calls = 0;  // the same
  double ms() const { return b_ms - a_ms; }
};

void add_up(KernelDifference& sum, const KernelDifference& kernel);  // keeps the sum's name

struct ComparedKernels {
  bool operators = false;  // not every profile is of a GPU, so operators are compared
  std::vector<KernelDifference> kernels;  // the largest absolute difference first
  KernelDifference total;                 // of all kernels
};

// Both sides have profiles. Errors: the sides share an attempt; operators are needed, and a profile
// of a GPU has none.
Result<ComparedKernels> compare_kernels(const ProfiledSide& a, const ProfiledSide& b);

// "appeared", "vanished", "slower", "faster", or "same" up to the tolerance, a share of A's time.
std::string_view change_of(const KernelDifference& kernel, double tolerance);

inline constexpr std::size_t kMostKernelRows = 20;

// The kernels that differ most, a row for the rest of them and one for all, whose differences add
// up to its own.
Table kernel_comparison_table(const ComparedKernels& compared, const ProfiledSide& a,
                              const ProfiledSide& b, double tolerance);

}  // namespace sweepd
