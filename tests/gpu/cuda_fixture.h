// Makes a harness on the first CUDA device, or skips the test with the reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

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

  // Of five steps of a tiny model. `last_facts` are those after the last one.
  std::vector<double> five_losses(const Texts& changes) {
    Texts texts = {{"model", "tiny"}, {"vocab", "512"}, {"context", "64"},
                   {"batch", "2"},    {"lr", "0.01"},   {"seed", "3"}};
    texts.insert(texts.end(), changes.begin(), changes.end());
    const auto workload = harness->make("lm_step", texts);
    std::vector<double> seen;
    for (int step = 0; step < 5; ++step) {
      RecordedPhases phases;
      workload->step(phases);
      last_facts = RecordedFacts();
      workload->facts(last_facts);
      seen.push_back(last_facts.numbers.at("final_loss"));
    }
    return seen;
  }

  DeviceOptions device_options;
  std::unique_ptr<Harness> harness;
  RecordedFacts last_facts;
};

}  // namespace sweepd
