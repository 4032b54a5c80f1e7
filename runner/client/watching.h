// Follows a sweep until it has ended: on a terminal a few lines that are drawn again, elsewhere
// (and where TERM is dumb) a plain line per change, one a second at most. Failures are a line each
// as they come. All on stderr. Ctrl-C stops watching, not the sweep.
#pragma once

#include <string>

#include "runner/client/client.h"

namespace sweepd {

// "" is the latest sweep. kOk when every attempt is done, else kNotAllDone.
Exit watch_sweep(Client& client, const std::string& sweep);

}  // namespace sweepd
