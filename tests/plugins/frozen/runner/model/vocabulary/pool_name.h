// The pool that exists always.
#pragma once

#include <string_view>

namespace sweepd {

inline constexpr std::string_view kLocalPool = "local";  // the machine on which the daemon runs

}  // namespace sweepd
