#include "dagathlon/sampling.hpp"

#include <limits>
#include <nanobind/stl/pair.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

template <class T>
using NumpyColumns = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::f_contig>;

constexpr std::size_t max_cells = std::numeric_limits<std::uint32_t>::max();

// A sampler that refuses nodes its loops could not index.
class CheckedSampler {
 public:
  void add_discrete(std::uint64_t stream, NodeList parents, Matrix<const double> probabilities) {
    const std::size_t levels = probabilities.shape(1);
    if (levels == 0 || levels > std::numeric_limits<std::uint16_t>::max())
      throw nb::value_error("a discrete node has 1 to 65535 levels");
    TableAddress address = table_address(parents, probabilities.shape(0), levels);
    sampler_.add(DiscreteNode{stream, levels_.size(), std::move(address), levels,
                              thresholds({probabilities.data(), probabilities.size()}, levels)});
    levels_.push_back(levels);
  }

  void add_gaussian(std::uint64_t stream, NodeList discrete, NodeList continuous, Matrix<const double> parameters) {
    check_nodes(continuous, sampler_.gaussian_count());
    if (parameters.shape(1) != continuous.size() + 2)
      throw nb::value_error("a row of parameters is intercept, one coefficient per parent, sd");
    TableAddress address = table_address(discrete, parameters.shape(0), parameters.shape(1));
    sampler_.add(GaussianNode{stream, sampler_.gaussian_count(), std::move(address), std::move(continuous),
                              std::vector<double>(parameters.data(), parameters.data() + parameters.size())});
  }

  template <class Code>
  std::pair<NumpyColumns<Code>, NumpyColumns<double>> sample(std::size_t rows, std::uint64_t seed) const {
    for (const std::size_t levels : levels_)
      if (levels - 1 > std::numeric_limits<Code>::max()) throw nb::value_error("too many levels for this code type");
    std::vector<Code> codes(rows * levels_.size());
    std::vector<double> values(rows * sampler_.gaussian_count());
    {
      nb::gil_scoped_release released;
      sampler_.sample<Code>(seed, {codes.data(), rows}, {values.data(), rows});
    }
    return {columns(std::move(codes), rows, levels_.size()),
            columns(std::move(values), rows, sampler_.gaussian_count())};
  }

 private:
  // Strides of the parents, the last one varying fastest; the table must have one row per combination.
  TableAddress table_address(const NodeList& parents, std::size_t rows, std::size_t width) const {
    check_nodes(parents, levels_.size());
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

  template <class T>
  static NumpyColumns<T> columns(std::vector<T>&& values, std::size_t rows, std::size_t count) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return NumpyColumns<T>(data, {rows, count}, owner, {1, static_cast<std::int64_t>(rows)});
  }

  NetworkSampler sampler_;
  std::vector<std::size_t> levels_;
};

}  // namespace

void bind_sampling(nb::module_& m) {
  nb::class_<CheckedSampler>(m, "NetworkSampler",
                             "Samples a network; nodes are added parents first and numbered per kind.")
      .def(nb::init<>())
      .def("add_discrete", &CheckedSampler::add_discrete, nb::arg("stream"), nb::arg("parents"),
           nb::arg("probabilities"))
      .def("add_gaussian", &CheckedSampler::add_gaussian, nb::arg("stream"), nb::arg("discrete_parents"),
           nb::arg("continuous_parents"), nb::arg("parameters"))
      .def("sample_bytes", &CheckedSampler::sample<std::uint8_t>, nb::arg("rows"), nb::arg("seed"))
      .def("sample_words", &CheckedSampler::sample<std::uint16_t>, nb::arg("rows"), nb::arg("seed"));
}

}  // namespace dagathlon
