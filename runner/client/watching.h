// Follows a sweep until it has ended: one line that is rewritten on a terminal, a plain line per
// change elsewhere. Ctrl-C stops watching, not the sweep.
#pragma once

#include <string>

#include "runner/client/client.h"

namespace sweepd {

Exit watch_sweep(Client& client, const std::string& sweep);

}  // namespace sweepd
