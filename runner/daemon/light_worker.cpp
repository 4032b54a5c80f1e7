#include "runner/daemon/light_worker.h"

#include <spdlog/spdlog.h>

#include <string>

#include "build_info.h"
#include "runner/base/worker_program.h"
#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/formulas/catalog_source.h"

namespace sweepd {

LightWorker find_light_worker(const std::filesystem::path& worker, const Catalog& catalog) {
  LightWorker light{light_worker_of(worker), {}};
  if (light.program.empty()) return light;
  const auto version = ask_worker(light.program, "--version", "", seconds(10));
  if (!version || version->find(kBuildCommit) == std::string::npos) {
    spdlog::warn("{} is of another build and is not used", light.program.string());
    return {};
  }
  const auto own = describe_worker(light.program);
  if (!own) {
    spdlog::warn("{}; it is not used", own.error().message);
    return {};
  }
  for (const WorkloadDef& def : own->workloads) {
    const WorkloadDef* same = catalog.find(def.name);
    if (same != nullptr && same->code == def.code) light.workloads.insert(def.name);
  }
  return light;
}

}  // namespace sweepd
