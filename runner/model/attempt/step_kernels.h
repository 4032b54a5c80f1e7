// The kernels of a profile pass by name, as `compare --kernels` reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sweepd {

// Times and calls are those of one step, as the mean over ranks and over the profile's steps.
struct StepKernels {
  struct Kernel {
    std::string name, kernel_class;  // the short name; the class of most of its time
    double ms = 0, calls = 0;
  };

  bool on_gpu = false;  // else the kernels are operators, with their self time
  std::int64_t ranks = 0;
  std::int64_t steps = 1;            // of rank 0
  std::vector<Kernel> kernels = {};  // largest time of a rank first
  // On a GPU: the operators by the device time of the kernels that each launched, without classes;
  // kernels without an operator are one row. Empty if the profile has no operators.
  std::vector<Kernel> operators = {};
};

}  // namespace sweepd
