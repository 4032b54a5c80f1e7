// Sends signals to the intended process or to none. A process is identified by its pidfd. A group
// is identified by its leader's pidfd if the kernel can (Linux 6.9). Otherwise its number is used
// once it is known to be the rank's own, and never 0, 1, -1 or the number of sweepd's own group.
#pragma once

#include <sys/types.h>

#include "runner/base/unique_fd.h"

namespace sweepd {

// Returns false with errno: ESRCH if the process has ended and was reaped.
bool send_signal(const UniqueFd& pidfd, int signal);

// Signals the group, and session, that the process leads or led, including its remaining processes
// after the leader ended. `pidfd` is the leader's. A group that has ended is no error.
void signal_group(pid_t leader, const UniqueFd& pidfd, int signal);

// The fallback of signal_group for kernels that cannot signal a group by pidfd.
void signal_group_by_number(pid_t leader, const UniqueFd& pidfd, int signal);

}  // namespace sweepd
