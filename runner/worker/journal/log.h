// The worker's log: one line per stage on standard output, which the executor sends to
// log.<rank>.txt, which `log` and `try` print. Never called inside a step.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/say.h"

namespace sweepd {

template <class... Args>
void log_line(fmt::format_string<Args...> format, Args&&... args) {
  say("{} {}\n", to_text(now_wall()), fmt::format(format, std::forward<Args>(args)...));
  std::fflush(stdout);  // the next stage may end the process
}

}  // namespace sweepd
