#include "runner/model/profile_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "runner/model/kernel_class.h"

namespace sweepd {
namespace {

// Host and device clocks drift apart by parts per million, and a step takes milliseconds.
constexpr double kClockTolerance = 1.001;

std::string of_rank(int rank) {
  return rank > 0 ? fmt::format(" of rank {}", rank) : "";
}

std::int64_t matmuls(const auto& rows, int rank, std::string_view phase) {
  std::int64_t count = 0;
  for (const auto& row : rows) {
    const bool here = row.rank == rank && row.phase == phase;
    if (here && class_of(row.name, row.phase) == KernelClass::kMatmul) count += row.calls;
  }
  return count;
}

void judge_counts(Judgement& judgement, const ProfileChecks& checks,
                  std::span<const KernelStats> kernels, std::span<const OperatorStats> operators,
                  const WorkPerStep& work) {
  constexpr std::string_view kPrefix = "matmuls_";
  for (const Figure& figure : work.figures) {
    if (!figure.name.starts_with(kPrefix)) continue;
    const std::string phase = figure.name.substr(kPrefix.size());
    const auto expected = static_cast<std::int64_t>(std::llround(figure.value));
    const std::int64_t called = matmuls(operators, checks.rank, phase);
    const std::int64_t ran = matmuls(kernels, checks.rank, phase);
    if (called != expected) {
      judgement.reasons.push_back(fmt::format("{} has {} matmul operators{}, the model has {} ({})",
                                              phase, called, of_rank(checks.rank), expected,
                                              figure.formula));
    } else if (ran < expected) {
      judgement.reasons.push_back(
          fmt::format("{} has {} matmul kernels{} for {} matmul operators: kernels were missed",
                      phase, ran, of_rank(checks.rank), called));
    }
  }
}

}  // namespace

Judgement judge_profile(std::span<const ProfileChecks> checks, std::span<const KernelStats> kernels,
                        std::span<const OperatorStats> operators, const WorkPerStep& work) {
  Judgement judgement;
  for (const ProfileChecks& rank : checks) {
    if (rank.dropped_records > 0) {
      judgement.reasons.push_back(
          fmt::format("{:.0f} records{} were dropped", rank.dropped_records, of_rank(rank.rank)));
    }
    if (rank.kernel_ms > rank.step_ms * kClockTolerance) {
      judgement.reasons.push_back(
          fmt::format("kernels{} were busy for {:.3f} ms of a step of {:.3f} ms",
                      of_rank(rank.rank), rank.kernel_ms, rank.step_ms));
    }
    if (rank.differing_kernels > 0) {
      judgement.reasons.push_back(
          fmt::format("{:.0f} kernels{} were not called equally often in two "
                      "steps",
                      rank.differing_kernels, of_rank(rank.rank)));
    }
    judge_counts(judgement, rank, kernels, operators, work);
  }
  if (!judgement.reasons.empty()) judgement.verdict = Verdict::kSuspect;
  return judgement;
}

}  // namespace sweepd
