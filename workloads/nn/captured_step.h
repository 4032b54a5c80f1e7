// A step captured as CUDA graphs, one per phase, and replayed: the host then only launches one
// graph per phase.
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
  // Throws Unavailable on a CPU, so make it before anything is allocated.
  explicit CapturedStep(const Device& device);

  // Runs `prepare` once first, on the same stream, because the forward of a captured backward must
  // be on its stream. Then runs `step` a few times to warm up and once to capture it. No step may
  // wait for the device. Tensors that it keeps from one phase to the next, or beyond the step, then
  // have fixed addresses. Call once.
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
