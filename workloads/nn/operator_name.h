// The operator that runs on this thread, by torch's name for it: `aten::mm`, `AddmmBackward0`.
#pragma once

#include <string_view>

namespace sweepd {

// Follows operators on every thread while it lives, by one global RecordFunction callback; it costs
// every operator some hundred nanoseconds, so it never lives in a timing. One at a time.
class OperatorNames {
 public:
  OperatorNames();
  ~OperatorNames();
  OperatorNames(const OperatorNames&) = delete;
  OperatorNames& operator=(const OperatorNames&) = delete;

  // The innermost one on the calling thread; "" outside of any. Valid until that operator ends.
  static std::string_view current();

 private:
  unsigned long handle_;
};

}  // namespace sweepd
