// The operator that runs on this thread, by torch's name: `aten::mm`, `AddmmBackward0`.
#pragma once

#include <string_view>

namespace sweepd {

// During its lifetime, follows operators on every thread with one global RecordFunction callback.
// That costs every operator a few hundred nanoseconds, so it is never used in a timing. One at a
// time.
class OperatorNames {
 public:
  OperatorNames();
  ~OperatorNames();
  OperatorNames(const OperatorNames&) = delete;
  OperatorNames& operator=(const OperatorNames&) = delete;

  // Returns the innermost one on the calling thread; "" outside of any. Valid until that operator
  // ends.
  static std::string_view current();

 private:
  unsigned long handle_;
};

}  // namespace sweepd
