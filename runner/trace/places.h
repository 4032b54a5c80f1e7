// Where in a step a moment is: its phase and its range, from the ranges that the program marked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/trace/span_index.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

struct Place {
  std::uint32_t phase = 0, range = 1;  // indices into Places::names; these are kStep and kOther
  auto operator<=>(const Place&) const = default;
};

// The phases of a program's step that a range can name.
inline constexpr std::array<std::string_view, 5> kPhaseNames{"data", "forward", "backward",
                                                             "optimizer", "communication"};

// The phase that a range's name stands for: one of kPhaseNames, in small or capital letters;
// `sweepd.PHASE`; torch's `Optimizer.step#...`. "" if it is another range.
std::string_view phase_of_range(std::string_view name);

class Places {
 public:
  static constexpr std::uint32_t kStep = 0, kOther = 1;  // outside every phase, every range
  // `operators` are those of the timeline. Both must outlive this.
  Places(const Timeline& timeline, const SpanIndex& operators);

  // A node of the backward has the range of the forward's operator with its sequence number, since
  // the backward runs on a thread without ranges.
  Place of_operator(std::size_t index) const { return of_operator_[index]; }
  // Of a call or of work without an operator.
  Place at(std::int64_t thread, std::int64_t ns) const;
  const std::string& name(std::uint32_t index) const { return names_[index]; }

 private:
  void read_ranges(const Timeline& timeline);
  std::uint32_t phase_at(std::int64_t ns) const;
  std::uint32_t range_at(std::int64_t thread, std::int64_t ns) const;

  Names names_;
  std::vector<HostSpan> phases_, ranges_;  // phases all on one thread, 0
  std::vector<std::uint32_t> phase_names_, range_names_;
  SpanIndex phase_index_{std::span<const HostSpan>()}, range_index_{std::span<const HostSpan>()};
  std::vector<Place> of_operator_;
};

}  // namespace sweepd::trace
