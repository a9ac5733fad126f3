// Tail probabilities of test statistics, with relative accuracy as far out as a double reaches.
#pragma once

namespace dagathlon {

// P(Z > z or Z < -z) for a standard normal Z.
double normal_two_sided(double z);

// P(X > x) for chi-square with df > 0 degrees of freedom, not necessarily a whole number.
double chi_square_tail(double x, double df);

// The x with P(X > x) = p, for 0 < p < 1; to about twelve digits.
double chi_square_critical(double p, double df);

// P(|R| > |r|) for the correlation of independent normal variables with df > 0 degrees of freedom:
// Student's t test of r.
double correlation_two_sided(double r, double df);

// P(F > f) for Fisher's F with df1, df2 > 0 degrees of freedom.
double f_tail(double f, double df1, double df2);

// The non-negative z, and r, whose two-sided probability is p.
double normal_critical(double p);
double correlation_critical(double p, double df);

}  // namespace dagathlon
