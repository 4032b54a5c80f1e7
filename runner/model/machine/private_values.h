// The parameters of an attempt that stay on the machine and never appear in exports.
#pragma once

#include <string_view>

namespace sweepd {

// Whether the parameter holds variables of the environment, and so perhaps a password.
inline bool holds_environment(std::string_view parameter) {
  return parameter == "env" || parameter == "submitted_environment";
}

}  // namespace sweepd
