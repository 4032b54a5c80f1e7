// Answers requests about a database file without a daemon: `sweepctl --db FILE` starts `sweepd
// --read FILE` with one end of a socket pair as standard input and uses the ordinary protocol on
// it. Only methods that read are answered. The file may be in use, of an older version, or on a
// read-only medium; it is never changed.
#pragma once

#include <filesystem>

#include "runner/daemon/app.h"

namespace sweepd {

// Runs until the client closes, and returns the exit code. Earlier errors are an error reply.
int serve_file(const AppOptions& options, const std::filesystem::path& file);

}  // namespace sweepd
