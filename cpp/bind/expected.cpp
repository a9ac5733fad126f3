// Scores of data with missing values, from what is expected of them under a network.
#include <nanobind/stl/shared_ptr.h>

#include <limits>

#include "bind.hpp"
#include "dagathlon/data/expected_counts.hpp"
#include "dagathlon/score/expected_score.hpp"
#include "dagathlon/score/gaussian_score.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Data = std::shared_ptr<IncompleteData>;
using Counts = std::shared_ptr<ExpectedCounts>;
using Bound = std::shared_ptr<BoundScore>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class Code>
Data incomplete(const Table<Code>& codes, const NodeList& arities) {
  if (codes.shape(1) != arities.size()) throw nb::value_error("one arity for each column");
  auto data = std::make_shared<IncompleteData>();
  data->arities = arities;
  data->rows = codes.shape(0);
  for (std::size_t j = 0; j < arities.size(); ++j) {
    std::vector<std::uint16_t> column(data->rows);
    for (std::size_t i = 0; i < data->rows; ++i) {
      const Code code = codes(i, j);
      const bool missing = code == std::numeric_limits<Code>::max();
      if (!missing && code >= arities[j]) throw nb::value_error("a code is not below the number of levels");
      column[i] = missing ? IncompleteData::missing : static_cast<std::uint16_t>(code);
    }
    data->columns.push_back(std::move(column));
  }
  return data;
}

Counts expected(const Data& data, const std::vector<NodeList>& parents,
                const std::vector<std::vector<double>>& tables) {
  const std::size_t n = data->columns.size();
  if (parents.size() != n || tables.size() != n) throw nb::value_error("parents and a table for each column");
  std::vector<Conditional> network;
  for (std::size_t v = 0; v < n; ++v) {
    check_nodes(parents[v], n);
    std::size_t cells = data->arities[v];
    for (const std::size_t s : parents[v]) cells *= data->arities[s];
    if (tables[v].size() != cells) throw nb::value_error("a table has a cell for each combination of levels");
    network.push_back({parents[v], tables[v]});
  }
  return std::make_shared<ExpectedCounts>(data, network);
}

std::vector<double> counts(ExpectedCounts& expected, std::size_t child, const NodeList& parents) {
  const IncompleteData& data = expected.data();
  check_node(child, data.columns.size());
  check_nodes(parents, data.columns.size());
  std::size_t cells = data.arities[child];
  for (const std::size_t s : parents) cells *= data.arities[s];
  std::vector<double> result(cells, 0.0);
  expected.add_counts(child, parents, result);
  return result;
}

// A score builder hands over one part of the rows for all children.
template <class Part>
const Part& only(const std::vector<Part>& parts) {
  if (parts.size() != 1) throw nb::value_error("expected statistics are of all rows");
  return parts.front();
}

ChildMoments child_moments(const std::vector<Moments>& parts, NodeList of_child) {
  if (only(parts).means.size() != of_child.size()) throw nb::value_error("one column for each child");
  return {parts, std::move(of_child)};
}

Bound bound(std::shared_ptr<Score> score) { return std::make_shared<BoundScore>(std::move(score)); }

void bind_scores(nb::module_& m) {
  m.def(
      "discrete_likelihood",
      [](const std::vector<Counts>& parts, const NodeList&, const NodeList&, double penalty) {
        return bound(expected_likelihood(only(parts), penalty));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"), nb::arg("penalty"));
  m.def(
      "dirichlet_score",
      [](const std::vector<Counts>& parts, const NodeList&, const NodeList&, Pseudocount kind, double size) {
        if (!(size > 0)) throw nb::value_error("an imaginary sample size is positive");
        if (kind == Pseudocount::observed) throw nb::value_error("expected counts have no observed configurations");
        return bound(expected_dirichlet(only(parts), kind, size));
      },
      nb::arg("parts"), nb::arg("arities"), nb::arg("of_child"), nb::arg("kind"), nb::arg("size"));
  m.def(
      "gaussian_likelihood",
      [](const std::vector<Moments>& parts, NodeList of_child, PenalisedLikelihood::Convention convention,
         double penalty) {
        return bound(gaussian_score(child_moments(parts, std::move(of_child)), {convention, penalty}));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("convention"), nb::arg("penalty"));
  m.def(
      "bge_score",
      [](const std::vector<Moments>& parts, NodeList of_child, double alpha_mu, double alpha_w) {
        if (!(alpha_mu > 0) || !(alpha_w > static_cast<double>(of_child.size()) + 1))
          throw nb::value_error("bge needs alpha_mu > 0 and alpha_w > number of columns + 1");
        return bound(bge_score(child_moments(parts, std::move(of_child)), alpha_mu, alpha_w));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("alpha_mu"), nb::arg("alpha_w"));
  m.def(
      "nig_score",
      [](const std::vector<Moments>& parts, NodeList of_child, double shape, double rate, double precision) {
        if (!(shape > 0) || !(rate > 0) || !(precision > 0)) throw nb::value_error("nig needs three positive numbers");
        return bound(nig_score(child_moments(parts, std::move(of_child)), {shape, rate, precision}));
      },
      nb::arg("parts"), nb::arg("of_child"), nb::arg("shape"), nb::arg("rate"), nb::arg("precision"));
}

}  // namespace

static void bind_expected(nb::module_& m) {
  nb::class_<IncompleteData>(m, "IncompleteData", "Codes with missing values.");
  m.def("incomplete_data", &incomplete<std::uint8_t>, nb::arg("codes"), nb::arg("arities"));
  m.def("incomplete_data", &incomplete<std::uint16_t>, nb::arg("codes"), nb::arg("arities"));
  nb::class_<ExpectedCounts>(m, "ExpectedCounts", "Counts of families, expected under a network.")
      .def_prop_ro("log_likelihood", &ExpectedCounts::log_likelihood)
      .def("counts", &counts, nb::arg("child"), nb::arg("parents"), ReleaseGil());
  m.def("expected_counts", &expected, nb::arg("data"), nb::arg("parents"), nb::arg("tables"), ReleaseGil());
  bind_scores(m);
}

static const Part expected_part("expected", bind_expected);

}  // namespace dagathlon
