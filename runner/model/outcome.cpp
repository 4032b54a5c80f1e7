#include "runner/model/outcome.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstring>

#include "runner/base/overload.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::array<std::string_view, 7> kNames{"done",   "oom",       "timeout", "crashed",
                                                 "failed", "cancelled", "skipped"};

std::string in_phase(const std::string& phase) {
  return phase.empty() ? "" : ", in " + phase;
}

std::string signal_text(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal)
                         : fmt::format("SIG{} ({})", name, signal);
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  return kNames[static_cast<std::size_t>(outcome)];
}

Result<Outcome> outcome_from(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Outcome>(i);
  }
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` is not an outcome; expected one of {}{}", name, join(names, ", "),
                           did_you_mean(name, names))};
}

Outcome outcome_of(const Ending& ending) {
  return static_cast<Outcome>(ending.detail.index());
}

std::string describe(const Ending& ending) {
  const std::string text = std::visit(
      Overload{
          [](const Done&) { return std::string(); },
          [](const Oom& e) {
            const std::string limit = e.limit.value > 0 ? " of " + to_human(e.limit) : "";
            return fmt::format("out of memory: asked for {} with {} in use{}{}",
                               to_human(e.requested), to_human(e.in_use), limit, in_phase(e.phase));
          },
          [](const Timeout& e) {
            return fmt::format("took longer than {}{}", to_text(e.limit), in_phase(e.phase));
          },
          [](const Crashed& e) {
            if (e.signal) return "killed by " + signal_text(*e.signal) + in_phase(e.phase);
            if (e.exit_code) {
              return fmt::format("exit code {} without a result{}", *e.exit_code,
                                 in_phase(e.phase));
            }
            return "the process vanished without a result" + in_phase(e.phase);
          },
          [](const Failed& e) { return e.message + in_phase(e.phase); },
          [](const Cancelled& e) { return e.reason; },
          [](const Skipped& e) { return e.reason; },
      },
      ending.detail);
  return ending.rank > 0 && !text.empty() ? fmt::format("rank {}: {}", ending.rank, text) : text;
}

std::string_view cell_word(Outcome outcome) {
  return outcome == Outcome::kOom ? "OOM" : name_of(outcome);
}

}  // namespace sweepd
