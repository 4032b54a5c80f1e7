// Whom a gang waited for when its time was up, from what its ranks noted of the collectives they
// take part in (model/collective_note.h). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

struct RankPlace {
  int rank = 0;
  std::string note;        // of its status page; "" when it never said anything
  bool suspended = false;  // its process was stopped (SIGSTOP, a debugger)
};

struct Hang {
  std::string collective;       // "all_reduce 12"; "" when nobody was in one
  std::vector<int> waited_for;  // ascending; empty when all had arrived, or nobody waited
};

// Waited for are the ranks that had not arrived where the ones that are furthest wait, and those
// that are suspended; but no rank that waits for one of them in an operation before.
Hang find_hang(const std::vector<RankPlace>& ranks);

// The collective that a rank with this note is in: "all_reduce 12", "rendezvous", or "".
std::string collective_of(std::string_view note);

}  // namespace sweepd
