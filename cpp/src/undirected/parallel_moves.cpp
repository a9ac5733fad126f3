#include "dagathlon/undirected/parallel_moves.hpp"

#include <utility>

#include "dagathlon/undirected/christmas_tree_particles.hpp"
#include "dagathlon/undirected/decomposable_chain.hpp"

namespace dagathlon {

UndirectedLog parallel_moves(const DecomposableTarget& target, std::size_t randomise_every, ChainLength length,
                             Stream random) {
  const std::size_t n = target.size();
  UndirectedLog log(n, length.saved() + 1, UndirectedLog::Means::yes);
  const InformedKernel kernel(target);
  TreeGrowth growth(target, kernel);
  CountedTree state = growth.empty(random);
  const auto step = [&](std::size_t done, UndirectedLog& chain) {
    if (n < 2) return;
    if (randomise_every > 0 && done % randomise_every == 0) randomise(state.tree, random);
    if (growth.move(state, random.below(n), random)) chain.become(graph_of(state.tree));
  };
  return run_undirected(std::move(log), length, step, [&] { return settled(growth.log_posterior(state.tree)); });
}

}  // namespace dagathlon
