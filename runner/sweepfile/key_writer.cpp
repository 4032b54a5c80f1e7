#include "runner/sweepfile/key_writer.h"

#include <algorithm>
#include <numeric>

#include "runner/base/hash.h"
#include "runner/model/trial.h"

namespace sweepd::sweepfile {

KeyWriter::KeyWriter(const WorkloadDef& def)
    : def_(def),
      prefix_(def.name + "/" + std::to_string(def.version)),
      rank_(def.params.size()),
      parts_(def.params.size()) {
  std::vector<std::size_t> order(def.params.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // key_of sorts `name=value`. No name contains `=`, so the order is that of the names with `=`
  // appended (`a1=` is before `a=`, though `a` is before `a1`).
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return def.params[a].name + "=" < def.params[b].name + "=";
  });
  for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
}

std::string KeyWriter::part_of(std::size_t param, const Value& value) const {
  const ParamDef& def = def_.params[param];
  if (!is_in_key(def, value)) return "";
  return "|" + def.name + "=" + key_text(def, value);
}

void KeyWriter::set_all(const Trial& trial) {
  for (std::size_t i = 0; i < trial.values.size(); ++i) set(i, part_of(i, trial.values[i]));
}

TrialKey KeyWriter::key() {
  text_ = prefix_;
  for (const std::string& part : parts_) text_ += part;
  return hash128(text_);
}

}  // namespace sweepd::sweepfile
