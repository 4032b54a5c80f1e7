// `sweepd --recover`, for `sweepctl recover`: makes the state folder's database anew, and says on
// standard output what it found.
#pragma once

#include "runner/daemon/app.h"

namespace sweepd {

enum class Recovery { kForReal, kDryRun };

// Returns the exit code. Refuses while a daemon holds the folder, while an attempt runs, and where
// a database is that can be used. One that cannot is moved aside. The new one gets its name when it
// is complete and on the disk. A dry run writes a database too, and removes it again.
int recover_database(const AppOptions& options, Recovery how);

}  // namespace sweepd
