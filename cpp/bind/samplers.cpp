#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <stdexcept>

#include "bind.hpp"
#include "chain_options.hpp"
#include "dagathlon/score/candidate_parents.hpp"
#include "dagathlon/mcmc/order_chain.hpp"
#include "dagathlon/graph/linear_extensions.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/mcmc/parent_table.hpp"
#include "dagathlon/mcmc/partition_chain.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/mcmc/structure_chain.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Pairs = Matrix<const bool>;

// All tables of a search space, which a chain only reads.
class BoundTables {
 public:
  BoundTables(double power, Summary summary) : power_(power), summary_(summary) {}

  Summary summary() const { return summary_; }
  double power() const { return power_; }
  const ParentTables& tables() const { return tables_; }

  // Makes the tables of nodes whose space has changed.
  void fill(BoundScore& score, const std::vector<NodeSpace>& spaces) {
    score.with([&](Score& s) {
      ParentTables tables;
      for (std::size_t child = 0; child < spaces.size(); ++child) {
        pulse::progress(child, spaces.size());
        if (tables_.size() == spaces.size() && same(tables_[child].space(), spaces[child]))
          tables.push_back(std::move(tables_[child]));
        else tables.emplace_back(s, child, spaces[child], power_, summary_);
      }
      tables_ = std::move(tables);
    });
  }

 private:
  static bool same(const NodeSpace& a, const NodeSpace& b) {
    return a.candidates == b.candidates && a.extras == b.extras && a.required == b.required &&
           a.max_parents == b.max_parents && a.free == b.free;
  }

  double power_;
  Summary summary_;
  ParentTables tables_;
};

NodeSpace space_of(std::size_t child, const BitMatrix& candidates, const BitMatrix& extras, const BitMatrix& required,
                   std::size_t max_parents) {
  NodeSpace space;
  for (std::size_t x = 0; x < candidates.size(); ++x) {
    if (required.test(x, child)) space.required.push_back(x);
    if (required.test(x, child) || candidates.test(x, child)) space.candidates.push_back(x);
    else if (extras.test(x, child)) space.extras.push_back(x);
  }
  space.max_parents = max_parents;
  if (space.candidates.size() > ParentTable::max_candidates) throw nb::value_error("too many candidate parents");
  return space;
}

void fill(BoundTables& tables, BoundScore& score, const Pairs& candidates, const Pairs& extras, const Pairs& required,
          std::size_t max_parents, std::size_t free) {
  const std::size_t n = score.size();
  const BitMatrix in_space = to_bits(candidates, n), outside = to_bits(extras, n), always = to_bits(required, n);
  std::vector<NodeSpace> spaces;
  for (std::size_t child = 0; child < n; ++child) {
    spaces.push_back(space_of(child, in_space, outside, always, max_parents));
    spaces.back().free = free;
  }
  const nb::gil_scoped_release unlocked;
  tables.fill(score, spaces);
}

// Candidate parents of every node, from row to column.
NumpyMatrix<bool> choose_candidates(BoundScore& score, const Pairs& forbidden, const Pairs& required,
                                    std::size_t count) {
  const std::size_t n = score.size();
  const BitMatrix never = to_bits(forbidden, n), always = to_bits(required, n);
  auto chosen = std::make_unique<bool[]>(n * n);
  {
    const nb::gil_scoped_release unlocked;
    score.with_plain([&](Score& s) {
      for (std::size_t child = 0; child < n; ++child) {
        pulse::progress(child, n);
        NodeList possible, needed;
        for (std::size_t x = 0; x < n; ++x) {
          if (always.test(x, child)) needed.push_back(x);
          if (x != child && !never.test(x, child)) possible.push_back(x);
        }
        for (const std::size_t x : candidate_parents(s, child, possible, needed, count)) chosen[x * n + child] = true;
      }
    });
  }
  bool* data = chosen.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  return NumpyMatrix<bool>(data, {n, n}, owner);
}

NodeList checked_order(NodeList order, std::size_t n) {
  NodeList sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] != k) throw nb::value_error("an order has each node once");
  if (order.size() != n) throw nb::value_error("an order has each node once");
  return order;
}

OrderChain sample_orders(const BoundTables& tables, NodeList start, const ChainOptions& options, const Heating& heating,
                         bool each_dag_once) {
  const ChainLength length = options.length();
  NodeList order = checked_order(std::move(start), tables.tables().size());
  const nb::gil_scoped_release unlocked;
  const OrderOptions how{tables.summary(), heating, options.coldness, each_dag_once};
  return order_chain(tables.tables(), std::move(order), how, length, options.random());
}

// Starts at a DAG drawn from an order, which is in the tables for sure.
ChainLog sample_partitions(const BoundTables& tables, NodeList start, const ChainOptions& options, std::size_t turns,
                           bool leaps) {
  if (tables.summary() != Summary::sum) throw nb::value_error("partitions are sampled with tables of sums");
  const ChainLength length = options.length();
  NodeList order = checked_order(std::move(start), tables.tables().size());
  const nb::gil_scoped_release unlocked;
  Stream random = options.random();
  const BitMatrix dag = OrderState(tables.tables(), std::move(order)).choose(random).parents;
  return partition_chain(tables.tables(), dag, {options.coldness, turns, leaps}, length, random);
}

