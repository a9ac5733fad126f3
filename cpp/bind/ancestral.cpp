#include "dagathlon/latent/ancestral.hpp"

#include <nanobind/stl/optional.h>

#include "bind.hpp"
#include "dagathlon/latent/pag.hpp"

namespace dagathlon {

namespace {

MarkedGraph projected(const MarkedGraph& graph, const NodeList& latent, const NodeList& selection) {
  const BitSet hidden = to_set(latent, graph.size());
  const BitSet selected = to_set(selection, graph.size());
  if (intersects(hidden, selected)) throw nb::value_error("a node is latent or selected, not both");
  const nb::gil_scoped_release release;
  if (!admits_separation(graph)) throw std::invalid_argument("separation is not defined here");
  return latent_projection(graph, hidden, selected);
}

MarkedGraph pag(const MarkedGraph& graph) {
  if (!is_mag(graph)) throw std::invalid_argument("not a maximal ancestral graph");
  return pag_of_mag(graph);
}

}  // namespace

static void bind_ancestral(nb::module_& m) {
  m.def("latent_projection", &projected, nb::arg("graph"), nb::arg("latent"), nb::arg("selection"));
  m.def("is_mag", &is_mag, nb::arg("graph"), ReleaseGil());
  m.def("is_pag", &is_pag, nb::arg("graph"), ReleaseGil());
  m.def("pag", &pag, nb::arg("graph"), ReleaseGil());
  m.def("directed_circles", &directed_circles, nb::arg("graph"), ReleaseGil());
  m.def("mag_of_pag", &mag_of_pag, nb::arg("graph"), ReleaseGil());
}

static const Part ancestral_part("ancestral", bind_ancestral);

}  // namespace dagathlon
