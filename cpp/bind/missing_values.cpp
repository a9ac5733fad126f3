#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/test/degenerate_gaussian_test.hpp"
#include "dagathlon/test/discrete_test.hpp"
#include "dagathlon/data/imputation.hpp"
#include "dagathlon/data/missingness.hpp"
#include "dagathlon/test/mixed_test.hpp"
#include "dagathlon/test/pooled_test.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

using TestPointer = std::unique_ptr<IndependenceTest>;
using Causes = std::vector<NodeList>;

const std::map<std::string, Correction> corrections{{"density-ratio", Correction::density_ratio},
                                                    {"permutation", Correction::permutation}};

Missingness missingness(Causes causes, std::size_t columns, std::size_t rows) {
  if (causes.size() != columns) throw nb::value_error("one list of causes per variable");
  for (const NodeList& of_one : causes) check_nodes(of_one, columns);
  return {std::vector<BitSet>(columns, BitSet(rows)), std::move(causes), rows};
}

TestPointer corrected_gaussian_test(IndependenceTest& plain, const Columns<double>& values, Causes causes,
                                    const std::string& correction, double largest_correlation) {
  if (plain.size() != values.shape(1)) throw nb::value_error("two tests of different data");
  Missingness gaps = missingness(std::move(causes), values.shape(1), values.shape(0));
  const std::vector<ValueColumn> columns = value_columns(values);
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t row = 0; row < gaps.rows; ++row)
      if (std::isnan(columns[j][row])) gaps.missing[j].set(row);
  const GaussianOptions options{GaussianStatistic::fisher_z, largest_correlation};
  return std::make_unique<CorrectedGaussianTest>(plain, columns, std::move(gaps), chosen(corrections, correction),
                                                 options);
}

template <class Code>
TestPointer corrected_discrete_test(IndependenceTest& plain, const Columns<Code>& codes, NodeList arities,
                                    Causes causes, const std::string& correction) {
  if (plain.size() != codes.shape(1)) throw nb::value_error("two tests of different data");
  if (arities.size() != codes.shape(1)) throw nb::value_error("one number of levels per variable");
  Missingness gaps = missingness(std::move(causes), codes.shape(1), codes.shape(0));
  std::vector<std::vector<std::uint16_t>> columns(codes.shape(1), std::vector<std::uint16_t>(gaps.rows));
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t row = 0; row < gaps.rows; ++row) {
      const Code code = codes(row, j);
      if (code < arities[j]) columns[j][row] = code;
      else gaps.missing[j].set(row);
    }
  return std::make_unique<CorrectedDiscreteTest>(plain, std::move(columns), std::move(arities), std::move(gaps),
                                                 chosen(corrections, correction));
}

NodeList neighbours(IndependenceTest& test, std::size_t target, const NodeList& candidates, double alpha,
                    std::size_t max_order) {
  check_node(target, test.size());
  check_nodes(candidates, test.size());
  return direct_neighbours(test, target, candidates, alpha, max_order);
}

template <class Code>
ImputedColumn discrete_column(const Columns<Code>& codes, std::size_t j, std::size_t levels) {
  ImputedColumn column{true, levels, std::vector<double>(codes.shape(0)), {}, ImputationMethod::tree};
  for (std::size_t row = 0; row < codes.shape(0); ++row) {
    const Code code = codes(row, j);
    if (code < levels) column.values[row] = code;
    else column.gaps.push_back(row);
  }
  return column;
}

ImputedColumn continuous_column(const Columns<double>& values, std::size_t j) {
  ImputedColumn column{false, 0, std::vector<double>(values.shape(0)), {}, ImputationMethod::matching};
  for (std::size_t row = 0; row < values.shape(0); ++row) {
    column.values[row] = values(row, j);
    if (std::isnan(column.values[row])) column.gaps.push_back(row);
  }
  return column;
}

using Imputed = std::tuple<NumpyMatrix<std::uint16_t>, NumpyMatrix<double>>;

struct Imputation {
  std::size_t copies;
  std::size_t sweeps;
  std::uint64_t seed;
  // For each variable how it is filled.
  std::vector<std::string> methods;
};

const std::map<std::string, ImputationMethod> imputation_methods{
    {"pmm", ImputationMethod::matching},        {"norm", ImputationMethod::normal},
    {"cart", ImputationMethod::tree},           {"rf", ImputationMethod::forest},
    {"polyreg", ImputationMethod::multinomial}, {"polr", ImputationMethod::ordinal}};

