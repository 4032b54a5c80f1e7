// The tables and plots of one sweep, as a document shows them.
#pragma once

#include <string>
#include <vector>

#include "runner/client/document/document.h"
#include "runner/client/session/client.h"
#include "runner/model/sweep/plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

// Which results of a sweep are shown: its own, or QuerySpec::newest.
enum class WhichResults { kOwn, kNewest };

struct SweepTables {
  SweepRow sweep;
  std::vector<DocumentTable> tables;
  bool has_plots = false;
};

// Asks for the tables that the sweep declares, with their details. `table` chooses one, as
// `report --table`.
Result<SweepTables> tables_of_sweep(Client& client, const std::string& sweep, WhichResults which,
                                    const std::string& table = "");

// Asks for the plots that the sweep declares. Fails if there are none.
Result<std::vector<Plot>> plots_of_sweep(Client& client, const std::string& sweep,
                                         WhichResults which);

// "24 done", "20 done, 3 oom, 1 skipped, 2 open"
std::string counts_in_words(const AttemptCounts& counts);

}  // namespace sweepd
