// The latent data of a Gaussian copula as chains over Gaussian graphical models use them.
//
// The scale of a latent column means nothing: it wanders with the precision matrix. What chains tell of the
// precision matrix is therefore that of latent columns of variance 1, and graphs are scored on one scatter
// matrix in the whole run, the mean of the warm-up's in the same units.
#pragma once

#include <cstddef>
#include <utility>

#include "dagathlon/data/copula.hpp"
#include "dagathlon/undirected/gaussian_graph.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

class CopulaData {
 public:
  explicit CopulaData(CopulaLatents latents);

  double rows() const { return static_cast<double>(latents_.rows()); }
  std::span<const double> scatter() { return latents_.scatter(); }

  // Draws the latents given a precision matrix; their scatter matrix.
  std::span<const double> renewed(const SquareMatrix& precision, Stream& random);
  // After a sweep: draws the latents and gives them to the graph.
  void renew(GaussianGraph& graph, bool in_warmup, Stream& random);
  // With columns of variance 1.
  const SquareMatrix& precision(const GaussianGraph& graph);
  // The scale of the posterior on which graphs are scored.
  const SquareMatrix& scale(const GaussianGraph& graph);

 private:
  void note(std::span<const double> scatter);

  CopulaLatents latents_;
  SquareMatrix precision_, scale_;
  // Sum of scatter matrices that were scaled to correlations, and their number.
  SquareMatrix sum_;
  double noted_ = 0;
};

}  // namespace dagathlon
