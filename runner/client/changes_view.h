// What changed since a sweep was measured before, as `plan` and `submit` say it.
#pragma once

#include <string>

#include "runner/wire/messages/changes.h"

namespace sweepd {

// Returns "24 again, because the driver changed (550.54 → 570.1) after 2026-11-20 10:05 UTC".
std::string changes_text(const rpc::ChangesMessage& changes);

}  // namespace sweepd
