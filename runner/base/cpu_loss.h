// Measures how much of a lease's cores other processes used during a measurement. The load average
// cannot show this: it lags by a minute and includes our own work. The kernel's busy time per core
// minus our own time can.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"

namespace sweepd {

// Seconds of CPU time up to a moment. The kernel counts in ticks of 10 ms.
struct CpuTimes {
  Instant at;
  double busy_s = 0;    // of the given cores, for any process
  double stolen_s = 0;  // of the given cores: the hypervisor ran another guest
  double own_s = 0;     // of this process, all threads, and of children it waited for
  int cores = 0;        // how many of the given cores exist
};

// `cores` are those that this process is bound to.
CpuTimes read_cpu_times(const std::vector<int>& cores);

// Reads the busy and stolen parts from the text of /proc/stat. Cores that it lacks count as
// nothing.
CpuTimes parse_cpu_times(std::string_view proc_stat, const std::vector<int>& cores);

// The mean number of cores lost between two moments. One tick per core is ignored, because the
// kernel may count it a moment late: a measurement of a few ticks shows no loss, one of a second
// shows losses above 1 %.
struct CpuLoss {
  double to_others = 0;
  double stolen = 0;
};
CpuLoss cpu_loss(const CpuTimes& from, const CpuTimes& to);

// The cores that SWEEPD_CORES_LOST says were lost to others, such as "0.5"; nothing when it is not
// set or is no number. Tests set it, so that their tables do not depend on the machine's load: 0
// hides the load of other tests, 1 makes every result suspect.
std::optional<double> pretended_cores_lost();

}  // namespace sweepd
