// Records the types of a model's results from the operations of one step: autocast's actual choices
// instead of a table's. Slow; never used during timing.
//
//   DtypeRecorder recorder;            // records while it lives; one at a time per thread
//   model.forward(...);
//   recorder.ranges()                  // {{"attention.softmax", "fp32"}, ...}
#pragma once

#include <ATen/record_function.h>
#include "workloads/torch/aten.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/api/range.h"

namespace sweepd {

// Types in order of appearance: "fp32", or "fp32, bf16" for a part with both.
class DtypeSet {
 public:
  void add(at::ScalarType type);
  bool empty() const { return names_.empty(); }
  std::string text() const;

 private:
  std::vector<std::string> names_;
};

class DtypeRecorder final : public RangeObserver {
 public:
  DtypeRecorder();
  ~DtypeRecorder() override;
  DtypeRecorder(const DtypeRecorder&) = delete;
  DtypeRecorder& operator=(const DtypeRecorder&) = delete;

  // The type of each range's result, which is that of its last operation. A range that is entered
  // several times has all of its types. In order of first appearance.
  std::vector<std::pair<std::string, std::string>> ranges() const;
  // The types of additions outside every range: the residual stream.
  const DtypeSet& residual_stream() const { return residual_stream_; }
  // The types that AdamW's fused kernel read.
  const DtypeSet& parameters() const { return parameters_; }
  const DtypeSet& gradients() const { return gradients_; }
  const DtypeSet& optimizer_state() const { return optimizer_state_; }

  void push(std::string_view name) override;
  void pop() override;

 private:
  struct Open {
    std::string name;
    at::ScalarType last = at::ScalarType::Undefined;
  };

  static std::unique_ptr<at::ObserverContext> begun(const at::RecordFunction& function);
  static void ended(const at::RecordFunction& function, at::ObserverContext* context);
  void finished(const at::RecordFunction& function);
  void update(const at::RecordFunction& function);

  at::CallbackHandle handle_;
  std::vector<Open> open_;
  std::vector<std::pair<std::string, DtypeSet>> ranges_;
  DtypeSet residual_stream_, parameters_, gradients_, optimizer_state_;
};

}  // namespace sweepd
