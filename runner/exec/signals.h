// Signals that reach whom they are meant for, or nobody. One process is named by its pidfd. A group
// is named by the pidfd of its leader where the kernel can (Linux 6.9); else by its number, once it
// is known to be the rank's own, and never by 0, 1, -1 or the number of sweepd's own group.
#pragma once

#include <sys/types.h>

#include "runner/base/unique_fd.h"

namespace sweepd {

// False with errno: ESRCH when it has ended and was reaped.
bool send_signal(const UniqueFd& pidfd, int signal);

// To the group, and session, that the process leads or led; also to what is left of it after the
// leader's end. `pidfd` is the leader's. A group that is gone is no error.
void signal_group(pid_t leader, const UniqueFd& pidfd, int signal);

// The second half of the above, for kernels that cannot.
void signal_group_by_number(pid_t leader, const UniqueFd& pidfd, int signal);

}  // namespace sweepd
