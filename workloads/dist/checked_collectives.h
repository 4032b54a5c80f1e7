// Wraps a backend with the parts that all backends share: each operation is noted when it is
// entered and left (runner/model/collective_note.h), its tensors are checked, and errors name the
// operation. With one rank there are no peers and no backend.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "workloads/torch/collectives.h"

namespace sweepd {

// `backend` may be null if world_size is 1. `note` may be empty. Throws as described in
// Collectives.
std::unique_ptr<Collectives> make_checked_collectives(std::string_view backend_name, int rank,
                                                      int world_size,
                                                      std::unique_ptr<Collectives> backend,
                                                      std::function<void(std::string_view)> note);

}  // namespace sweepd
