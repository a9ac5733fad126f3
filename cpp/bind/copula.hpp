// Latent data of a Gaussian copula as Python describes them.
#pragma once

#include <vector>

#include "bind.hpp"
#include "dagathlon/data/copula.hpp"

namespace dagathlon {

// Where chains begin; each has latents of its own.
struct CopulaStart {
  std::vector<CopulaLatents::Column> columns;

  CopulaLatents latents() const { return CopulaLatents(columns); }
};

}  // namespace dagathlon
