#include "runner/model/sweep/frontier.h"

#include <algorithm>
#include <compare>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// Nothing if the two cannot be compared.
std::partial_ordering compare(const ParamDef& def, const Value& a, const Value& b) {
  if (a == b) return std::partial_ordering::equivalent;
  if (def.type == ValueType::kChoice) {
    const auto place = [&](const Value& value) {
      return std::ranges::find(def.choices, std::get<std::string>(value)) - def.choices.begin();
    };
    return place(a) <=> place(b);
  }
  if (is_stand_in(def, a) || is_stand_in(def, b)) return std::partial_ordering::unordered;
  if (const auto* x = std::get_if<std::int64_t>(&a)) return *x <=> std::get<std::int64_t>(b);
  if (const auto* x = std::get_if<double>(&a)) return *x <=> std::get<double>(b);
  return std::partial_ordering::unordered;
}

}  // namespace

bool is_stand_in(const ParamDef& def, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number == 0 && def.minimum && *def.minimum == 0;
}

bool is_beyond(const WorkloadDef& def, const Trial& oom, const Trial& other) {
  bool larger = false;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (param.role == ParamRole::kScheduling) continue;
    if (!param.grows_memory) {
      if (oom.values[i] != other.values[i]) return false;
      continue;
    }
    const auto order = compare(param, other.values[i], oom.values[i]);
    if (!(order >= 0)) return false;
    larger = larger || order > 0;
  }
  return larger;
}

std::string limits_text(const WorkloadDef& def, const Trial& oom, const Trial& beyond) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (!param.grows_memory || oom.values[i] == beyond.values[i]) continue;
    words.push_back(param.name + "=" + param.text(oom.values[i]));
  }
  return join(words, " ");
}

std::optional<std::size_t> FrontierSearch::next() const {
  if (!fits_ && !too_large_) return start_;
  if (!too_large_) {
    if (*fits_ + 1 >= sizes_) return std::nullopt;
    return std::min(*fits_ + stride_, sizes_ - 1);
  }
  if (!fits_) {
    if (*too_large_ == 0) return std::nullopt;
    return *too_large_ - std::min(stride_, *too_large_);
  }
  if (*too_large_ - *fits_ <= 1) return std::nullopt;
  return *fits_ + (*too_large_ - *fits_) / 2;
}

void FrontierSearch::tell(bool fits) {
  const std::size_t tried = *next();
  if (tries_++ > 0) stride_ *= 2;  // the first step away is by one
  (fits ? fits_ : too_large_) = tried;
}

}  // namespace sweepd
