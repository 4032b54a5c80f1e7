// Follows a sweep until it has ended, as progress_display.h draws it. Each failure is printed as a
// line when it occurs. All output is on stderr. Ctrl-C stops watching, not the sweep. If the daemon
// dies, the next one is started and watching continues; after a stop it waits for the next one.
#pragma once

#include <string>
#include <vector>

#include "runner/client/session/client.h"

namespace sweepd {

// "" is the latest sweep. Returns kOk if every attempt is done, else kNotAllDone.
Exit watch_sweep(Client& client, const std::string& sweep);

// Follows all of these, by their ids, as one under this name.
Exit watch_together(Client& client, const std::string& name, const std::vector<std::string>& ids);

}  // namespace sweepd
