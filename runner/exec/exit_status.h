// How a process ended, and how ranks of the local host are started.
#pragma once

#include <optional>

namespace sweepd {

struct ExitStatus {
  std::optional<int> signal;
  std::optional<int> code;  // both empty: unknown, as for an adopted process
};

// kYes: CPU timings of one rank may be forked from a worker that is already loaded, if that
// measures the same as a separate start. All other attempts are started separately, and so are
// these if the preloaded worker fails.
enum class Prefork { kNo, kYes };

}  // namespace sweepd
