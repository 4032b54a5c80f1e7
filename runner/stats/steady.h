// Decides whether an attempt's steps reach a steady state, and from which step on. After
// Barrett et al., "Virtual machine warmup blows hot and cold" (OOPSLA 2017), who classify segments
// between change points in the same way.
//
// Times are noisy by a factor and skewed, and single steps take several times as long. So the
// change points (`change_points.h`) are those of the logarithms, which are clipped to within three
// standard deviations of the noise around a running median (`robust.h`). In fewer than thirty steps
// a change counts if it is at least three times the noise.
//
// By simulation: of 1,000 series of independent noise (normal, log-normal, with outliers) about two
// show a false change. If neighbouring steps have a correlation of 0.5, one series in seven
// does if it has 20 to 200 steps, too few to estimate the correlation well, and one in 25 if it has
// 500, or fewer than thirty. Ten slower steps amid others are found in nine of ten series if they
// are slower by three standard deviations of the noise, and in six of ten if by two and a half.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sweepd::stats {

enum class SteadyKind {
  // The last segments that are equivalent to the very last one cover at least the final half of the
  // steps. Segments are equivalent if their medians differ by no more than the tolerance.
  kSteady,
  kNoSteadyState,  // they cover less than that, and none of the following holds
  // The last segment is slower by more than the tolerance than an earlier one that has at least a
  // tenth of the steps.
  kSlowing,
  // The steps (of the steady part, if there is one) jump between two levels that are further apart
  // than the tolerance (find_two_levels): their mean and median describe none of them.
  kBimodal,
};
std::string_view name_of(SteadyKind kind);  // "steady", "no steady state", "slowing", "bimodal"

// Steps from `begin` up to and without `end`, counted from 0, on one level.
struct Segment {
  std::size_t begin = 0, end = 0;
  double mean = 0, median = 0;  // in the unit of the steps
};

// Two levels of the steps: the last one and those that make a series slowing or unsteady, or the
// two of a bimodal one. A step may be on neither.
struct Levels {
  std::vector<std::size_t> faster, slower;  // ascending
};

struct Steadiness {
  SteadyKind kind = SteadyKind::kSteady;
  // The first of the last steps that are on the level of the last segment; given for every kind.
  // It may lie inside a segment of the least length, which a shorter warm-up had to fill up.
  // The rest of a warm-up at their beginning does not belong to them: steps too few for a
  // segment, such as a single one, that are together clearly slower (a cusum: Page, "Continuous
  // inspection schemes", Biometrika 1954).
  std::size_t steady_from = 0;
  std::vector<Segment> segments;  // all steps; at least one segment
  Levels levels;                  // empty if steady
};

struct SteadyOptions {
  double tolerance = 0.02;  // levels that differ by less are the same for all practical purposes
  std::size_t least_length = 5;  // steps of a segment
};

// `steps` are the times of one attempt in their order, in any unit, with the warm-up. Nothing if
// there are fewer than 10, or if one of them is not finite and positive. Takes some milliseconds
// for up to a hundred thousand steps.
std::optional<Steadiness> find_steadiness(std::span<const double> steps,
                                          const SteadyOptions& options = {});

// Values that alternate between two levels, such as step times when every other step collects
// garbage, or when the clock has two frequencies.
struct TwoLevels {
  double low = 0, high = 0;  // the means of the two clusters
  double high_share = 0;     // of the values, outliers included
};

// `values` are on the logarithmic scale. They have two levels if all of these hold, for the split
// into two clusters with the least squares, without the largest 5 % (which may be outliers):
//   - Ashman's D = sqrt(2) |mean difference| / sqrt(variance + variance) is at least 5 + 50 / n
//     (Ashman, Bird and Zepf, "Detecting bimodality in astronomical datasets", AJ 1994). Their
//     limit of 2 is for clusters that overlap; cutting values in two makes D larger: 2.7 for very
//     many values of a normal distribution, 3.5 of a uniform one, and by chance twice that for 20
//     values.
//   - each cluster has at least 15 % of the values, so that outliers are none
//   - the means are further apart than `apart`
//   - the values change from one cluster to the other at least four times. Once is a change of
//     level, and twice a disturbance.
// Nothing for fewer than 10 values.
std::optional<TwoLevels> find_two_levels(std::span<const double> values, double apart);

}  // namespace sweepd::stats
