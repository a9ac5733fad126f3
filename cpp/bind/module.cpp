#include "bind.hpp"

namespace dagathlon {

void check_node(std::size_t node, std::size_t n) {
  if (node >= n) throw nb::index_error("node index out of range");
}

void check_nodes(const NodeList& nodes, std::size_t n) {
  for (const std::size_t node : nodes) check_node(node, n);
}

BitSet to_set(const NodeList& nodes, std::size_t n) {
  check_nodes(nodes, n);
  BitSet result(n);
  for (const std::size_t node : nodes) result.set(node);
  return result;
}

NodeList to_list(ConstRow row) {
  NodeList result;
  for_each(row, [&](std::size_t i) { result.push_back(i); });
  return result;
}

BitMatrix to_bits(const Matrix<const bool>& pairs, std::size_t n) {
  if (pairs.shape(0) != n || pairs.shape(1) != n) throw nb::value_error("one row and column per variable");
  BitMatrix result(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && pairs(i, j)) result.set(i, j);
  return result;
}

}  // namespace dagathlon

NB_MODULE(_core, m) {
  // Graphs that live as long as the interpreter (in a notebook, in a cache) are no leak, but would be
  // reported as one at its end; tests/graphs/test_memory.py watches for real ones.
  nanobind::set_leak_warnings(false);
  m.doc() = "Native kernels of Dagathlon; nodes are row numbers here, names live in Python.";
  dagathlon::bind_marked_graph(m);
  dagathlon::bind_dag(m);
  dagathlon::bind_equivalence(m);
  dagathlon::bind_chordal(m);
  dagathlon::bind_distance(m);
  dagathlon::bind_separation(m);
  dagathlon::bind_sparsest_permutation(m);
  dagathlon::bind_ancestral(m);
  dagathlon::bind_random(m);
  dagathlon::bind_sampling(m);
  dagathlon::bind_orientation(m);
  dagathlon::bind_noise(m);
  dagathlon::bind_completion(m);
  dagathlon::bind_linear_sem(m);
  dagathlon::bind_random_graphs(m);
  dagathlon::bind_independence(m);
  dagathlon::bind_pc(m);
  dagathlon::bind_score(m);
  dagathlon::bind_hill_climbing(m);
  dagathlon::bind_equivalence_search(m);
  dagathlon::bind_order_search(m);
  dagathlon::bind_local_structure(m);
  dagathlon::bind_fci(m);
  dagathlon::bind_samplers(m);
  dagathlon::bind_bayesian_test(m);
  dagathlon::bind_missing_values(m);
  dagathlon::bind_notears(m);
  dagathlon::bind_parent_sets(m);
  dagathlon::bind_dag_posterior(m);
  dagathlon::bind_adam(m);
  dagathlon::bind_lingam(m);
  dagathlon::bind_packed_graphs(m);
  dagathlon::bind_pulse(m);
}
