// The lines under a table about steps that attempts measured before they ended without being done.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

class PartialNotes {
 public:
  // Adds one shown cell: its results, its name and that of its row. Cells of one row may show the
  // same attempt; the line then names the row.
  void add_cell(const std::string& name, const std::string& row_name,
                const std::vector<const ResultRow*>& rows);
  // "context 4096: 12 of 50 steps were measured before the timeout, mean 512.3 ms; ..."
  std::vector<std::string> lines() const;

 private:
  struct Note {
    std::string cell, row, text;
  };
  std::vector<Note> notes_;
  std::map<AttemptId, std::size_t> index_;
};

}  // namespace sweepd::report
