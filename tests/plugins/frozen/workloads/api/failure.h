// The two failures of a workload that are ordinary outcomes. Any other exception becomes `failed`
// with its message (runner/worker/run_attempt.cpp).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd {

// A device allocation that did not fit: outcome `oom`.
class OutOfMemory : public std::runtime_error {
 public:
  OutOfMemory(Bytes requested_, Bytes in_use_, Bytes limit_)
      : std::runtime_error("out of memory: asked for " + to_human(requested_)),
        requested(requested_),
        in_use(in_use_),
        limit(limit_) {}
  Bytes requested, in_use, limit;
};

// Whether the error comes from the C interface of a compiled step, which hides the cause: it turns
// every exception into one that only names the call (torch/headeronly/util/shim_utils.h).
inline bool hides_its_cause(const std::exception& error) {
  return std::string_view(error.what()).find(" API call failed at ") != std::string_view::npos;
}

// This machine or build lacks something that the trial needs: outcome `skipped`. The reason names
// the missing part and how to get it.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sweepd
