// The signals that end a program in the foreground.
#pragma once

#include "runner/base/unique_fd.h"

namespace sweepd {

// SIGINT, SIGTERM and SIGHUP, without their default effect.
class EndingSignals {
 public:
  EndingSignals();
  int descriptor() const { return fd_.get(); }  // readable when one came
  bool take();                                  // whether one came since the last call
  bool came() { return take() || came_; }       // whether one ever came

 private:
  UniqueFd fd_;
  bool came_ = false;
};

}  // namespace sweepd
