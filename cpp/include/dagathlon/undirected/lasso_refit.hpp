// Least squares regressions of each variable on its neighbours, which judge the graphs of a path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

struct RefitMoments {
  std::size_t size = 0;
  // Rows behind the correlations that are fitted to.
  std::size_t rows = 0;
  // Mean products of standardised columns, p rows of p: of the rows that are fitted to, and of those that
  // are asked about.
  std::span<const double> given, seen;
};

// Log-likelihood of a row under the regressions of each of several graphs, p rows of p each, up to a
// constant. A graph with as many neighbours as rows has likelihood 0. Neighbours that are combinations
// of those before them are left out.
std::vector<double> refit_likelihoods(const RefitMoments& moments, std::span<const bool> graphs);

}  // namespace dagathlon
