#include "runner/daemon/attempts/item_of.h"

#include <cstdint>
#include <limits>

namespace sweepd {

Item item_of(const WorkloadDef& def, const Trial& trial, Pass pass) {
  Item item;
  // A formula for a GPU needs none.
  const bool on_gpu = !def.analytic && trial.text(def, "device") == "cuda";
  item.device = on_gpu ? DeviceKind::kCuda : DeviceKind::kCpu;
  item.sharing = pass == Pass::kTiming ? Sharing::kExclusive : Sharing::kShared;
  item.world_size = static_cast<int>(trial.integer(def, "world_size"));
  item.threads = static_cast<int>(trial.integer(def, "threads"));
  // On the CPU a memory limit is host memory that the attempt may use.
  if (item.device == DeviceKind::kCpu) {
    item.memory = Bytes{trial.integer(def, "memory_limit") * item.world_size};
  }
  return item;
}

Item item_of(const Catalog& catalog, const OpenAttempt& attempt, PoolIndex pool) {
  Item item = item_of(*catalog.find(attempt.workload), attempt.trial, attempt.pass);
  item.id = attempt.row;
  item.pool = pool;
  // Attempts of its sweep wait for a sentinel, so it comes first.
  item.priority = attempt.is_sentinel ? std::numeric_limits<std::int64_t>::max() : attempt.priority;
  item.position = attempt.position;
  item.timeout = attempt.timeout;
  return item;
}

std::string label_of(const Catalog& catalog, const OpenAttempt& attempt) {
  const WorkloadDef* def = catalog.find(attempt.workload);
  if (def == nullptr) return attempt.workload;
  return attempt.axes ? label_of(*def, attempt.trial, *attempt.axes)
                      : label_of(*def, attempt.trial);
}

}  // namespace sweepd
