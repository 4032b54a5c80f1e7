// The identity of an attempt's machine, which decides whether a result may be reused. Only the
// daemon computes it; a worker copies it.
//
// It consists, on every device, of the host's id, the CPU's model, the number of usable cores, a
// CPU quota below them, the number of sockets, and the memory that attempts may use. On cuda it
// also has the GPUs: name, memory, driver, compute capability, power limit and ECC. Equal GPUs
// count once, so their number and serial numbers do not matter; for the CPU, GPUs do not matter.
// Kernel, operating system, governor and clocks are not part of it. The versions of LibTorch and
// CUDA are part of a workload's code (cmake/workload_code.cmake).
//
// Memory is rounded to the nearest 1/64 to 1/128 of itself, because the kernel or the driver keeps
// a few MiB more or less of it after an update.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/host.h"
#include "runner/model/machine/environment.h"
#include "runner/model/machine/lease.h"

namespace sweepd {

struct MachineId {
  std::string hash;   // 12 hex digits; empty: unknown, and equal to every other
  std::string facts;  // the hashed text, without the host's id: "CPU=Xeon; cores=8; ..."
};

struct MachineIds {
  MachineId cpu, cuda;
  // `device` as in RunParams, resolved.
  const MachineId& of(std::string_view device) const { return device == "cuda" ? cuda : cpu; }
};

// `devices`: those of this moment (exec/machine.h). That of cuda is unknown while no GPU answers.
MachineIds machine_ids(const HostInfo& host, const Machine& machine,
                       const std::vector<DeviceInfo>& devices);

// Sets the machine of an attempt in a cluster's pool, from its worker's report. The node and its
// number of cores do not count, since a job may get a part of them: equal nodes of a pool are one
// machine.
void name_machine(std::string_view pool, Environment& environment);

struct MachineChange {
  std::string what;  // "the driver"
  std::string how;   // "550.54 → 570.1"
};
// Compares two `facts`. If one is empty, the change is "the machine".
std::vector<MachineChange> machine_changes(std::string_view before, std::string_view now);

Bytes rounded_memory(Bytes memory);

}  // namespace sweepd
