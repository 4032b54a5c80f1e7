// The note on collective operations that a rank of a distributed trial writes on its status page
// (Context::note): "all_reduce 12" once it has entered its twelfth, "all_reduce 12 left" after
// that. Every rank makes the same calls in the same order, so the numbers can be compared: a rank
// with a lower number has not yet arrived.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sweepd {

struct CollectiveNote {
  enum class At { kEntered, kLeft };
  std::string operation;
  std::int64_t number = 0;  // counts all operations of the rank, from 1
  At at = At::kEntered;
};

// The note before the first operation: "rendezvous".
inline constexpr std::string_view kRendezvousNote = "rendezvous";

std::string text_of(const CollectiveNote& note);
// Returns nothing for any other text, including "rendezvous".
std::optional<CollectiveNote> collective_note_from(std::string_view text);

}  // namespace sweepd
