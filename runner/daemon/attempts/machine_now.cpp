#include "runner/daemon/attempts/machine_now.h"

#include "runner/exec/machine.h"

namespace sweepd {

MachineNow::MachineNow(const Machine& machine, const HostInfo& host)
    : machine_(machine), host_(host) {
  ids_ = machine_ids(host, machine, discover_devices(machine, host));
}

MachineIds MachineNow::known() const {
  const std::lock_guard lock(mutex_);
  return ids_;
}

MachineIds MachineNow::refresh() {
  if (machine_.gpus.empty()) return known();
  MachineIds ids = machine_ids(host_, machine_, discover_devices(machine_, host_));
  const std::lock_guard lock(mutex_);
  ids_ = std::move(ids);
  return ids_;
}

}  // namespace sweepd
