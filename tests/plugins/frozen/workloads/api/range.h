// Named regions inside a phase, which show which part of the model a kernel or an allocation
// belongs to. A workload marks them with the RAII class `Range`. Each user of ranges (the profile
// pass, the memory pass, NVTX) installs an observer. In the timing pass there is none, and
// a Range costs one load and one branch.
//
//   Range range("attention.scores");   // until the end of the block; ranges nest
//
// Names are lower case, with dots from the general to the special; a table may fold
// `attention.softmax` into `attention`. Those of the language model:
//   embedding, norm, attention.projections, attention.rotary, attention.scores, attention.softmax,
//   attention.output, attention.fused (a kernel that does the three at once), ffn, lm_head, loss
#pragma once

#include <string_view>

namespace sweepd {

// Called on the thread that runs the workload. Names have static storage.
class RangeObserver {
 public:
  virtual ~RangeObserver() = default;
  virtual void push(std::string_view name) = 0;
  virtual void pop() = 0;
};

// Adds and removes an observer of this process. Call before the first Range and after the last one,
// from the thread that runs the workload. Observers are pushed in the order in which they were
// added, and popped in reverse.
void add_range_observer(RangeObserver& observer);
void remove_range_observer(RangeObserver& observer);

namespace detail {
extern bool ranges_observed;
void push_range(std::string_view name);
void pop_range();
}  // namespace detail

class Range {
 public:
  explicit Range(std::string_view name) : observed_(detail::ranges_observed) {
    if (observed_) detail::push_range(name);
  }
  ~Range() {
    if (observed_) detail::pop_range();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  bool observed_;
};

}  // namespace sweepd
