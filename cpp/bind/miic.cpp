#include "dagathlon/constraint/miic.hpp"

#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "columns.hpp"
#include "knowledge.hpp"

namespace dagathlon {

namespace {

const std::map<std::string, Complexity> complexities{
    {"nml", Complexity::normalised_likelihood}, {"mdl", Complexity::description_length}, {"none", Complexity::none}};
const std::map<std::string, TripleOrder> orders{{"colliders-first", TripleOrder::colliders_first},
                                                {"by-information", TripleOrder::by_information},
                                                {"by-probability", TripleOrder::by_probability}};

template <class Code>
void init(CorrectedInformation* self, const Columns<Code>& codes, NodeList arities, const std::string& complexity) {
  DiscreteData data = discrete_data(codes, std::move(arities));
  for (std::size_t j = 0; j < data.size(); ++j)
    if (data.has_missing(j)) throw nb::value_error("corrected information takes no missing values");
  new (self) CorrectedInformation(std::move(data), chosen(complexities, complexity));
}

double asked(CorrectedInformation& self, std::size_t x, std::size_t y, const NodeList& given) {
  check_nodes({x, y}, self.size());
  check_nodes(given, self.size());
  return self(x, y, given);
}

std::vector<Explained> explained(CorrectedInformation& information, const KnownEdges& known, bool neighbours_only) {
  const std::size_t p = information.size();
  MiicSearch search;
  search.neighbours_only = neighbours_only;
  if (!known.empty()) {
    if (known.forbidden.size() != p) throw nb::value_error("data and knowledge of different size");
    search.fixed_gaps = BitMatrix(p);
    search.fixed_edges = known.required;
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b)
        if (known.forbidden.test(a, b) && known.forbidden.test(b, a)) search.fixed_gaps.set(a, b);
  }
  return explained_pairs(information, search);
}

void check_pairs(const std::vector<Explained>& pairs, std::size_t p) {
  for (const Explained& pair : pairs) {
    check_nodes({pair.x, pair.y}, p);
    check_nodes(pair.contributors, p);
  }
}

MiicGraph directed(CorrectedInformation& information, const std::vector<Explained>& pairs, const KnownEdges& known,
                   const std::string& order, bool latent, bool whole) {
  check_pairs(pairs, information.size());
  if (!known.empty() && known.forbidden.size() != information.size())
    throw nb::value_error("data and knowledge of different size");
  return directed_by_information(information, pairs,
                                 {chosen(orders, order), latent, whole, known.forbidden, known.required});
}

}  // namespace

static void bind_miic(nb::module_& m) {
  nb::class_<CorrectedInformation>(m, "CorrectedInformation",
                                   "n times conditional mutual information, less its complexity, in nats.")
      .def("__init__", &init<std::uint8_t>, nb::arg("codes"), nb::arg("arities"), nb::arg("complexity"))
      .def("__init__", &init<std::uint16_t>, nb::arg("codes"), nb::arg("arities"), nb::arg("complexity"))
      .def_prop_ro("evaluations", &CorrectedInformation::evaluations)
      .def("__call__", &asked, nb::arg("x"), nb::arg("y"), nb::arg("given"), ReleaseGil());
  nb::class_<Explained>(m, "Explained", "A pair of columns and those that take information off it.")
      .def(nb::init<std::size_t, std::size_t, NodeList, double, bool>(), nb::arg("x"), nb::arg("y"),
           nb::arg("contributors"), nb::arg("information"), nb::arg("edge"))
      .def_ro("x", &Explained::x)
      .def_ro("y", &Explained::y)
      .def_ro("contributors", &Explained::contributors)
      .def_ro("information", &Explained::information)
      .def_ro("edge", &Explained::edge);
  nb::class_<MiicGraph>(m, "MiicGraph", "Edges directed by the information of triples.")
      .def_ro("graph", &MiicGraph::graph)
      .def_ro("latent", &MiicGraph::latent)
      .def_prop_ro("heads", [](const MiicGraph& self) { return copied(self.heads, self.graph.size()); });
  m.def("explained_pairs", &explained, nb::arg("information"), nb::arg("known"), nb::arg("neighbours_only"),
        ReleaseGil());
  m.def("directed_by_information", &directed, nb::arg("information"), nb::arg("pairs"), nb::arg("known"),
        nb::arg("order"), nb::arg("latent"), nb::arg("whole"), ReleaseGil());
}

static const Part miic_part("miic", bind_miic);

}  // namespace dagathlon
