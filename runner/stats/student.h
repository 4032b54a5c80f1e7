// Student's t distribution, for any number of degrees of freedom from 1 on, whole or not (an
// approximate test after Satterthwaite has a fraction). From Boost.Math, whose headers take seconds
// to compile, so that only one file includes them.
#pragma once

namespace sweepd::stats {

// How many standard errors a two-sided interval reaches to each side: 1.96 for a confidence of 0.95
// and very many degrees of freedom, 12.7 for one. `confidence` is between 0 and 1, both excluded.
double student_width(double confidence, double degrees);

// The chance that |t| is at least this large if the true difference is 0 (two-sided p value).
double student_p(double t, double degrees);

// How many standard deviations of a normal distribution lie below the share `p`: 0.84 for 0.8.
double normal_quantile(double p);

}  // namespace sweepd::stats
