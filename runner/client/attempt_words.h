// Texts about an attempt that several commands share.
#pragma once

#include <string>

#include "runner/wire/messages/rows.h"

namespace sweepd {

// Why it ended as it did, and why its figures are not valid; "" if there is no such reason.
inline std::string why_of(const AttemptRow& attempt) {
  const bool both = !attempt.detail.empty() && !attempt.verdict_reasons.empty();
  return attempt.detail + (both ? "; " : "") + attempt.verdict_reasons;
}

}  // namespace sweepd
