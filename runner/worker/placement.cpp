#include "runner/worker/placement.h"

#include <algorithm>
#include <cstdlib>

#include "build_info.h"
#include "runner/base/host.h"
#include "runner/model/machine/lease.h"

namespace sweepd {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

RankCores cores_of_rank(const AttemptRequest& request, int rank) {
  RankCores cores{request.lease.ranks.at(static_cast<std::size_t>(rank)).cores};
  cores.count = std::max(1, static_cast<int>(cores.bound.size()));
  const auto granted = variable("SWEEPD_CORES");
  const auto count = granted ? parse_integer(*granted) : Result<std::int64_t>(0);
  if (!cores.bound.empty() || !count || *count <= 0) return cores;
  cores.count = static_cast<int>(*count);
  // With more, the manager binds no rank, and the rank may use any of them.
  if (std::vector<int> usable = usable_cores(); usable.size() <= static_cast<std::size_t>(*count)) {
    cores.bound = std::move(usable);
  }
  return cores;
}

void fill_program(const std::string& code, Environment& filled) {
  filled.build_commit = kBuildCommit;
  filled.version = kVersion;
  filled.code = code;
}

void fill_machine(const AttemptRequest& request, const DeviceInfo& device, Environment& filled) {
  MachineId id = request.machine;
  if (id.hash.empty() && variable("SWEEPD_CORES")) {
    Machine machine;
    machine.cores.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, filled.host.cores)));
    machine.memory = filled.host.memory;
    id = machine_ids(filled.host, machine, {device}).of(device.kind);
  }
  filled.machine = id.hash;
  filled.machine_facts = id.facts;
}

std::optional<std::string> step_of_rank() {
  return variable("SWEEPD_STEP");
}

}  // namespace sweepd
