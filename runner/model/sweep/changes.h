// Why measured attempts run again: their code, program or machine changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/machine/machine_id.h"

namespace sweepd {

// An older result of the same parameters on this host.
struct OlderResult {
  std::string code;  // a computed parameter's text or a hash of a workload's code; empty: unknown
  MachineId machine;
  WallTime ended;
};

struct Changes {
  static constexpr std::string_view kTitle = "changes since its measurement";
  std::int64_t attempts = 0;
  std::vector<std::string> what;  // each once: "mm.py", "lm_step", "the driver"
  std::vector<std::string> how;   // each once
  std::optional<WallTime> since;  // empty: no attempts
  static void visit(auto& self, auto&& field) {
    field("attempts", self.attempts, "that run again because what runs is not what ran");
    field("what", self.what, "names of files, the workload's own, or parts of the machine");
    field("how", self.how, "before and now, of parts of the machine: `550.54 → 570.1`");
    field("since_ns", self.since, "when the newest of their results ended");
  }

  // `own` names the change if the codes do not name their parts.
  void add(const OlderResult& older, std::string_view code_now, const MachineId& machine_now,
           const std::string& own);
  void add(const Changes& other);
};

// Returns the names that differ between two texts such as "python3.11:1f00aa22 mm.py:9ab1c2d3".
std::vector<std::string> changed_parts(std::string_view before, std::string_view after);

}  // namespace sweepd
