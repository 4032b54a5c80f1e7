#include "workloads/nn/captured_step.h"

#include <dlfcn.h>

#include "workloads/api/failure.h"

namespace sweepd {
namespace {

// As in torch.cuda.make_graphed_callables: libraries choose algorithms and allocate in the first
// steps.
constexpr int kWarmUpSteps = 3;

std::unique_ptr<StepGraphs> make_step_graphs(const Device& device) {
  if (device.kind() != "cuda") {
    throw Unavailable("compile cuda_graph needs a CUDA device, and this trial runs on the CPU");
  }
  // make_device has loaded libsweep_cuda.so with global symbols.
  auto make = reinterpret_cast<MakeStepGraphs>(dlsym(RTLD_DEFAULT, kMakeStepGraphs));
  if (make == nullptr)
    throw Unavailable("compile cuda_graph: libsweep_cuda.so is of another build");
  return std::unique_ptr<StepGraphs>(make(device.index()));
}

}  // namespace

// Where a phase begins, the graph of the previous one ends.
class CapturedStep::Capture final : public Phases {
 public:
  Capture(StepGraphs& graphs, std::vector<Piece>& pieces) : graphs_(graphs), pieces_(pieces) {}
  void enter(std::string_view phase) override {
    finish();
    pieces_.push_back({std::string(phase)});
    graphs_.begin();
    open_ = true;
  }
  void finish() {
    if (open_) pieces_.back().graph = graphs_.end();
    open_ = false;
  }

 private:
  StepGraphs& graphs_;
  std::vector<Piece>& pieces_;
  bool open_ = false;
};

CapturedStep::CapturedStep(const Device& device) : graphs_(make_step_graphs(device)) {}

void CapturedStep::capture(const std::function<void()>& prepare,
                           const std::function<void(Phases&)>& step) {
  graphs_->on_own_stream([&] {
    prepare();
    NoPhases none;
    for (int i = 0; i < kWarmUpSteps; ++i) step(none);
    Capture capture(*graphs_, pieces_);
    step(capture);
    capture.finish();
  });
}

void CapturedStep::replay(Phases& phases) {
  for (const Piece& piece : pieces_) {
    phases.enter(piece.phase);
    graphs_->replay(piece.graph);
  }
}

}  // namespace sweepd
