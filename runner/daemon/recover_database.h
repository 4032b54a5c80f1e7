// `sweepd --recover`, for `sweepctl recover`: rebuilds the state folder's database, and reports on
// standard output.
#pragma once

#include "runner/daemon/app.h"

namespace sweepd {

enum class Recovery { kForReal, kDryRun };

// Returns the exit code. Refuses while a daemon holds the folder, while an attempt runs, and if
// there is a usable database. Moves an unusable one aside. The new one gets its name when it is
// complete and on the disk. A dry run writes a database too, and removes it again.
int recover_database(const AppOptions& options, Recovery how);

}  // namespace sweepd
