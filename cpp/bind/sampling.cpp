#include "dagathlon/data/sampling.hpp"

#include <algorithm>
#include <limits>

#include "bind.hpp"

namespace dagathlon {

namespace {

template <class T>
using ColumnMatrix = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

constexpr std::size_t max_cells = std::numeric_limits<std::uint32_t>::max();

// A sampler that refuses nodes its loops could not index.
class CheckedSampler {
 public:
  CheckedSampler(NodeList levels, std::size_t continuous)
      : levels_(std::move(levels)), discrete_added_(levels_.size()), continuous_added_(continuous) {
    for (const std::size_t count : levels_)
      if (count == 0 || count > std::numeric_limits<std::uint16_t>::max())
        throw nb::value_error("a discrete node has 1 to 65535 levels");
  }

  void add_discrete(std::uint64_t stream, std::size_t column, NodeList parents, Matrix<const double> probabilities) {
    check_new(column, discrete_added_);
    check_added(parents, discrete_added_);
    const std::size_t levels = levels_[column];
    if (probabilities.shape(1) != levels) throw nb::value_error("a row of probabilities has one cell per level");
    TableAddress address = table_address(parents, probabilities.shape(0), levels);
    sampler_.add(DiscreteNode{stream, column, std::move(address), levels,
                              thresholds({probabilities.data(), probabilities.size()}, levels)});
    discrete_added_[column] = true;
  }

  void add_gaussian(std::uint64_t stream, std::size_t column, NodeList discrete, NodeList continuous,
                    Matrix<const double> parameters) {
    check_new(column, continuous_added_);
    check_added(discrete, discrete_added_);
    check_added(continuous, continuous_added_);
    if (parameters.shape(1) != continuous.size() + 2)
      throw nb::value_error("a row of parameters is intercept, one coefficient per parent, sd");
    TableAddress address = table_address(discrete, parameters.shape(0), parameters.shape(1));
    sampler_.add(GaussianNode{stream, column, std::move(address), std::move(continuous),
                              std::vector<double>(parameters.data(), parameters.data() + parameters.size())});
    continuous_added_[column] = true;
  }

  // Fills matrices that Python made: the data set decides about their layout and alignment.
  template <class Code>
  void sample(std::uint64_t seed, ColumnMatrix<Code> codes, ColumnMatrix<double> values) const {
    const std::size_t rows = codes.shape(0);
    if (values.shape(0) != rows || codes.shape(1) != levels_.size() || values.shape(1) != continuous_added_.size())
      throw nb::value_error("one column per node of each kind, all with the same number of rows");
    if (std::ranges::count(discrete_added_, false) + std::ranges::count(continuous_added_, false) > 0)
      throw nb::value_error("every column needs a node");
    for (const std::size_t count : levels_)
      if (count - 1 > std::numeric_limits<Code>::max()) throw nb::value_error("too many levels for this code type");
    sampler_.sample<Code>(seed, {codes.data(), rows}, {values.data(), rows});
  }

 private:
  static void check_new(std::size_t column, const std::vector<bool>& added) {
    check_node(column, added.size());
    if (added[column]) throw nb::value_error("this column has a node already");
  }

  static void check_added(const NodeList& parents, const std::vector<bool>& added) {
    check_nodes(parents, added.size());
    for (const std::size_t parent : parents)
      if (!added[parent]) throw nb::value_error("parents are added before their children");
  }

  // Strides of the parents, the last one varying fastest; the table must have one row per combination.
  TableAddress table_address(const NodeList& parents, std::size_t rows, std::size_t width) const {
    std::vector<std::size_t> strides(parents.size());
    std::size_t combinations = 1;
    for (std::size_t k = parents.size(); k-- > 0;) {
      strides[k] = combinations;
      combinations *= levels_[parents[k]];
      if (combinations > max_cells) throw nb::value_error("too many parent configurations");
    }
    if (rows != combinations) throw nb::value_error("a table has one row per combination of its parents' levels");
    if (rows > max_cells / width) throw nb::value_error("table too large");
    return {parents, std::move(strides)};
  }

  NetworkSampler sampler_;
  std::vector<std::size_t> levels_;
  std::vector<bool> discrete_added_;
  std::vector<bool> continuous_added_;
};

}  // namespace

static void bind_sampling(nb::module_& m) {
  nb::class_<CheckedSampler>(m, "NetworkSampler",
                             "Samples a network; nodes are columns, counted per kind and added parents first.")
      .def(nb::init<NodeList, std::size_t>(), nb::arg("levels"), nb::arg("continuous"))
      .def("add_discrete", &CheckedSampler::add_discrete, nb::arg("stream"), nb::arg("column"), nb::arg("parents"),
           nb::arg("probabilities"))
      .def("add_gaussian", &CheckedSampler::add_gaussian, nb::arg("stream"), nb::arg("column"),
           nb::arg("discrete_parents"), nb::arg("continuous_parents"), nb::arg("parameters"))
      .def("sample", &CheckedSampler::sample<std::uint8_t>, nb::arg("seed"), nb::arg("codes").noconvert(),
           nb::arg("values").noconvert(), ReleaseGil())
      .def("sample", &CheckedSampler::sample<std::uint16_t>, nb::arg("seed"), nb::arg("codes").noconvert(),
           nb::arg("values").noconvert(), ReleaseGil());
}

static const Part sampling_part("sampling", bind_sampling);

}  // namespace dagathlon
