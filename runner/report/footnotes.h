// The notes of a table that disclose its limits: marks and their reasons, pooling, unfinished
// attempts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/result_set.h"
#include "runner/report/agreement.h"
#include "runner/report/axes.h"
#include "runner/report/unsteady_notes.h"

namespace sweepd::report {

// "1 cell", "3 cells"
std::string counted(std::size_t n, const std::string& thing);

class Footnotes {
 public:
  // Adds one shown cell: its results, and its name for the few notes about a single cell.
  void add_cell(const std::string& name, const std::vector<const ResultRow*>& rows,
                const Axes& axes);
  std::vector<std::string> lines() const;
  // One line for all marks: invalid, suspect, and not on one level. "" without marks.
  std::string marks() const;

 private:
  // Texts that differ in more than their numbers, in the order of their appearance, each with the
  // attempts it comes from and the cells that show it.
  struct Reason {
    std::string text;  // the first one
    std::set<std::string> attempts;
    std::vector<std::string> cells;
    bool other_numbers = false;
  };
  struct Reasons {
    std::vector<Reason> all;
    std::map<std::string, std::size_t> index;  // by the text without its numbers
    void add(const std::string& note, const std::string& attempt, const std::string& cell);
    void add_one(const std::string& whole, const std::string& attempt, const std::string& cell);
    // "‡ suspect in tiny: the device was throttled; in 4 cells: ..."
    std::string line(const std::string& heading) const;
  };

  void add_pooling(const std::vector<const ResultRow*>& done, const Axes& axes);
  void add_unfinished(const std::string& name, const std::vector<const ResultRow*>& rows);
  void append_pooling(std::vector<std::string>& lines) const;

  std::map<Verdict, Reasons> marked_;
  std::map<Outcome, Reasons> ended_;
  std::vector<std::string> partly_done_;
  std::size_t cells_of_several_trials_ = 0, cells_of_several_attempts_ = 0, cells_of_parts_ = 0;
  bool trials_known_ = true;
  std::size_t fewest_attempts_ = 0, most_attempts_ = 0;
  std::set<std::string> differences_;
  Agreement agreement_;
  UnsteadyNotes unsteady_;
};

}  // namespace sweepd::report
