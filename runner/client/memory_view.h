// `show --memory`: the timeline drawn, then the tables.
#pragma once

#include <string>

#include "runner/client/client.h"

namespace sweepd {

// `what`: an attempt of a memory pass, or a trial or another attempt of it that has one.
Exit show_memory(Client& client, const std::string& what, const std::string& format);

}  // namespace sweepd
