// `show --memory`: the plot of the timeline, then the tables.
#pragma once

#include <string>

#include "runner/client/client.h"

namespace sweepd {

// `what` is an attempt of a memory pass, or a trial, or another attempt of a trial that has one.
Exit show_memory(Client& client, const std::string& what, const std::string& format);

}  // namespace sweepd
