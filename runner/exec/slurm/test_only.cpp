#include "runner/exec/slurm/test_only.h"

#include <utility>

namespace sweepd {

void TestOnly::forget_old(Instant now) {
  const auto is_old = [now](Instant when) { return now - when >= kRemembered; };
  std::erase_if(answers_, [&](const auto& entry) { return is_old(entry.second.when); });
  while (!asked_.empty() && is_old(asked_.front())) asked_.pop_front();
}

std::optional<Said> TestOnly::ask(const std::vector<std::string>& command, Instant now,
                                  const Run& run) {
  {
    const std::lock_guard lock(mutex_);
    forget_old(now);
    if (const auto known = answers_.find(command); known != answers_.end()) {
      return known->second.said;
    }
    if (asked_.size() >= kMost) return std::nullopt;
    asked_.push_back(now);
  }
  Said said = run(command);
  const std::lock_guard lock(mutex_);
  answers_.insert_or_assign(command, Answer{now, said});
  return said;
}

}  // namespace sweepd
