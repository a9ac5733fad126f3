// Greedy equivalence search as Tetrad 6 does it: operators wait in one queue by their gain.
//
// An operator is scored when a node that it points to has changed. One that no longer fits the graph when its
// turn comes is dropped, and looked for again only if its head changes once more. So the search stops earlier
// than one that has all operators of each class at hand (search_classes).
#pragma once

#include "dagathlon/search/equivalence_search.hpp"

namespace dagathlon {

// Starts at the class of a DAG that has the required arcs and no forbidden ones. Pairs that show no dependence by
// themselves are joined only in a second run, and only beside a third node that is no collider between them.
ClassSearchResult search_by_queue(Score& score, const MarkedGraph& start, const ClassLimits& limits);

}  // namespace dagathlon
