// What of an attempt's parameters stays on the machine when somebody else reads about it.
#pragma once

#include <string_view>

namespace sweepd {

// Whether the parameter holds variables of the environment, and so perhaps a password.
inline bool holds_environment(std::string_view parameter) {
  return parameter == "env" || parameter == "submitted_environment";
}

}  // namespace sweepd
