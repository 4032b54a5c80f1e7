// A stand-in: see gloo/algorithm.h. Never made here; ProcessGroupGloo's own code makes it.
#pragma once

#include <chrono>

namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds);
};
}  // namespace gloo
