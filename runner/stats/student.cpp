#include "runner/stats/student.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace sweepd::stats {
namespace {

// In `double` throughout: `long double`, the default, takes six times as long for digits that a
// statistic does not have.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double student_width(double confidence, double degrees) {
  assert(confidence > 0 && confidence < 1 && degrees >= 1);
  const Student t(degrees);
  return boost::math::quantile(boost::math::complement(t, (1 - confidence) / 2));
}

double student_p(double t, double degrees) {
  assert(degrees >= 1);
  const Student distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  return boost::math::quantile(boost::math::normal_distribution<double>(), p);
}

}  // namespace sweepd::stats
