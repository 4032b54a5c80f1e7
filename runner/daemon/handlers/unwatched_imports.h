// Says that modules are not watched which programs in Python import: no result is measured again
// because such a module changed.
#pragma once

#include <string>
#include <vector>

#include "db/query/query.h"

namespace sweepd {

// Returns the note for the first of the programs that is Python and watches no folder and no
// module; "" if there is none.
std::string unwatched_imports(const std::vector<RanInSweep::Program>& programs);

}  // namespace sweepd
