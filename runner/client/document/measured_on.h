// The machines and builds that measured results, from the results: the machine that writes a
// document may be another one.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/document/document.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/session/client.h"

namespace sweepd {

// A table with one row for each machine, device and build that measured something of the sweeps
// with these ids; or a sentence that nothing is measured.
Result<DocumentBlock> measured_on(Client& client, const std::vector<std::string>& sweeps,
                                  WhichResults which);

}  // namespace sweepd
