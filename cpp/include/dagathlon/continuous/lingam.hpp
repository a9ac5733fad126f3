// DirectLiNGAM: a causal order of linear non-Gaussian data, and weights along an order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

// The order by pairwise likelihood ratios (Hyvärinen and Smith 2013): again and again the variable
// that looks least like an effect of the others, which are then replaced by their residuals. Columns
// of `rows` values follow each other; none is constant. Equal variables are taken in the order of columns.
std::vector<std::size_t> pairwise_order(std::span<const double> columns, std::size_t rows);

// Weights of each variable on those before it in an order, by the adaptive lasso, its penalty chosen by BIC along the
// whole path: a matrix of p rows, from row to column. `scatter` has the products of all p variables.
std::vector<double> adaptive_lassos(std::span<const double> scatter, std::size_t p, std::span<const std::size_t> order,
                                    std::size_t rows);

}  // namespace dagathlon
