// The cross product of a sweep's matrix and zip groups, as counters over value lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/model/sweep.h"

namespace sweepd::spec {

constexpr std::int64_t kMaxPoints = 1'000'000;

// Without axes a sweep is one point, its params; but where include lists points and there is no
// axis, those are all that is wanted.
bool has_product(const Sweep& sweep);

// What advances as one: a matrix axis, or the axes of a zip group. Points into the sweep.
struct Dimension {
  std::vector<const Axis*> axes;
  std::size_t length = 0;
};
std::vector<Dimension> dimensions_of(const Sweep& sweep);  // slowest first

// Which points an exclude rule removes, prepared so that a point is tested by its counters alone.
class RuleMatcher {
 public:
  // `base` is the trial of defaults and params, for the keys that are no axis.
  RuleMatcher(const ExcludeRule& rule, const std::vector<Dimension>& dimensions, const Trial& base);
  bool matches(const std::vector<std::size_t>& counters) const;

 private:
  struct Key {
    std::size_t dimension = 0;
    std::vector<bool> listed;  // by counter
  };
  bool possible_ = true;
  std::vector<Key> keys_;
};

}  // namespace sweepd::spec
