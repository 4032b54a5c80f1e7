// Queued attempts by their row. A hundred thousand may wait, and most parameters of most trials
// have their defaults, so only the others are kept; an attempt is completed again when it is taken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runner/model/attempt/open_attempt.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

class WaitingAttempts {
 public:
  // `catalog` must have the workload of every attempt.
  explicit WaitingAttempts(const Catalog& catalog) : catalog_(catalog) {}

  void add(OpenAttempt attempt);
  std::optional<OpenAttempt> find(std::int64_t row) const;
  std::optional<OpenAttempt> take(std::int64_t row);
  void erase(std::int64_t row) { packed_.erase(row); }
  bool contains(std::int64_t row) const { return packed_.contains(row); }
  std::size_t size() const { return packed_.size(); }

 private:
  struct Packed {
    OpenAttempt attempt;  // without its trial
    std::vector<std::pair<std::uint16_t, Value>> differing;
  };

  const Catalog& catalog_;
  std::map<std::int64_t, Packed> packed_;  // a hash table would stall when it grows
};

}  // namespace sweepd
