// A step captured as CUDA graphs, one a phase, and replayed: what is left of it on the host is one
// launch a phase.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/cuda/step_graphs.h"

namespace sweepd {

class CapturedStep {
 public:
  // Throws Unavailable on a CPU: make it before anything is allocated.
  explicit CapturedStep(const Device& device);

  // `prepare` runs once before, on the same stream: what a captured backward continues has to be of
  // its stream. Then runs `step` a few times to warm up and once to capture it; no step may wait
  // for the device. What it keeps from one phase to the next, or beyond the step, has a fixed
  // address from then on. Once.
  void capture(const std::function<void()>& prepare, const std::function<void(Phases&)>& step);
  void capture(const std::function<void(Phases&)>& step) {
    capture([] {}, step);
  }

  void replay(Phases& phases);

  std::size_t graphs() const { return pieces_.size(); }

 private:
  struct Piece {
    std::string phase;
    std::size_t graph = 0;
  };
  class Capture;

  std::unique_ptr<StepGraphs> graphs_;
  std::vector<Piece> pieces_;
};

}  // namespace sweepd
