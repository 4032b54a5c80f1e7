// The number of nodes of an attempt's ranks, set by the pilot of a cluster's job.
#pragma once

#include <cstdlib>
#include <string>

namespace sweepd {

// "" if it is not set.
inline std::string variable_or_empty(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

inline int nodes_of_ranks() {
  const std::string nodes = variable_or_empty("SWEEPD_NODES");
  return nodes.empty() ? 1 : std::atoi(nodes.c_str());
}

inline bool is_on_cluster() {
  return !variable_or_empty("SWEEPD_NODES").empty();
}

}  // namespace sweepd
