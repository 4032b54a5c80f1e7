// A state folder of a stranger: its database and its files, with any texts at any place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/hostile_texts.h"

namespace sweepd::e2e {

// The names of the foreign results, for the verbs' arguments.
struct Known {
  std::string failed, memory, profile, trial, sweep;  // ids
};

inline constexpr auto kShownSweep = "shown";  // has tables and plots, and one attempt failed
inline constexpr auto kTimedSweep = "timed";  // has a memory and a profile pass
inline constexpr auto kOwnProgram = "own";    // a program and its sweep

// A state folder without a daemon. Two of its sweeps have no program that could change, so they run
// anywhere.
class TheirState {
 public:
  TheirState();
  ~TheirState();
  TheirState(const TheirState&) = delete;
  TheirState& operator=(const TheirState&) = delete;

  const Known& known() const { return known_; }
  void copy_to(const std::filesystem::path& folder) const;

 private:
  std::filesystem::path folder_;
  Known known_;
};

// In each text column but those of `spared`, or only in those of `only`, one text in `one_in` is
// replaced. A name is that of a table, or `table.column`.
struct Columns {
  std::vector<std::string> only, spared;
};
void rewrite_texts(const std::filesystem::path& database, HostileTexts& texts, std::size_t one_in,
                   const Columns& columns);
// The columns that verbs print and that a merge takes as they are.
const std::vector<std::string>& printed_columns();

// The same for the submissions and for the requests, journals and other JSON of attempts.
void rewrite_files(const std::filesystem::path& state, HostileTexts& texts, std::size_t one_in);

}  // namespace sweepd::e2e