ChainLog sample_structures(BoundScore& score, const SearchLimits& limits, const MarkedGraph& start,
                           const BoundTables& tables, double reversals, const ChainOptions& options) {
  const ChainLength length = options.length();
  if (limits.forbidden.size() != score.size() || start.size() != score.size())
    throw nb::value_error("limits, start and data of different size");
  if (reversals > 0 && tables.tables().size() != score.size()) throw nb::value_error("tables of other data");
  const StructureOptions how{tables.power(), options.coldness, reversals, &tables.tables()};
  const nb::gil_scoped_release unlocked;
  return score.with([&](Score& s) { return structure_chain(s, limits, start, how, length, options.random()); });
}

NumpyMatrix<double> edge_means(const ChainLog& log) {
  const std::size_t stretches = log.edges().ends().size();
  const std::vector<double>& means = log.edges().means();
  return to_numpy(std::vector<double>(means), stretches, stretches ? means.size() / stretches : 0);
}

double log_linear_extensions(const MarkedGraph& dag) {
  if (dag.size() > LinearExtensions::max_nodes) throw nb::value_error("orders of at most 64 nodes are counted");
  return LinearExtensions().log_count(dag.parent_rows());
}

}  // namespace

static void bind_samplers(nb::module_& m) {
  nb::enum_<Summary>(m, "Summary").value("sum", Summary::sum).value("best", Summary::best);
  m.attr("MAX_CANDIDATES") = ParentTable::max_candidates;
  nb::class_<BoundTables>(m, "ParentTables", "Weights of all parent sets of a search space.")
      .def(nb::init<double, Summary>(), nb::arg("power"), nb::arg("summary"))
      .def("fill", &fill, nb::arg("score"), nb::arg("candidates"), nb::arg("extras"), nb::arg("required"),
           nb::arg("max_parents"), nb::arg("free") = 0);
  nb::class_<ChainLog>(m, "ChainLog", "A chain of DAGs as the changes from one saved state to the next.")
      .def("__len__", &ChainLog::length, "The number of saved states, those like the state before too.")
      .def_prop_ro(
          "index", [](const ChainLog& log) { return copied(log.index(), 1); }, nb::rv_policy::move)
      .def_prop_ro(
          "score", [](const ChainLog& log) { return copied(log.score(), 1); }, nb::rv_policy::move)
      .def_prop_ro(
          "added", [](const ChainLog& log) { return copied(log.added(), 2); }, nb::rv_policy::move)
      .def_prop_ro(
          "removed", [](const ChainLog& log) { return copied(log.removed(), 2); }, nb::rv_policy::move)
      .def_prop_ro(
          "added_starts", [](const ChainLog& log) { return copied(log.added_starts(), 1); }, nb::rv_policy::move)
      .def_prop_ro(
          "removed_starts", [](const ChainLog& log) { return copied(log.removed_starts(), 1); }, nb::rv_policy::move)
      .def_prop_ro("edge_means", &edge_means, nb::rv_policy::move, "A row for each stretch of the chain.")
      .def_prop_ro(
          "edge_ends", [](const ChainLog& log) { return copied(log.edges().ends(), 1); }, nb::rv_policy::move)
      .def_prop_ro("swaps_proposed", [](const ChainLog& log) { return log.swaps.proposed; })
      .def_prop_ro("swaps_accepted", [](const ChainLog& log) { return log.swaps.accepted; });
  nb::class_<OrderChain>(m, "OrderChain").def_ro("log", &OrderChain::log).def_ro("best", &OrderChain::best);
  nb::class_<ChainOptions>(m, "ChainOptions",
                           "How long a chain runs, and on which of the seed's streams of random numbers.")
      .def("__init__",
           from_fields<ChainOptions, std::size_t, std::size_t, std::uint64_t, std::uint64_t, std::size_t, std::size_t,
                       std::vector<double>>(),
           nb::kw_only(), nb::arg("iterations"), nb::arg("stepsave"), nb::arg("seed"), nb::arg("stream"),
           nb::arg("warmup") = 0, nb::arg("look") = 0, nb::arg("coldness") = std::vector<double>{1.0});
  nb::class_<Heating>(m, "Heating", "Cycles of annealing, and the heated share of each.")
      .def("__init__", from_fields<Heating, std::size_t, double>(), nb::kw_only(), nb::arg("cycles"), nb::arg("share"));
  m.def("candidate_parents", &choose_candidates, nb::arg("score"), nb::arg("forbidden"), nb::arg("required"),
        nb::arg("count"), "So many candidate parents of each node, chosen by the score.");
  nb::exception<TooManyOrders>(m, "TooManyOrders");
  m.attr("MAX_COUNTED") = LinearExtensions::max_nodes;
  m.def("log_linear_extensions", &log_linear_extensions, nb::arg("dag"), ReleaseGil(),
        "The logarithm of the number of orders that agree with a DAG; NaN where counting would take too long.");
  m.def("order_chain", &sample_orders, nb::arg("tables"), nb::arg("start"), nb::arg("options"), nb::arg("heating"),
        nb::arg("each_dag_once") = false);
  m.def("partition_chain", &sample_partitions, nb::arg("tables"), nb::arg("start"), nb::arg("options"),
        nb::arg("turns") = 1, nb::arg("leaps") = false);
  m.def("structure_chain", &sample_structures, nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("tables"),
        nb::arg("reversals"), nb::arg("options"));
}

static const Part samplers_part("samplers", bind_samplers);

}  // namespace dagathlon