// Completed copies one below the other: codes, then values.
template <class Code>
Imputed imputed(const Columns<Code>& codes, const NodeList& arities, const Columns<double>& values,
                const std::vector<bool>& is_discrete, const Imputation& how) {
  const std::size_t copies = how.copies;
  const std::size_t rows = codes.shape(0);
  const std::size_t n_codes = codes.shape(1);
  const std::size_t n_values = values.shape(1);
  if (values.shape(0) != rows || is_discrete.size() != n_codes + n_values || arities.size() != n_codes ||
      how.methods.size() != is_discrete.size())
    throw nb::value_error("one column and one method per variable, all with the same number of rows");
  std::vector<ImputedColumn> start;
  std::size_t next[] = {0, 0};
  for (const bool discrete : is_discrete) {
    const std::size_t j = next[discrete ? 1 : 0]++;
    if (j >= (discrete ? n_codes : n_values)) throw nb::value_error("one column per variable");
    start.push_back(discrete ? discrete_column(codes, j, arities[j]) : continuous_column(values, j));
    start.back().method = chosen(imputation_methods, how.methods[start.size() - 1]);
    if (start.back().gaps.size() == rows) throw nb::value_error("a variable without any value");
  }
  std::vector<std::uint16_t> all_codes(copies * rows * n_codes);
  std::vector<double> all_values(copies * rows * n_values);
  {
    const nb::gil_scoped_release release;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      std::vector<ImputedColumn> columns = start;
      Stream random(how.seed, copy);
      impute(columns, how.sweeps, random);
      std::size_t place[] = {0, 0};
      for (const ImputedColumn& column : columns) {
        const std::size_t j = place[column.discrete ? 1 : 0]++;
        for (std::size_t row = 0; row < rows; ++row) {
          if (column.discrete)
            all_codes[(copy * rows + row) * n_codes + j] = static_cast<std::uint16_t>(column.values[row]);
          else all_values[(copy * rows + row) * n_values + j] = column.values[row];
        }
      }
    }
  }
  return {to_numpy(std::move(all_codes), copies * rows, n_codes),
          to_numpy(std::move(all_values), copies * rows, n_values)};
}

void check_copies(std::size_t rows, std::size_t copies) {
  if (copies == 0 || rows % copies != 0) throw nb::value_error("copies of equal length");
}

std::vector<ValueColumn> part(std::vector<ValueColumn> columns, std::size_t first) {
  for (ValueColumn& column : columns) column.values += static_cast<std::ptrdiff_t>(first) * column.row_stride;
  return columns;
}

DiscreteData part(const Columns<std::uint16_t>& codes, const NodeList& arities, std::size_t first, std::size_t rows,
                  bool merge_rows) {
  std::vector<CodeColumn<std::uint16_t>> columns(codes.shape(1));
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = {codes.data() + static_cast<std::ptrdiff_t>(j) * codes.stride(1) +
                      static_cast<std::ptrdiff_t>(first) * codes.stride(0),
                  codes.stride(0)};
  return DiscreteData(std::span<const CodeColumn<std::uint16_t>>(columns), rows, arities, merge_rows);
}

TestPointer pooled_gaussian_test(const Columns<double>& values, std::size_t copies, double largest_correlation) {
  check_copies(values.shape(0), copies);
  const std::size_t rows = values.shape(0) / copies;
  const GaussianOptions options{GaussianStatistic::fisher_z, largest_correlation};
  std::vector<TestPointer> each;
  for (std::size_t copy = 0; copy < copies; ++copy)
    each.push_back(std::make_unique<GaussianTest>(part(value_columns(values), copy * rows), rows, options));
  return std::make_unique<PooledFisherTest>(std::move(each));
}

TestPointer pooled_discrete_test(const Columns<std::uint16_t>& codes, const NodeList& arities, std::size_t copies) {
  check_copies(codes.shape(0), copies);
  const std::size_t rows = codes.shape(0) / copies;
  const auto test = [&](std::size_t first, std::size_t n) {
    return std::make_unique<DiscreteTest>(part(codes, arities, first, n, true), DiscreteOptions{});
  };
  std::vector<TestPointer> each;
  for (std::size_t copy = 0; copy < copies; ++copy) each.push_back(test(copy * rows, rows));
  return std::make_unique<PooledLikelihoodTest>(std::move(each), test(0, codes.shape(0)));
}

