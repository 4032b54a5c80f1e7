// Summaries of one metric and phase, read beside the attempts they are of.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "db/query/scan.h"
#include "runner/model/sample.h"

namespace sweepd {

struct PhaseScan {
  std::int64_t id = 0;
  std::unique_ptr<Scan> rows;
  std::int64_t attempt = -1;  // of the current row; the largest number at the end

  void advance_to(std::int64_t wanted) {
    while (attempt < wanted) {
      attempt = rows->next() ? rows->integer(0) : std::numeric_limits<std::int64_t>::max();
    }
  }
  Stats moments() const {
    Stats stats;
    stats.n = rows->integer(1);
    stats.mean = rows->real(2);
    stats.std = rows->real(3);
    stats.min = rows->real(4);
    stats.max = rows->real(5);
    return stats;
  }
  // Of one attempt alone the rest is known, too.
  Stats whole() const {
    Stats stats = moments();
    stats.p05 = rows->real(6);
    stats.median = rows->real(7);
    stats.p95 = rows->real(8);
    stats.mad = rows->real(9);
    return stats;
  }
};

}  // namespace sweepd
