// What an attempt runs on, as far as it decides whether a result may be used again. The daemon
// alone makes this, once for what would run now and for what it starts; a worker only copies it.
//
// What counts, on every device: the host's id, the CPU's model, the number of usable cores, a
// CPU quota below them, the number of sockets, and the memory that attempts may use. On cuda also
// the GPUs: name, memory, driver, compute capability, power limit and ECC. Equal GPUs count once,
// so neither their number nor their serial numbers matter; and on the CPU, GPUs do not matter at
// all. What does not count: kernel, operating system, governor and clocks. The versions of LibTorch
// and CUDA are part of a workload's code (cmake/workload_code.cmake).
//
// Memory is rounded to the nearest 1/64 to 1/128 of itself, because the kernel or the driver keeps
// a few MiB more or less of it after an update.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/host.h"
#include "runner/model/environment.h"
#include "runner/model/lease.h"

namespace sweepd {

struct MachineId {
  std::string hash;   // 12 hex digits; empty: unknown, and equal to every other
  std::string facts;  // what the hash is of, without the host's id: "CPU=Xeon; cores=8; ..."
};

struct MachineIds {
  MachineId cpu, cuda;
  // `device` as in RunParams, resolved.
  const MachineId& of(std::string_view device) const { return device == "cuda" ? cuda : cpu; }
};

// `devices`: those of this moment (exec/machine.h). That of cuda is unknown while no GPU answers.
MachineIds machine_ids(const HostInfo& host, const Machine& machine,
                       const std::vector<DeviceInfo>& devices);

// Sets what an attempt in a pool of a cluster ran on, from what its worker said. Neither the node
// nor its number of cores counts, since a job may be given a part of them: the nodes of a pool are
// one machine as long as they are alike.
void name_machine(std::string_view pool, Environment& environment);

struct MachineChange {
  std::string what;  // "the driver"
  std::string how;   // "550.54 → 570.1"
};
// Compares two `facts`. Where one of them says nothing, the change is of "the machine".
std::vector<MachineChange> machine_changes(std::string_view before, std::string_view now);

Bytes rounded_memory(Bytes memory);

}  // namespace sweepd
