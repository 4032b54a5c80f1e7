// What a rank of several writes on its status page (Context::note) about the collective operations
// it takes part in: "all_reduce 12" once it has entered its twelfth, "all_reduce 12 left" once that
// is over. Every rank makes the same calls in the same order, so that the numbers compare: a rank
// whose number is lower than another's has not arrived where that one waits.
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
  std::int64_t number = 0;  // of all operations of the rank, from 1
  At at = At::kEntered;
};

// "rendezvous", before there is a first operation.
inline constexpr std::string_view kRendezvousNote = "rendezvous";

std::string text_of(const CollectiveNote& note);
// Nothing for another text, "rendezvous" included.
std::optional<CollectiveNote> collective_note_from(std::string_view text);

}  // namespace sweepd
