#include "runner/daemon/handlers/file_order.h"

#include <algorithm>

#include "runner/model/vocabulary/plugin.h"
#include "runner/model/vocabulary/program.h"
#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {
namespace {

FileOrder of_group(const ZipGroup& group, const WorkloadDef& def) {
  FileOrder order;
  for (const Axis& axis : group.axes) {
    const ParamDef& param = def.params[axis.param];
    order.names.push_back(param.name);
    order.points.resize(axis.values.size());
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      order.points[i].push_back(param.text(axis.values[i]));
    }
  }
  return order;
}

const Setting* find(const std::vector<Setting>& settings, std::size_t param) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& each) { return each.param == param; });
  return found == settings.end() ? nullptr : &*found;
}

FileOrder of_points(const Sweep& sweep, const WorkloadDef& def) {
  FileOrder order;
  order.points.resize(sweep.include.size());
  for (std::size_t param = 0; param < def.params.size(); ++param) {
    const bool named =
        std::any_of(sweep.include.begin(), sweep.include.end(),
                    [&](const auto& point) { return find(point, param) != nullptr; });
    if (!named) continue;
    const ParamDef& known = def.params[param];
    order.names.push_back(known.name);
    for (std::size_t i = 0; i < sweep.include.size(); ++i) {
      const Setting* setting = find(sweep.include[i], param);
      if (setting == nullptr) setting = find(sweep.params, param);
      order.points[i].push_back(
          known.text(setting == nullptr ? known.default_value : setting->value));
    }
  }
  return order;
}

// The plugin of a stored sweep, whose file may be gone.
PluginFinder stored_plugin(const std::string& workload, const Catalog& catalog) {
  const WorkloadDef* def = catalog.find(workload);
  if (def == nullptr || def->base != kPluginBase) return {};
  return {{workload}, [def](const std::string&) -> Result<FoundPlugin> {
            return FoundPlugin{"", "", declaration_of(*def)};
          }};
}

}  // namespace

std::vector<FileOrder> file_orders(const Sweep& sweep, const WorkloadDef& def) {
  std::vector<FileOrder> orders;
  for (const ZipGroup& group : sweep.zip) orders.push_back(of_group(group, def));
  const bool only_points = sweep.matrix.empty() && sweep.zip.empty() && !sweep.include.empty();
  if (only_points) orders.push_back(of_points(sweep, def));
  return orders;
}

std::vector<FileOrder> file_orders(const std::string& source, const std::string& workload,
                                   const Catalog& catalog) {
  const bool any =
      source.find("zip") != std::string::npos || source.find("include") != std::string::npos;
  if (!any) return {};  // true of most sweeps, so that their text is not parsed again
  const Parsed parsed =
      parse_sweeps(source, "", catalog, {}, {}, {}, stored_plugin(workload, catalog));
  if (parsed.sweeps.size() != 1) return {};
  const Sweep& sweep = parsed.sweeps.front();
  return file_orders(sweep, sweep.program ? *sweep.program : *catalog.find(sweep.workload));
}

}  // namespace sweepd
