// Tables of a study's document that are shown in fewer lines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/client/document/document.h"

namespace sweepd {

// Whether more than half of the table's figures are of attempts that were skipped, such as those
// of a GPU on a machine that has none. False without details.
bool is_mostly_skipped(const DocumentTable& table);

// One sentence instead of such tables: their titles, and why their attempts were skipped.
std::string skipped_in_words(const std::vector<DocumentTable>& tables);

// The first rows of the table, and at most two notes, of which the last one names the omissions.
void cut_rows(DocumentTable& table, std::size_t most);

}  // namespace sweepd
