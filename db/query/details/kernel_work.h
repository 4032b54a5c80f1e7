// What kernels compute and move, beside what their device allows.
#pragma once

#include <optional>
#include <string>

#include "db/base/connection.h"
#include "runner/model/machine/peaks.h"

namespace sweepd {

// The sum over some rows of `kernel`.
struct KernelWork {
  double flops = 0, bytes = 0;
  std::string arithmetic;
  bool known = true;  // of every row

  // The row's `flops`, `bytes` and `arithmetic`, from this column on.
  void add(const Query& row, int column);
};

// The device of a rank of an attempt, by its datasheet.
class KernelRoofline {
 public:
  KernelRoofline(Connection& connection, std::int64_t attempt, std::int64_t rank);
  // Nothing if the work or a peak that it needs is unknown.
  std::optional<RooflineShare> share_of(const KernelWork& work, double ns) const;

 private:
  std::string device_;
  std::optional<std::int64_t> multiprocessors_;
};

}  // namespace sweepd
