#include "dagathlon/graph/bridges.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

Bridges::Bridges(const AcyclicRows& dag)
    : dag_(dag), met_(dag.size(), 0), earliest_(dag.size(), 0), found_(dag.size()) {
  for (std::size_t i = 0; i < dag.size(); ++i)
    if (met_[i] == 0) search(i);
}

Bridges::Visit Bridges::visit(std::size_t node, std::size_t before) {
  met_[node] = earliest_[node] = ++time_;
  Visit result{node, before, {}};
  const auto add = [&](std::size_t other) {
    if (other != before) result.others.push_back(other);
  };
  for_each(dag_.parents(node), add);
  for_each(dag_.children(node), add);
  return result;
}

// With a stack of its own: paths may be long.
void Bridges::search(std::size_t root) {
  std::vector<Visit> path;
  path.push_back(visit(root, no_node));
  while (!path.empty()) {
    Visit& here = path.back();
    if (here.others.empty()) {
      const Visit done = std::move(here);
      path.pop_back();
      leave(done);
      continue;
    }
    const std::size_t next = here.others.back();
    here.others.pop_back();
    if (met_[next] == 0) path.push_back(visit(next, here.node));
    else earliest_[here.node] = std::min(earliest_[here.node], met_[next]);
  }
}

void Bridges::leave(const Visit& done) {
  if (done.before == no_node) return;
  earliest_[done.before] = std::min(earliest_[done.before], earliest_[done.node]);
  if (earliest_[done.node] <= met_[done.before]) return;
  found_.set(done.before, done.node);
  found_.set(done.node, done.before);
}

}  // namespace dagathlon
