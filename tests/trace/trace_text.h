// Chrome traces as literal text.
#pragma once

#include <string>
#include <string_view>

#include "runner/trace/chrome.h"

namespace sweepd::trace {

// Parses a text, given in pieces of `piece` bytes.
inline Result<ChromeTrace> parse_text(std::string_view text, const ChromeLimits& limits = {},
                                      std::size_t piece = 7) {
  const NextPiece next = [&]() -> Result<std::string> {
    std::string head(text.substr(0, piece));
    text.remove_prefix(head.size());
    return head;
  };
  return parse_chrome_trace(next, "t.json", limits);
}

// An object with these events, separated by commas.
inline std::string trace_of(std::string_view events) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(events) + "]}";
}

inline std::string mistake_in(std::string_view text, const ChromeLimits& limits = {}) {
  const auto trace = parse_text(text, limits);
  return trace ? "" : trace.error().message;
}

}  // namespace sweepd::trace
