// Why measured attempts run again: their code, program or machine changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/machine_id.h"

namespace sweepd {

// An older result of the same parameters on this host.
struct OlderResult {
  std::string code;  // a computed parameter's text or a hash of a workload's code; empty: unknown
  MachineId machine;
  WallTime ended;
};

struct Changes {
  std::int64_t attempts = 0;      // that run again for this reason alone
  std::vector<std::string> what;  // the changed parts, each once: "mm.py", "lm_step", "the driver"
  std::vector<std::string> how;   // of the machine, each once: "550.54 → 570.1"
  WallTime since;                 // when the newest of the older results ended

  // `own` names the change if the codes do not name their parts.
  void add(const OlderResult& older, std::string_view code_now, const MachineId& machine_now,
           const std::string& own);
  void add(const Changes& other);
};

// Returns the names that differ between two texts such as "python3.11:1f00aa22 mm.py:9ab1c2d3".
std::vector<std::string> changed_parts(std::string_view before, std::string_view after);

}  // namespace sweepd
