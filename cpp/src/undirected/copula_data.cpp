#include "dagathlon/undirected/copula_data.hpp"

#include <cmath>

namespace dagathlon {

CopulaData::CopulaData(CopulaLatents latents)
    : latents_(std::move(latents)), precision_(latents_.size()), scale_(latents_.size()), sum_(latents_.size()) {
  note(latents_.scatter());
}

std::span<const double> CopulaData::renewed(const SquareMatrix& precision, Stream& random) {
  latents_.update(precision, random);
  return latents_.scatter();
}

void CopulaData::renew(GaussianGraph& graph, bool in_warmup, Stream& random) {
  const std::span<const double> scatter = renewed(graph.precision(), random);
  graph.replace(scatter, rows());
  if (in_warmup) note(scatter);
}

void CopulaData::note(std::span<const double> scatter) {
  const std::size_t p = sum_.size();
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) {
      const double squares = scatter[i * p + i] * scatter[j * p + j];
      sum_(i, j) += squares > 0 ? scatter[i * p + j] / std::sqrt(squares) : 0.0;
    }
  ++noted_;
}

const SquareMatrix& CopulaData::precision(const GaussianGraph& graph) {
  const SquareMatrix& covariance = graph.covariance();
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (std::size_t j = 0; j < graph.size(); ++j)
      precision_(i, j) = graph.precision()(i, j) * std::sqrt(covariance(i, i) * covariance(j, j));
  return precision_;
}

const SquareMatrix& CopulaData::scale(const GaussianGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (std::size_t j = 0; j < graph.size(); ++j)
      scale_(i, j) = rows() * sum_(i, j) / noted_ + (i == j ? graph.prior().scale : 0.0);
  return scale_;
}

}  // namespace dagathlon
