#include "runner/daemon/handlers/find_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/base/text.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {
namespace {

// Returns the only profile of a sweep (of the latest, if no name is given). If there are several,
// the error lists them.
Result<AttemptRow> profile_of_sweep(Reader& reader, const std::string& who) {
  const auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  const auto attempts = reader.attempts_of_sweep(sweep->id, 0);
  if (!attempts) return attempts.error();
  std::vector<AttemptRow> profiles;
  for (const AttemptRow& attempt : *attempts) {
    const bool done = attempt.pass == Pass::kProfile && attempt.outcome() == Outcome::kDone;
    if (done) profiles.push_back(attempt);
  }
  if (profiles.size() == 1) return profiles.front();
  if (profiles.empty()) {
    return Error{ErrorCode::kNotFound, "no profile pass of sweep `" + sweep->name +
                                           "` is done; ask for one with `passes: [profile]`"};
  }
  constexpr std::size_t kListed = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(profiles.size(), kListed); ++i) {
    list += fmt::format("\n  {}  {}", short_id(profiles[i].id), profiles[i].label);
  }
  if (profiles.size() > kListed) list += fmt::format("\n  {} more", profiles.size() - kListed);
  return Error{ErrorCode::kInvalidArgument, fmt::format("sweep `{}` has {} profiles; name one:{}",
                                                        sweep->name, profiles.size(), list)};
}

}  // namespace

Result<AttemptRow> find_profile(Reader& reader, const std::string& who) {
  if (who.empty()) return profile_of_sweep(reader, who);
  auto attempt = reader.find_attempt(who);
  if (attempt) return attempt;
  auto of_sweep = profile_of_sweep(reader, who);
  const bool is_sweep = of_sweep || reader.find_sweep(who);
  return is_sweep ? of_sweep : attempt;
}

}  // namespace sweepd
