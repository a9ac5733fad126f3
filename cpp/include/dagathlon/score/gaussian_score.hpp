// Scores of linear models with Gaussian noise, from second moments alone.
//
// Singular data have a value everywhere. A parent that is a linear function of the other parents adds
// nothing but its penalty. A child that is a linear function of its parents keeps `collinear_share` of
// its variance, so that its score stays finite. A constant column has variance 1 by convention: it
// gains nothing from parents. With no degree of freedom left (parents + 1 >= rows) a penalised
// likelihood is minus infinity; the marginal likelihoods `bge` and `nig` are proper for any data.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// Moments for each child: children whose rows are the same share them.
struct ChildMoments {
  std::vector<Moments> distinct;
  std::vector<std::size_t> of_child;
};

// A log likelihood less a penalty for each of the k parents and for the rest of the parameters:
// rows · log of the residual variance, as the three packages in the field have it.
struct PenalisedLikelihood {
  // bnlearn: the unbiased residual variance RSS/(n-k-1); k counts intercept and variance too.
  // pcalg: the residual variance RSS/n, without the constant log 2π; k counts the variance too.
  // Tetrad: twice the likelihood with the residual variance RSS/(n-1); k counts parents only.
  enum class Convention { unbiased, maximum, doubled };
  Convention convention;
  // Penalty of one parameter.
  double penalty;
};

std::unique_ptr<Score> gaussian_score(ChildMoments moments, PenalisedLikelihood kind);

// The BGe score (Geiger and Heckerman 2002; Kuipers, Moffa and Heckerman 2014): prior sample sizes of
// the mean (alpha_mu > 0) and of the Wishart distribution (alpha_w > p + 1, p being the number of
// nodes); the prior mean is the sample mean.
std::unique_ptr<Score> bge_score(ChildMoments moments, double alpha_mu, double alpha_w);

// A node is a sum of its parents without an intercept, plus noise: σ² ~ inverse gamma(shape, rate), and the
// coefficients are independent N(0, σ²/precision). All three are positive.
struct NormalInverseGamma {
  double shape;
  double rate;
  double precision;
};

// The marginal likelihood under that prior, with a variance of its own for each node.
std::unique_ptr<Score> nig_score(ChildMoments moments, const NormalInverseGamma& prior);

// The fractional marginal likelihood of a node given its neighbours (Leppä-aho, Pensar, Roos and Corander
// 2017): a prior made of one row's share of the data, with nothing to choose. Minus infinity from rows - 1
// neighbours on.
std::unique_ptr<Score> fractional_score(ChildMoments moments);

}  // namespace dagathlon
