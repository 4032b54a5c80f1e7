// A program that a workload runs was ended by a signal: outcome `crashed`, as if the worker had
// been.
#pragma once

#include <stdexcept>
#include <string>

namespace sweepd {

class Crash : public std::runtime_error {
 public:
  Crash(int signal_, const std::string& message) : std::runtime_error(message), signal(signal_) {}
  int signal;
};

}  // namespace sweepd
