#include "dagathlon/run/team.hpp"

#include "bind.hpp"

namespace dagathlon {

static void bind_team(nb::module_& m) {
  m.def("allowed_threads", &allowed_threads, "How many threads a computation of this thread may use.");
  m.def("allow_threads", &allow_threads, nb::arg("threads"), "Says so, and tells what it was before.");
}

static const Part team_part("team", bind_team);

}  // namespace dagathlon