TestPointer pooled_mixed_test(const Columns<std::uint16_t>& codes, const NodeList& arities,
                              const Columns<double>& values, const std::vector<bool>& is_discrete, std::size_t copies) {
  check_copies(codes.shape(0), copies);
  std::vector<MixedVariable> variables;
  std::size_t next[] = {0, 0};
  for (const bool discrete : is_discrete) variables.push_back({discrete, next[discrete ? 1 : 0]++});
  if (next[1] != codes.shape(1) || next[0] != values.shape(1) || codes.shape(0) != values.shape(0))
    throw nb::value_error("one column per variable, all with the same number of rows");
  const std::size_t rows = codes.shape(0) / copies;
  const auto test = [&](std::size_t first, std::size_t n) {
    return std::make_unique<MixedTest>(part(codes, arities, first, n, false), part(value_columns(values), first), n,
                                       variables);
  };
  std::vector<TestPointer> each;
  for (std::size_t copy = 0; copy < copies; ++copy) each.push_back(test(copy * rows, rows));
  return std::make_unique<PooledLikelihoodTest>(std::move(each), test(0, codes.shape(0)));
}

TestPointer pooled_degenerate_test(const Columns<double>& values, const NodeList& starts, std::size_t copies) {
  check_copies(values.shape(0), copies);
  if (starts.empty() || !std::ranges::is_sorted(starts) || starts.back() > values.shape(1))
    throw nb::value_error("starts of the variables: ascending, at most the number of columns");
  const std::size_t rows = values.shape(0) / copies;
  const auto test = [&](std::size_t first, std::size_t n) {
    return std::make_unique<DegenerateGaussianTest>(part(value_columns(values), first), n, starts, RatioScale::rows);
  };
  std::vector<TestPointer> each;
  for (std::size_t copy = 0; copy < copies; ++copy) each.push_back(test(copy * rows, rows));
  return std::make_unique<PooledLikelihoodTest>(std::move(each), test(0, values.shape(0)));
}

template <class Code>
void bind_coded(nb::module_& m) {
  m.def("corrected_discrete_test", &corrected_discrete_test<Code>, nb::arg("plain"), nb::arg("codes"),
        nb::arg("arities"), nb::arg("causes"), nb::arg("correction"), nb::keep_alive<0, 1>(), ReleaseGil());
  m.def("impute", &imputed<Code>, nb::arg("codes"), nb::arg("arities"), nb::arg("values"), nb::arg("is_discrete"),
        nb::arg("how"), "Completed copies of the data one below the other: codes, and values.");
}

}  // namespace

static void bind_missing_values(nb::module_& m) {
  nb::class_<Imputation>(m, "Imputation",
                         "How many completed copies, passes over the columns for each, and how each column is filled.")
      .def("__init__", from_fields<Imputation, std::size_t, std::size_t, std::uint64_t, std::vector<std::string>>(),
           nb::kw_only(), nb::arg("copies"), nb::arg("sweeps"), nb::arg("seed"), nb::arg("methods"));
  bind_coded<std::uint8_t>(m);
  bind_coded<std::uint16_t>(m);
  m.def("corrected_gaussian_test", &corrected_gaussian_test, nb::arg("plain"), nb::arg("values"), nb::arg("causes"),
        nb::arg("correction"), nb::arg("largest_correlation"), nb::keep_alive<0, 1>(), ReleaseGil());
  m.def("direct_neighbours", &neighbours, nb::arg("test"), nb::arg("target"), nb::arg("candidates"), nb::arg("alpha"),
        nb::arg("max_order"), ReleaseGil());
  m.def("pooled_gaussian_test", &pooled_gaussian_test, nb::arg("values"), nb::arg("copies"),
        nb::arg("largest_correlation"), ReleaseGil());
  m.def("pooled_discrete_test", &pooled_discrete_test, nb::arg("codes"), nb::arg("arities"), nb::arg("copies"),
        ReleaseGil());
  m.def("f_tail", &f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"), "The probability that Fisher's F is larger.");
  m.def("pooled_mixed_test", &pooled_mixed_test, nb::arg("codes"), nb::arg("arities"), nb::arg("values"),
        nb::arg("is_discrete"), nb::arg("copies"), ReleaseGil());
  m.def("pooled_degenerate_test", &pooled_degenerate_test, nb::arg("values"), nb::arg("starts"), nb::arg("copies"),
        ReleaseGil());
}

static const Part missing_values_part("missing_values", bind_missing_values);

}  // namespace dagathlon
