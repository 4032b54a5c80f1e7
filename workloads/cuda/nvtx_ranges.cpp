#include "workloads/cuda/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <string>

namespace sweepd {
namespace {

class NvtxRanges final : public RangeObserver {
 public:
  void push(std::string_view name) override { nvtxRangePushA(std::string(name).c_str()); }
  void pop() override { nvtxRangePop(); }
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::unique_ptr<RangeObserver> make_nvtx_ranges() {
  if (!is_set("NVTX_INJECTION64_PATH") && !is_set("NSYS_PROFILING_SESSION_ID")) return nullptr;
  return std::make_unique<NvtxRanges>();
}

}  // namespace sweepd
