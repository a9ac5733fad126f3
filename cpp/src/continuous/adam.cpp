#include "dagathlon/continuous/adam.hpp"

#include <cmath>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

struct Rates {
  double beta1, beta2, correction1, correction2;
};

DAGATHLON_WIDE_CLONES void update(const double* gradient, double* mean, double* square, double* direction,
                                  std::size_t size, Rates rates) {
  for (std::size_t k = 0; k < size; ++k) {
    mean[k] = mean[k] * rates.beta1 + (1.0 - rates.beta1) * gradient[k];
    square[k] = square[k] * rates.beta2 + (1.0 - rates.beta2) * gradient[k] * gradient[k];
    direction[k] = (mean[k] * rates.correction1) / (std::sqrt(square[k] * rates.correction2) + 1e-8);
  }
}

}  // namespace

const std::vector<double>& Adam::direction(std::span<const double> gradient) {
  power1_ *= beta1_;
  power2_ *= beta2_;
  update(gradient.data(), mean_.data(), square_.data(), direction_.data(), gradient.size(),
         {beta1_, beta2_, 1.0 / (1.0 - power1_), 1.0 / (1.0 - power2_)});
  return direction_;
}

}  // namespace dagathlon
