#include "score.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "dagathlon/score/arc_prior.hpp"
#include "dagathlon/score/degenerate_gaussian_score.hpp"
#include "dagathlon/score/discrete_score.hpp"
#include "dagathlon/score/gaussian_score.hpp"
#include "dagathlon/score/kernel_score.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/score/mixed_score.hpp"

namespace dagathlon {

namespace {

using Bound = std::shared_ptr<BoundScore>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using Vector = std::vector<double>;

Bound bound(std::shared_ptr<Score> score) { return std::make_shared<BoundScore>(std::move(score)); }

void check_parts(std::size_t parts, const NodeList& of_child) {
  for (const std::size_t part : of_child)
    if (part >= parts) throw nb::index_error("a child's part of the rows is out of range");
}

std::vector<ValueColumn> columns_of(const Table<double>& values) {
  std::vector<ValueColumn> columns;
  for (std::size_t j = 0; j < values.shape(1); ++j)
    columns.push_back({values.data() + static_cast<std::ptrdiff_t>(j) * values.stride(1), values.stride(0)});
  return columns;
}

ChildMoments child_moments(const std::vector<Table<double>>& parts, NodeList of_child, std::size_t columns) {
  check_parts(parts.size(), of_child);
  ChildMoments result{{}, std::move(of_child)};
  for (const Table<double>& values : parts) {
    if (values.shape(1) != columns) throw nb::value_error("one column for each child, or as many as starts say");
    result.distinct.push_back(moments(columns_of(values), values.shape(0)));
  }
  return result;
}

template <class Code>
DiscreteData discrete_data(const Table<Code>& codes, const NodeList& arities) {
  std::vector<CodeColumn<Code>> columns;
  for (std::size_t j = 0; j < codes.shape(1); ++j)
    columns.push_back({codes.data() + static_cast<std::ptrdiff_t>(j) * codes.stride(1), codes.stride(0)});
  DiscreteData result(std::span<const CodeColumn<Code>>(columns), codes.shape(0), arities, true,
                      std::make_shared<const Table<Code>>(codes));
  for (std::size_t j = 0; j < result.size(); ++j)
    if (result.has_missing(j)) throw nb::value_error("scores take no missing values");
  return result;
}

template <class Code>
ChildCounts child_counts(const std::vector<Table<Code>>& parts, const NodeList& arities, NodeList of_child) {
  check_parts(parts.size(), of_child);
  if (arities.size() != of_child.size()) throw nb::value_error("one arity for each child");
  ChildCounts result{{}, std::move(of_child)};
  for (const Table<Code>& codes : parts)
    result.distinct.push_back(std::make_unique<const DiscreteData>(discrete_data(codes, arities)));
  return result;
}

template <class Code>
MixedData mixed_data(const Table<Code>& codes, const NodeList& arities, const Table<double>& values,
                     std::vector<bool> is_discrete) {
  std::size_t n_discrete = 0;
  NodeList place;
  for (const bool discrete : is_discrete) {
    place.push_back(discrete ? n_discrete : place.size() - n_discrete);
    n_discrete += discrete;
  }
  if (n_discrete != codes.shape(1) || place.size() - n_discrete != values.shape(1) || codes.shape(0) != values.shape(0))
    throw nb::value_error("codes, values and kinds of columns do not fit together");
  std::vector<std::vector<std::uint16_t>> copies(n_discrete, std::vector<std::uint16_t>(codes.shape(0)));
  for (std::size_t j = 0; j < n_discrete; ++j)
    for (std::size_t i = 0; i < codes.shape(0); ++i) copies[j][i] = codes(i, j);
  return {std::move(is_discrete), std::move(place),   discrete_data(codes, arities),
          std::move(copies),      columns_of(values), codes.shape(0)};
}

template <class Code>
void bind_discrete(nb::module_& m) {
  using Parts = std::vector<Table<Code>>;
  m.def(
      "discrete_likelihood",
      [](const Parts& parts, const NodeList& arities, NodeList of_child, double penalty) {
        return bound(discrete_likelihood(child_counts(parts, arities, std::move(of_child)), penalty));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"), nb::arg("penalty"));
  m.def(
      "smoothed_bic",
      [](const Parts& parts, const NodeList& arities, NodeList of_child) {
        return bound(smoothed_bic(child_counts(parts, arities, std::move(of_child))));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"));
  m.def(
      "dirichlet_score",
      [](const Parts& parts, const NodeList& arities, NodeList of_child, Pseudocount kind, double size) {
        if (!(size > 0)) throw nb::value_error("an imaginary sample size is positive");
        return bound(dirichlet_score(child_counts(parts, arities, std::move(of_child)), kind, size));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"), nb::arg("kind"), nb::arg("size"));
  m.def(
      "normalised_likelihood",
      [](const Parts& parts, const NodeList& arities, NodeList of_child, NormalisedLikelihood kind) {
        return bound(normalised_likelihood(child_counts(parts, arities, std::move(of_child)), kind));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"), nb::arg("kind"));
  m.def(
      "mixed_likelihood",
      [](const Table<Code>& codes, const NodeList& arities, const Table<double>& values,
         const std::vector<bool>& is_discrete,
         double penalty) { return bound(mixed_likelihood(mixed_data(codes, arities, values, is_discrete), penalty)); },
      nb::arg("codes"), nb::arg("arities"), nb::arg("values"), nb::arg("is_discrete"), nb::arg("penalty"));
}

void bind_gaussian(nb::module_& m) {
  using Parts = std::vector<Table<double>>;
  m.def(
      "gaussian_likelihood",
      [](const Parts& parts, NodeList of_child, PenalisedLikelihood::Convention convention, double penalty) {
        const std::size_t n = of_child.size();
        return bound(gaussian_score(child_moments(parts, std::move(of_child), n), {convention, penalty}));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("convention"), nb::arg("penalty"));
  m.def(
      "bge_score",
      [](const Parts& parts, NodeList of_child, double alpha_mu, double alpha_w) {
        if (!(alpha_mu > 0) || !(alpha_w > static_cast<double>(of_child.size()) + 1))
          throw nb::value_error("bge needs alpha_mu > 0 and alpha_w > number of columns + 1");
        const std::size_t n = of_child.size();
        return bound(bge_score(child_moments(parts, std::move(of_child), n), alpha_mu, alpha_w));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("alpha_mu"), nb::arg("alpha_w"));
  m.def(
      "nig_score",
      [](const Parts& parts, NodeList of_child, double shape, double rate, double precision) {
        if (!(shape > 0) || !(rate > 0) || !(precision > 0)) throw nb::value_error("nig needs three positive numbers");
        const std::size_t n = of_child.size();
        return bound(nig_score(child_moments(parts, std::move(of_child), n), {shape, rate, precision}));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("shape"), nb::arg("rate"), nb::arg("precision"));
  m.def(
      "fractional_score",
      [](const Parts& parts, NodeList of_child) {
        const std::size_t n = of_child.size();
        return bound(fractional_score(child_moments(parts, std::move(of_child), n)));
      },
      nb::arg("parts"), nb::arg("of_child"));
  m.def(
      "kernel_score",
      [](const Table<double>& values, const std::vector<bool>& is_discrete, double ridge) {
        if (is_discrete.size() != values.shape(1)) throw nb::value_error("one kind for each column");
        if (!(ridge > 0)) throw nb::value_error("a ridge is positive");
        std::vector<KernelColumn> columns;
        for (std::size_t j = 0; j < values.shape(1); ++j) {
          KernelColumn column{std::vector<double>(values.shape(0)), is_discrete[j]};
          for (std::size_t i = 0; i < values.shape(0); ++i) column.values[i] = values(i, j);
          columns.push_back(std::move(column));
        }
        return bound(kernel_score(std::move(columns), ridge));
      },
      nb::arg("values"), nb::arg("is_discrete"), nb::arg("ridge"));
  m.def(
      "degenerate_gaussian_score",
      [](const Parts& parts, NodeList of_child, const NodeList& starts, double penalty) {
        if (starts.size() != of_child.size() + 1 || starts[0] != 0 || !std::ranges::is_sorted(starts))
          throw nb::value_error("starts of the columns increase from 0, one more than there are children");
        return bound(
            degenerate_gaussian_score(child_moments(parts, std::move(of_child), starts.back()), starts, penalty));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("starts"), nb::arg("penalty"));
}

// Parents as scores take them: in increasing order, each once, not the child.
NodeList family_parents(std::size_t child, NodeList parents, std::size_t n) {
  check_node(child, n);
  check_nodes(parents, n);
  std::ranges::sort(parents);
  if (std::ranges::adjacent_find(parents) != parents.end() || std::ranges::binary_search(parents, child))
    throw nb::value_error("parents are distinct nodes other than the child");
  return parents;
}

double local(BoundScore& score, std::size_t child, NodeList parents) {
  const NodeList sorted = family_parents(child, std::move(parents), score.size());
  return score.with([&](Score& s) { return s.local(child, sorted); });
}

Vector batch(BoundScore& score, std::vector<std::pair<std::size_t, NodeList>> families) {
  for (auto& [child, parents] : families) parents = family_parents(child, std::move(parents), score.size());
  return score.with([&](Score& s) {
    Vector result;
    for (const auto& [child, parents] : families) result.push_back(s.local(child, parents));
    return result;
  });
}

Vector additions(BoundScore& score, std::size_t child, NodeList parents) {
  const NodeList sorted = family_parents(child, std::move(parents), score.size());
  Vector result(score.size(), std::nan(""));
  score.with([&](Score& s) { s.additions(child, sorted, result); });
  return result;
}

Vector terms(BoundScore& score, const MarkedGraph& graph) {
  if (graph.size() != score.size()) throw nb::value_error("graph and data of different size");
  return score.with([&](Score& s) {
    Vector result;
    for (std::size_t i = 0; i < s.size(); ++i) result.push_back(s.local(i, to_list(graph.parents(i))));
    return result;
  });
}

// The score of no data, to which a prior over graphs can be added.
class FlatScore final : public Score {
 public:
  explicit FlatScore(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  double local(std::size_t, Nodes) override { return 0; }

 private:
  std::size_t size_;
};

// The terms of arcs, from row to column, as a prior keeps them.
Vector kept_arcs(const Matrix<const double>& arcs) {
  const std::size_t n = arcs.shape(0);
  const double* values = arcs.data();
  if (std::all_of(values, values + n * n, [&](double value) { return value == values[0]; })) return {values[0]};
  Vector result(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) result[to * n + from] = values[from * n + to];
  return result;
}

Bound with_prior(const BoundScore& score, const Matrix<const double>& arcs, Vector nodes, Vector sizes) {
  const std::size_t n = score.size();
  const std::size_t rows = arcs.size() == 1 ? 1 : n;
  if (n == 0 || arcs.shape(0) != rows || arcs.shape(1) != rows || nodes.size() != n || sizes.size() != n)
    throw nb::value_error("one term for all arcs or each, and one for each node and each number of parents");
  ArcPrior prior{kept_arcs(arcs), std::move(nodes), std::move(sizes)};
  return bound(std::make_shared<ScoreWithPrior>(score.plain(), std::move(prior)));
}

}  // namespace

static void bind_score(nb::module_& m) {
  nb::enum_<PenalisedLikelihood::Convention>(m, "LikelihoodConvention")
      .value("unbiased", PenalisedLikelihood::Convention::unbiased)
      .value("maximum", PenalisedLikelihood::Convention::maximum)
      .value("doubled", PenalisedLikelihood::Convention::doubled);
  nb::enum_<Pseudocount>(m, "Pseudocount")
      .value("uniform", Pseudocount::uniform)
      .value("observed", Pseudocount::observed)
      .value("cell", Pseudocount::cell);
  nb::enum_<NormalisedLikelihood>(m, "NormalisedLikelihood")
      .value("factorised", NormalisedLikelihood::factorised)
      .value("quotient", NormalisedLikelihood::quotient);
  nb::class_<BoundScore>(m, "Score", "A decomposable score of one data set; larger is better.")
      .def("__len__", &BoundScore::size)
      .def("local", &local, nb::arg("child"), nb::arg("parents"), ReleaseGil())
      .def("batch", &batch, nb::arg("families"), ReleaseGil())
      .def("additions", &additions, nb::arg("child"), nb::arg("parents"), ReleaseGil())
      .def("terms", &terms, nb::arg("graph"), ReleaseGil())
      .def("with_prior", &with_prior, nb::arg("arcs"), nb::arg("nodes"), nb::arg("sizes"));
  m.def("flat_score", [](std::size_t nodes) { return bound(std::make_shared<FlatScore>(nodes)); }, nb::arg("nodes"));
  bind_gaussian(m);
  bind_discrete<std::uint8_t>(m);
  bind_discrete<std::uint16_t>(m);
}

static const Part score_part("score", bind_score, Part::Rank::early);

}  // namespace dagathlon
