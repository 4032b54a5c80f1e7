// The two functions that programs call: the CUDA driver in cuInit, where CUDA_INJECTION64_PATH
// names this library, and each copy of NVTX at its first call, where NVTX_INJECTION64_PATH does.
// Both may be called again.
#include "inject/cupti.h"
#include "inject/no_signals.h"
#include "inject/nvtx_abi.h"
#include "inject/recorder.h"

namespace sweepd::inject {

bool attach_to_nvtx(NvtxExportTable export_table);

}  // namespace sweepd::inject

#define SWEEPD_EXPORTED extern "C" __attribute__((visibility("default")))

// Both functions block signals: a handler that calls NVTX would wait for ever for the
// initialisation below it. The program goes on without a profile if one fails, so neither does.
SWEEPD_EXPORTED int InitializeInjection() {
  const sweepd::inject::NoSignals none;
  if (sweepd::inject::recording()) sweepd::inject::start_cupti();
  return 1;
}

SWEEPD_EXPORTED int InitializeInjectionNvtx2(sweepd::inject::NvtxExportTable export_table) {
  const sweepd::inject::NoSignals none;
  return sweepd::inject::recording() && sweepd::inject::attach_to_nvtx(export_table) ? 1 : 0;
}
