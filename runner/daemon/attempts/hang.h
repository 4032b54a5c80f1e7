// Finds the ranks that a gang waited for when its time was up, from its ranks' notes about
// collectives (model/measurement/collective_note.h). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

struct RankPlace {
  int rank = 0;
  std::string note;        // of its status page; "" if it never wrote one
  bool suspended = false;  // its process was stopped (SIGSTOP, a debugger)
};

struct Hang {
  std::string collective;       // "all_reduce 12"; "" if no rank was in one
  std::vector<int> waited_for;  // ascending; empty if all had arrived, or no rank waited
  static void visit(auto& self, auto&& field) {
    field("collective", self.collective, "");
    field("waited_for", self.waited_for, "");
  }
};

// The ranks waited for are those that have not arrived where the furthest rank waits, and those
// that are suspended. A late rank does not count if it waits for another one in an earlier
// operation.
Hang find_hang(const std::vector<RankPlace>& ranks);

// Returns the collective that a rank with this note is in: "all_reduce 12", "rendezvous", or "".
std::string collective_of(std::string_view note);

}  // namespace sweepd
