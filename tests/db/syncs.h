// Records the syncs of SQLite and sweepd: fsync and fdatasync of the C library are replaced.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sweepd {

// The paths of files and folders that `call` forced to the disk, in order. A file that has no name
// yet, or was renamed since, has the name of that moment.
std::vector<std::string> synced_by(const std::function<void()>& call);

}  // namespace sweepd
