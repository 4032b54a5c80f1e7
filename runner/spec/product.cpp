#include "runner/spec/product.h"

#include <algorithm>

namespace sweepd::spec {
namespace {

bool contains(const Axis& key, const Value& value) {
  return std::find(key.values.begin(), key.values.end(), value) != key.values.end();
}

const Axis* axis_of(const Dimension& dimension, std::size_t param) {
  for (const Axis* axis : dimension.axes) {
    if (axis->param == param) return axis;
  }
  return nullptr;
}

}  // namespace

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

RuleMatcher::RuleMatcher(const ExcludeRule& rule, const std::vector<Dimension>& dimensions,
                         const Trial& base) {
  for (const Axis& key : rule.keys) {
    bool varies = false;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const Axis* axis = axis_of(dimensions[d], key.param);
      if (axis == nullptr) continue;
      varies = true;
      Key prepared{d, std::vector<bool>(dimensions[d].length)};
      for (std::size_t i = 0; i < dimensions[d].length; ++i) {
        prepared.listed[i] = contains(key, axis->values[i]);
      }
      keys_.push_back(std::move(prepared));
    }
    if (!varies && !contains(key, base.values[key.param])) possible_ = false;
  }
}

bool RuleMatcher::matches(const std::vector<std::size_t>& counters) const {
  return possible_ && std::all_of(keys_.begin(), keys_.end(), [&](const Key& key) {
           return key.listed[counters[key.dimension]];
         });
}

}  // namespace sweepd::spec
