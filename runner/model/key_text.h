// A value as it stands in the text that a trial's key hashes. Databases hold these keys, so this
// never changes, whatever is later found to read better (`to_text`).
#pragma once

#include <string>

#include "runner/model/catalog.h"

namespace sweepd {

std::string key_text(const ParamDef& param, const Value& value);

}  // namespace sweepd
