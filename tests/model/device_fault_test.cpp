// Tests which errors belong to a GPU, in the words in which workers meet them.
#include "runner/model/machine/device_fault.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

TEST(DeviceFault, IsWhatTheGpuSaysOfItself) {
  const std::string_view ecc = "uncorrectable ECC error";
  EXPECT_EQ(device_fault_in("CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors "
                            "might be asynchronously reported at some other API call",
                            "backward"),
            ecc);
  EXPECT_EQ(device_fault_in("cudaEventQuery: uncorrectable ECC error encountered", "step"), ecc);
  EXPECT_EQ(device_fault_in("CUDA driver error: CUDA_ERROR_ECC_UNCORRECTABLE", "forward"), ecc);
  EXPECT_EQ(device_fault_in("uncorrectable NVLink error detected during the execution", "step"),
            "uncorrectable NVLink error");
  EXPECT_EQ(device_fault_in("Unable to determine the device handle: GPU is lost", "setup"),
            "the GPU has fallen off the bus");
}

TEST(DeviceFault, IsWhatAProcessMeetsThatHasNotBegun) {
  const char* errors[] = {
      "CUDA error: CUDA-capable device(s) is/are busy or unavailable",
      "cudaGetDeviceProperties: all CUDA-capable devices are busy or unavailable",
      "CUDA error: no CUDA-capable device is detected",
      "CUDA error: unknown error",
  };
  for (const char* error : errors) {
    EXPECT_NE(device_fault_in(error, "setup"), "") << error;
    EXPECT_EQ(device_fault_in(error, "forward"), "") << error;
  }
}

TEST(DeviceFault, IsNoMistakeOfAProgram) {
  const char* errors[] = {
      "",
      "CUDA error: an illegal memory access was encountered",
      "CUDA error: device-side assert triggered",
      "CUDA error: unspecified launch failure",
      "CUDA error: hardware stack error",
      "CUDA error: misaligned address",
      "CUDA error: the launch timed out and was terminated",
      "CUDA error: out of memory",
      "CUDA driver version is insufficient for CUDA runtime version",
      "NCCL error: unhandled cuda error",
      "the ECC error rate of the paper is 3 %",
  };
  for (const char* error : errors) {
    EXPECT_EQ(device_fault_in(error, "setup"), "") << error;
    EXPECT_EQ(device_fault_in(error, "forward"), "") << error;
  }
}

}  // namespace
}  // namespace sweepd
