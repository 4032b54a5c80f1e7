// The text of a value in the hashed text of a trial's key. Databases store these keys, so this text
// never changes, even if another form would read better (`to_text`).
#pragma once

#include <string>

#include "runner/model/catalog.h"

namespace sweepd {

// Whether the key of a trial with this value has the parameter.
inline bool is_in_key(const ParamDef& param, const Value& value) {
  return param.role == ParamRole::kIdentity &&
         (param.always_in_key || value != param.default_value);
}

std::string key_text(const ParamDef& param, const Value& value);

}  // namespace sweepd
