// The changes since a sweep was last measured.
#pragma once

#include "runner/model/changes.h"
#include "runner/wire/message.h"

namespace sweepd::rpc {

struct ChangesMessage {
  static constexpr std::string_view kTitle = "changes since its measurement";
  std::int64_t attempts = 0;
  std::vector<std::string> what, how;
  std::optional<WallTime> since;
  static void visit(auto& self, auto&& field) {
    field("attempts", self.attempts, "that run again because what runs is not what ran");
    field("what", self.what, "names of files, the workload's own, or parts of the machine");
    field("how", self.how, "before and now, of parts of the machine: `550.54 → 570.1`");
    field("since_ns", self.since, "when the newest of their results ended");
  }
};

inline ChangesMessage message_of(const Changes& changes) {
  ChangesMessage message{changes.attempts, changes.what, changes.how, std::nullopt};
  if (changes.attempts > 0) message.since = changes.since;
  return message;
}

}  // namespace sweepd::rpc
