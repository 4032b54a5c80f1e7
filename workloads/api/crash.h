// A signal ended a program that a workload runs. The outcome is `crashed`, as if the signal had
// ended the worker.
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
