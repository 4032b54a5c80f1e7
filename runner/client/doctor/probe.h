// Reads the facts of this machine: /proc, /sys, NVML, the worker, and the daemon if one runs (none
// is started). Takes about a second, half of it to measure which processes are busy. Nothing here
// fails; unreadable facts stay empty.
#pragma once

#include <filesystem>

#include "runner/client/doctor/facts.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

CpuFacts probe_cpu(const std::filesystem::path& root = "/");  // of the control group's files
MemoryFacts probe_memory();
LoadFacts probe_load();
CudaFacts probe_cuda(const std::filesystem::path& worker);
WorkerFacts probe_worker(const std::filesystem::path& worker);
StateFacts probe_state(const StateFolder& state);
DaemonFacts probe_daemon(const StateFolder& state);

MachineFacts probe(const StateFolder& state);

}  // namespace sweepd
