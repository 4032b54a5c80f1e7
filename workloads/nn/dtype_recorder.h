// Which types come out of a model's parts, by watching the operations of one step: what autocast
// did, not what a table says it does. Slow; never on while something is timed.
//
//   DtypeRecorder recorder;            // one at a time on a thread, until the end of its life
//   model.forward(...);
//   recorder.ranges()                  // {{"attention.softmax", "fp32"}, ...}
#pragma once

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/api/range.h"

namespace sweepd {

// Types in order of appearance: "fp32", or "fp32, bf16" of a part that has both.
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

  // The type of what each range hands on, which is the result of its last operation; a range that
  // is entered several times has them all. In order of first appearance.
  std::vector<std::pair<std::string, std::string>> ranges() const;
  // Of the additions outside every range: the residual stream.
  const DtypeSet& residual_stream() const { return residual_stream_; }
  // What AdamW read, of its fused kernel.
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
