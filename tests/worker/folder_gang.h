// A gang that meets through files in the attempt's folder. Tests of the runner need this much of a
// backend, without LibTorch. It notes its operations and detects dead peers, as real ones do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "workloads/api/workload.h"

namespace sweepd {

class FolderGang final : public Gang {
 public:
  explicit FolderGang(const Context& context);
  void barrier() override { largest(0); }
  double largest(double mine) override;

 private:
  std::filesystem::path file(int rank) const;
  bool is_gone(int rank) const;

  std::filesystem::path folder_;
  int rank_, world_size_;
  std::function<void(std::string_view)> note_;
  std::int64_t operations_ = 0;
};

}  // namespace sweepd
