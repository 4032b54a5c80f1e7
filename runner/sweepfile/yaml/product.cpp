#include "runner/sweepfile/yaml/product.h"

#include <algorithm>

namespace sweepd::sweepfile {

bool has_product(const Sweep& sweep) {
  return !sweep.matrix.empty() || !sweep.zip.empty() || sweep.include.empty();
}

std::vector<Dimension> dimensions_of(const Sweep& sweep) {
  std::vector<Dimension> dimensions;
  for (const Axis& axis : sweep.matrix) dimensions.push_back({{&axis}, axis.values.size()});
  for (const ZipGroup& group : sweep.zip) {
    if (group.axes.empty()) continue;
    Dimension dimension;
    dimension.length = group.axes.front().values.size();
    for (const Axis& axis : group.axes) {
      dimension.axes.push_back(&axis);
      dimension.length = std::min(dimension.length, axis.values.size());
    }
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

}  // namespace sweepd::sweepfile
