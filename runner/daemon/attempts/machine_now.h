// The machine on which attempts run now (model/machine/machine_id.h). The host's part is that of
// the daemon's start; GPUs are asked again by `refresh`, because their driver and power limit may
// change under a daemon.
#pragma once

#include <mutex>

#include "runner/base/host.h"
#include "runner/model/machine/lease.h"
#include "runner/model/machine/machine_id.h"

namespace sweepd {

class MachineNow {
 public:
  MachineNow(const Machine& machine, const HostInfo& host);

  // The latest known state. From any thread, at any time.
  MachineIds known() const;
  // Asks the GPUs, if there are any, which takes up to a tenth of a second: not on the loop's
  // thread.
  MachineIds refresh();

 private:
  const Machine& machine_;
  const HostInfo& host_;
  mutable std::mutex mutex_;
  MachineIds ids_;
};

}  // namespace sweepd
