// The text of a value in what a trial's key hashes. Databases store these keys, so this text never
// changes, even if another form would read better (`to_text`).
#pragma once

#include <string>

#include "runner/model/catalog.h"

namespace sweepd {

std::string key_text(const ParamDef& param, const Value& value);

}  // namespace sweepd
