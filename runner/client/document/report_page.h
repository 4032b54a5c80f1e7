// A sweep as a document: its tables and plots, its machines, and its file.
#pragma once

#include <string>

#include "runner/client/client.h"
#include "runner/client/document/document.h"
#include "runner/client/document/sweep_results.h"

namespace sweepd {

// Reads all of it; also works on a database file. `table` chooses one table, and then there are
// no plots.
Result<Document> report_document(Client& client, const std::string& sweep, const std::string& table,
                                 WhichResults which);

}  // namespace sweepd
