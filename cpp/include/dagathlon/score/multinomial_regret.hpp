// Parametric complexity of multinomial models: the penalty of normalised maximum likelihood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dagathlon {

// log C(n, levels) (Kontkanen and Myllymäki 2007), exact up to 100 levels and by the approximation of
// Szpankowski and Weinberger (2012) above. Values are kept.
class MultinomialRegret {
 public:
  double operator()(std::size_t n, double levels);

 private:
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace dagathlon
