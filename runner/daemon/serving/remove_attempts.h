// Removes the folders of deleted attempts, on this machine and in clusters' shared folders.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <vector>

#include "runner/daemon/planning/delete_sweeps.h"
#include "runner/daemon/serving/services.h"

namespace sweepd {

// Not while one of them is compacted, which would then make a file in it. Waits for shared folders
// that do not answer. `file` records the deletion (wire/deletion.h) and is removed once all are
// gone.
boost::asio::awaitable<RemovedFolders> remove_attempts(Services& services,
                                                       const std::vector<AttemptId>& attempts,
                                                       const std::filesystem::path& file);

}  // namespace sweepd
