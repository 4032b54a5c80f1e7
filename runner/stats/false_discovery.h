// Comparisons of many points at once. At a confidence of 95 %, one point in twenty that has not
// changed is called faster or slower; of 200 unchanged points, ten. Benjamini and Hochberg
// ("Controlling the false discovery rate", J. R. Statist. Soc. B 1995) raise the p values such that
// among the points called changed at most the share 1 - confidence is wrong on average. It holds
// for independent points, and for points whose errors move in the same direction (Benjamini and
// Yekutieli, Annals of Statistics 2001).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runner/stats/compare.h"

namespace sweepd::stats {

// The adjusted p values in the order of `p`: the smallest share of false discoveries at which the
// point still counts as changed. Between p and 1, equal for equal p, in the order of p. Where there
// is no p, or none between 0 and 1, there is no adjusted one either, and the point is not counted.
std::vector<std::optional<double>> adjust_p(std::span<const std::optional<double>> p);

// Sets `adjusted_p` of every comparison. A `faster` or `slower` whose adjusted p is above
// 1 - confidence becomes `unclear`, and `needed` then counts processes for an interval as strict as
// the adjusted p. `same` stays: it is no claim of a change. A comparison without p stays too: its
// values do not vary, so chance has no part in it. `options` are those of `compare`.
void control_false_discoveries(std::span<Comparison> comparisons,
                               const CompareOptions& options = {});

}  // namespace sweepd::stats
