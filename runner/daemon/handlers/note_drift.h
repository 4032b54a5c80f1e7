// Adds the sentinel's findings on the machine to a table (docs/MEASURING.md, "Drift").
#pragma once

#include <set>
#include <string>
#include <vector>

#include "db/query/query.h"
#include "runner/model/sweep/table.h"
#include "runner/report/notes/drift_notes.h"

namespace sweepd {

class DriftNotes {
 public:
  // Finds the shifts of all machines.
  static Result<DriftNotes> read(Reader& reader);

  // Adds results to the group of this name ("the table's attempts"). `sweep` is the sweep whose
  // attempts count where pooled results name none; "" means that such results do not count.
  void add(const std::string& group, const SweepId& sweep, const ResultSet& results);
  // Notes each shift that has results of the groups on both sides. They are warnings.
  Result<void> write(Reader& reader, Table& table) const;

 private:
  struct Group {
    std::string name;
    SweepId pooled_of;  // "": no result is pooled
    std::set<AttemptId> attempts;
  };

  std::vector<MachineShift> shifts_;
  std::vector<Group> groups_;
};

}  // namespace sweepd
