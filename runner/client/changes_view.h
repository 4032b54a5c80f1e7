// The text on changes since a sweep was last measured, for `plan` and `submit`.
#pragma once

#include <string>

#include "runner/model/changes.h"

namespace sweepd {

// Returns "24 again, because the driver changed (550.54 → 570.1) after 2026-11-20 10:05 UTC".
std::string changes_text(const Changes& changes);

}  // namespace sweepd
