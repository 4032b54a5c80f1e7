// `sweepctl show ATTEMPT --kernels`: its options and its output.
#pragma once

#include <cstdint>
#include <string>

#include "runner/client/client.h"

namespace sweepd {

struct KernelOptions {
  bool wanted = false;
  std::string by = "name";
  std::string layout = "nsys";
  std::string phase;
  int rank = 0;
  std::int64_t top = 0;
};

void add_kernel_options(Command& command, KernelOptions& options);

Exit show_kernels(Client& client, const std::string& attempt, const KernelOptions& options,
                  const std::string& format);

}  // namespace sweepd
