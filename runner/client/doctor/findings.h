// Derives findings from facts. Pure. A *problem* keeps something from working; a *warning* makes
// timings less trustworthy or will soon become a problem.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/client/doctor/facts.h"

namespace sweepd {

enum class Health { kOk, kWarning, kProblem };
std::string_view name_of(Health health);  // ok, warning, problem

struct Finding {
  std::string subject;  // "governor"
  Health health = Health::kOk;
  std::string found;  // "powersave"
  std::string why;    // one sentence; "" if all is well
  std::string mend;   // the command or other remedy; "" if none is needed
};

inline Finding ok(std::string subject, std::string found) {
  return {std::move(subject), Health::kOk, std::move(found), "", ""};
}

std::vector<Finding> examine(const MachineFacts& facts);
Health worst(const std::vector<Finding>& findings);

}  // namespace sweepd
