#include "dagathlon/search/connected_search.hpp"

#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/graph/dag.hpp"
#include "dagathlon/data/discrepancy.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

SearchResult searched(BoundScore& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t escapes) {
  if (start.size() != score.size()) throw nb::value_error("graph and data of different size");
  if (!is_dag(start)) throw nb::value_error("a search over DAGs starts at a DAG");
  if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
  return score.with_plain([&](Score& s) { return connected_search(s, limits, start, escapes); });
}

// The data and what is computed from them.
class BoundDiscrepancies {
 public:
  explicit BoundDiscrepancies(DiscreteData data) : data_(std::move(data)), found_(data_) {
    for (std::size_t j = 0; j < data_.size(); ++j)
      if (data_.has_missing(j)) throw nb::value_error("discrepancies take no missing values");
  }
  BoundDiscrepancies(const BoundDiscrepancies&) = delete;
  BoundDiscrepancies& operator=(const BoundDiscrepancies&) = delete;

  std::size_t size() const { return data_.size(); }
  std::vector<double> pairs() { return found_.pairs(); }
  double given(std::size_t a, std::size_t b, std::size_t c) {
    check_nodes({a, b, c}, size());
    if (a == b || a == c || b == c) throw nb::value_error("three different columns");
    return found_.given(a, b, c);
  }

 private:
  DiscreteData data_;
  Discrepancies found_;
};

template <class Code>
void init(BoundDiscrepancies* self, const Columns<Code>& codes, NodeList arities) {
  new (self) BoundDiscrepancies(discrete_data(codes, std::move(arities)));
}

}  // namespace

static void bind_connected_search(nb::module_& m) {
  m.def("connected_search", &searched, nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("escapes"),
        ReleaseGil());
  nb::class_<BoundDiscrepancies>(m, "Discrepancies", "How far discrete columns move each other's distributions.")
      .def("__init__", &init<std::uint8_t>, nb::arg("codes"), nb::arg("arities"))
      .def("__init__", &init<std::uint16_t>, nb::arg("codes"), nb::arg("arities"))
      .def(
          "pairs",
          [](BoundDiscrepancies& self) {
            std::vector<double> found;
            {
              const nb::gil_scoped_release release;
              found = self.pairs();
            }
            return to_numpy(std::move(found), self.size(), self.size());
          },
          "For all pairs of columns, symmetric.")
      .def("given", &BoundDiscrepancies::given, nb::arg("a"), nb::arg("b"), nb::arg("c"), ReleaseGil(),
           "Of a and b, averaged over the levels of c.");
}

static const Part connected_search_part("connected_search", bind_connected_search);

}  // namespace dagathlon
