// A stand-in: see gloo/algorithm.h. Never constructed here; ProcessGroupGloo's own code does that.
#pragma once

#include <chrono>

namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds);
};
}  // namespace gloo
