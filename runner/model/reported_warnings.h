// Warnings that a program, or the reader of its output, reports about its figures: each fact
// `warning.NAME` makes the attempt `suspect`. Pure, like model/verdict.h.
#pragma once

#include <span>
#include <string_view>

#include "runner/model/attempt_record.h"
#include "runner/model/verdict.h"

namespace sweepd {

inline constexpr std::string_view kWarningFact = "warning.";

Judgement judge_reported_warnings(std::span<const Fact> facts);

}  // namespace sweepd
