// Which results are a sweep's own: the attempts that ran for it, and those that it reused or joined
// (`sweep_attempt`). They remain its results when another sweep measures a point again.
//
// If such an attempt is not done, an older result answers for it: the newest that was done
// before the attempt ended, or the newest of all while it is open.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// Conditions and expressions of a statement. `attempt` and `own` are names of the table `attempt`
// in it, and `sweep` is an expression for the row of a sweep.

// Whether the sweep has the attempt, done or not.
std::string is_of_sweep(std::string_view attempt, std::string_view sweep);
// Done results of the same point and host that are older than the end of `own`, as a condition on
// `older`.
std::string is_older_result(std::string_view older, std::string_view own);
// Whether another attempt may count instead of `own`. If the current attempt of a point is not
// done, the point has no other result.
std::string has_another(std::string_view own);
// The row of the attempt that counts: an older result, or `own` itself.
std::string row_instead_of(std::string_view own);
// Whether the attempt counts for the sweep.
std::string counts_for_sweep(std::string_view attempt, std::string_view sweep);

}  // namespace sweepd
