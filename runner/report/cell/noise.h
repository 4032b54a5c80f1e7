// The noise floor of a sweep of equal runs: statistics of each point's repeats, and a table.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/machine/noise_floor.h"
#include "runner/model/sweep/table.h"
#include "runner/stats/process_noise.h"

namespace sweepd {

// One trial on one host.
struct NoisePoint {
  std::vector<std::string> at;  // the axes' values
  stats::ProcessNoise noise;
  AttemptId attempt;  // the last of its attempts
};

struct SweepNoise {
  std::vector<Dimension> axes;  // dimensions that distinguish points; their `values` are empty
  std::vector<NoisePoint> points;
  std::vector<std::string> too_few;  // "size=512: 7 attempts": points with too few attempts
};

// `results` has the samples of each attempt, and `repeat` among its dimensions: repeats are
// measured in rounds, so they are in order of time. Attempts that are not done or invalid are
// skipped. Error: no point has enough attempts.
Result<SweepNoise> noise_of_results(const ResultSet& results, const stats::NoiseOptions& options);

// The stored result of a point: the recommended number of attempts a side, or the most that were
// tried.
NoiseFloor floor_of(const NoisePoint& point, double slowdown, WallTime now);

Table noise_table(const SweepNoise& noise, const std::string& sweep,
                  const stats::NoiseOptions& options);

// "noise: of two equal runs of `model=tiny` on h200-1 with 8 attempts a side, 95 % differ by less
// than 1.8 %"
std::string noise_floor_text(const NoiseFloor& floor);

}  // namespace sweepd
