#include "runner/client/changes_view.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {

std::string changes_text(const Changes& changes) {
  constexpr std::size_t kDay = 10, kMinute = 16;  // characters of 2026-11-20T10:05:00Z
  std::string text = fmt::format("{} again, because {} changed", with_thousands(changes.attempts),
                                 join(changes.what, ", "));
  if (!changes.how.empty()) text += fmt::format(" ({})", join(changes.how, ", "));
  if (changes.since) {
    const std::string time = to_text(*changes.since);
    text += fmt::format(" after {} {} UTC", time.substr(0, kDay),
                        time.substr(kDay + 1, kMinute - kDay - 1));
  }
  return text;
}

}  // namespace sweepd
