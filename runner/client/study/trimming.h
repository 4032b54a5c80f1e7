// Tables of a study's document that are shown in fewer lines. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/client/document/document.h"

namespace sweepd {

// Whether all of the table's figures are of attempts that were skipped, such as those of a GPU on a
// machine that has none. False without details.
bool is_skipped(const DocumentTable& table);

// The ids of the attempts behind such a table's figures, each once.
std::vector<std::string> attempts_behind(const DocumentTable& table);

// "no package of this compiled step" of "no package of this compiled step; make it with ..."
std::string without_remedy(const std::string& reason);

// One sentence instead of such tables: their titles, and why their attempts were skipped.
std::string skipped_in_words(const std::vector<std::string>& titles,
                             const std::vector<std::string>& reasons);

// The first rows of the table, and at most two notes, of which the last one names the omissions.
void cut_rows(DocumentTable& table, std::size_t most);

}  // namespace sweepd
