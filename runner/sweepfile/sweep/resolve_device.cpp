#include <algorithm>
#include <string>

#include "runner/model/vocabulary/pool_name.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/sweepfile/yaml/product.h"

namespace sweepd {
namespace {

void remove_repeats(std::vector<Value>& values) {
  std::vector<Value> kept;
  for (Value& value : values) {
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(std::move(value));
  }
  values = std::move(kept);
}

}  // namespace

std::set<std::string> pools_of(const Sweep& sweep, const WorkloadDef& def) {
  const auto pool = pool_param(def);
  if (!pool) return {std::string(kLocalPool)};
  std::set<std::string> pools;
  std::string fixed(std::get<std::string>(def.params[*pool].default_value));
  bool is_axis = false;
  const auto add = [&](std::size_t param, const Value& value) {
    if (param == *pool) pools.insert(std::get<std::string>(value));
  };
  const auto add_axis = [&](const Axis& axis) {
    is_axis = is_axis || axis.param == *pool;
    for (const Value& value : axis.values) add(axis.param, value);
  };
  for (const Setting& setting : sweep.params) {
    if (setting.param == *pool) fixed = std::get<std::string>(setting.value);
  }
  for (const Axis& axis : sweep.matrix) add_axis(axis);
  for (const ZipGroup& group : sweep.zip) {
    for (const Axis& axis : group.axes) add_axis(axis);
  }
  bool fixed_counts = !is_axis && sweepfile::has_product(sweep);
  for (const auto& point : sweep.include) {
    const auto names_pool = [&](const Setting& setting) { return setting.param == *pool; };
    fixed_counts = fixed_counts || std::none_of(point.begin(), point.end(), names_pool);
    for (const Setting& setting : point) add(setting.param, setting.value);
  }
  if (fixed_counts) pools.insert(fixed);
  return pools;
}

void resolve_device(Sweep& sweep, const WorkloadDef& def, std::string_view actual) {
  const auto device = def.index_of("device");
  if (!device) return;
  const auto resolve = [&](std::size_t param, Value& value) {
    if (param == *device && value == Value(std::string(kAutoDevice))) value = std::string(actual);
  };
  each_value(sweep, resolve);
  for (ExcludeRule& rule : sweep.exclude) {
    for (Axis& key : rule.keys) {
      for (Value& value : key.values) resolve(key.param, value);
    }
  }
  for (Axis& axis : sweep.matrix) {
    // On a machine without a GPU, [auto, cpu] is one device.
    if (axis.param == *device) remove_repeats(axis.values);
  }
  const bool given = std::any_of(sweep.params.begin(), sweep.params.end(),
                                 [&](const Setting& setting) { return setting.param == *device; });
  // Added even if there is an axis: include points that do not name the device use this value.
  if (!given) {
    Value value = def.params[*device].default_value;
    resolve(*device, value);
    sweep.params.push_back({*device, std::move(value)});
  }
}

}  // namespace sweepd
