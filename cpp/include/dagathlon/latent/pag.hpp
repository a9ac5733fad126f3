// Partial ancestral graphs: what all Markov-equivalent maximal ancestral graphs have in common.
#pragma once

#include <optional>

#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// The PAG of a maximal ancestral graph: a mark where all equivalent graphs agree, else a circle.
MarkedGraph pag_of_mag(const MarkedGraph& mag);

// o-> and -o become ->, the edges o-o are directed without new unshielded colliders where that can be.
// Of a PAG this makes a maximal ancestral graph; of another graph it may make one without a meaning.
MarkedGraph directed_circles(const MarkedGraph& graph);

// A maximal ancestral graph of which this is the PAG, if it is the PAG of one.
std::optional<MarkedGraph> mag_of_pag(const MarkedGraph& graph);

bool is_pag(const MarkedGraph& graph);

}  // namespace dagathlon
