// What all backends have in common, in front of one of them: each operation is noted as it is
// entered and left (runner/model/collective_note.h), its tensors are checked, and an error names
// the operation. With one rank there is nobody to talk to, and no backend either.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "workloads/dist/collectives.h"

namespace sweepd {

// `backend` may be null when world_size is 1. `note` may be empty. Throws as Collectives says.
std::unique_ptr<Collectives> make_checked_collectives(std::string_view backend_name, int rank,
                                                      int world_size,
                                                      std::unique_ptr<Collectives> backend,
                                                      std::function<void(std::string_view)> note);

}  // namespace sweepd
