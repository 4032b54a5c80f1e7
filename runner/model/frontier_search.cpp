#include "runner/model/frontier_search.h"

#include <algorithm>

namespace sweepd {

std::optional<std::size_t> FrontierSearch::next() const {
  if (!fits_ && !too_large_) return start_;
  if (!too_large_) {
    if (*fits_ + 1 >= sizes_) return std::nullopt;
    return std::min(*fits_ + stride_, sizes_ - 1);
  }
  if (!fits_) {
    if (*too_large_ == 0) return std::nullopt;
    return *too_large_ - std::min(stride_, *too_large_);
  }
  if (*too_large_ - *fits_ <= 1) return std::nullopt;
  return *fits_ + (*too_large_ - *fits_) / 2;
}

void FrontierSearch::tell(bool fits) {
  const std::size_t tried = *next();
  if (tries_++ > 0) stride_ *= 2;  // the first step away is by one
  (fits ? fits_ : too_large_) = tried;
}

}  // namespace sweepd
