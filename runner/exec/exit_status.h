// How a process ended, and how ranks of the local host are started.
#pragma once

#include <optional>

namespace sweepd {

struct ExitStatus {
  std::optional<int> signal;
  std::optional<int> code;  // both empty: nobody knows, as for an adopted process
};

// kYes: CPU timings of one rank may be forked from a worker that is already loaded, if that cannot
// be told from a separate start. All other attempts start by themselves, and so do these if
// anything is wrong with the preloaded worker.
enum class Prefork { kNo, kYes };

}  // namespace sweepd
