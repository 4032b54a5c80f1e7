// Makes a harness on the first CUDA device, or skips the test with the reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"

namespace sweepd {

class CudaFixture : public ::testing::Test {
 protected:
  // A test that needs more of the device than a harness checks it here. Unavailable skips the test.
  virtual void prepare() {}

  void SetUp() override {
    device_options.kind = "cuda";
    try {
      harness = std::make_unique<Harness>(device_options);
      prepare();
    } catch (const Unavailable& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  DeviceOptions device_options;
  std::unique_ptr<Harness> harness;
};

}  // namespace sweepd
