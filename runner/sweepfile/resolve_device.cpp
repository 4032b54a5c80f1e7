#include <algorithm>
#include <string>

#include "runner/sweepfile/sweepfile.h"

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

void resolve_device(Sweep& sweep, const WorkloadDef& def, std::string_view actual) {
  const auto device = def.index_of("device");
  if (!device) return;
  const auto resolve = [&](std::size_t param, Value& value) {
    if (param == *device && value == Value(std::string("auto"))) value = std::string(actual);
  };
  const auto resolve_axis = [&](Axis& axis) {
    for (Value& value : axis.values) resolve(axis.param, value);
  };
  bool given = false;
  for (Setting& setting : sweep.params) {
    resolve(setting.param, setting.value);
    given = given || setting.param == *device;
  }
  for (Axis& axis : sweep.matrix) {
    resolve_axis(axis);
    // On a machine without a GPU, [auto, cpu] is one device.
    if (axis.param == *device) remove_repeats(axis.values);
  }
  for (ZipGroup& group : sweep.zip) {
    for (Axis& axis : group.axes) resolve_axis(axis);
  }
  for (ExcludeRule& rule : sweep.exclude) {
    for (Axis& key : rule.keys) resolve_axis(key);
  }
  for (auto& point : sweep.include) {
    for (Setting& setting : point) resolve(setting.param, setting.value);
  }
  // Added even if there is an axis: include points that do not name the device use this value.
  if (!given) {
    Value value = def.params[*device].default_value;
    resolve(*device, value);
    sweep.params.push_back({*device, std::move(value)});
  }
}

}  // namespace sweepd
