#include "dagathlon/mcmc/order_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "dagathlon/mcmc/chain_run.hpp"
#include "dagathlon/mcmc/coupled_chains.hpp"
#include "dagathlon/graph/linear_extensions.hpp"
#include "dagathlon/stats/log_weights.hpp"

namespace dagathlon {

namespace {

// One of the places, by their weights.
std::size_t draw_place(std::span<double> values, double coldness, Stream& random) {
  for (double& value : values) value *= coldness;
  LogSum total;
  for (const double value : values) total.add(value);
  LogDraw draw(total.value(), random.uniform(), std::numeric_limits<double>::infinity());
  for (std::size_t place = 0; place < values.size(); ++place) draw.offer(place, values[place]);
  return draw.chosen();
}

}  // namespace

double Heating::coldness(std::size_t step, std::size_t steps) const {
  constexpr double hottest = 0.1;
  const double at = static_cast<double>(cycles * step) / static_cast<double>(steps);
  const double position = at - std::floor(at);
  return position < share ? std::pow(hottest, 1 - position / share) : 1.0;
}

OrderState::OrderState(const ParentTables& tables, std::vector<std::size_t> order)
    : tables_(&tables), order_(std::move(order)), terms_(tables.size()) {
  for (const ParentTable& table : *tables_) allowed_.push_back(table.none());
  for (std::size_t place = 0; place < order_.size(); ++place) {
    allow_those_before(place);
    terms_[order_[place]] = term(order_[place]);
  }
}

double OrderState::value() const { return std::accumulate(terms_.begin(), terms_.end(), 0.0); }

void OrderState::allow_those_before(std::size_t place) {
  const std::size_t node = order_[place];
  AllowedParents& allowed = allowed_[node];
  (*tables_)[node].clear(allowed);
  for (std::size_t k = 0; k < place; ++k) (*tables_)[node].admit(allowed, order_[k]);
}

void OrderState::exchange(std::size_t a, std::size_t b) {
  const std::size_t x = order_[a], y = order_[b];
  for (std::size_t k = a + 1; k < b; ++k) {
    const std::size_t between = order_[k];
    (*tables_)[between].bar(allowed_[between], x);
    (*tables_)[between].admit(allowed_[between], y);
    (*tables_)[x].admit(allowed_[x], between);
    (*tables_)[y].bar(allowed_[y], between);
  }
  (*tables_)[x].admit(allowed_[x], y);
  (*tables_)[y].bar(allowed_[y], x);
  std::swap(order_[a], order_[b]);
}

bool OrderState::swap(std::size_t a, std::size_t b, double coldness, Stream& random) {
  exchange(a, b);
  kept_.clear();
  double gain = 0;
  for (std::size_t k = a; k <= b; ++k) {
    const std::size_t node = order_[k];
    kept_.push_back(terms_[node]);
    terms_[node] = term(node);
    gain += terms_[node] - kept_.back();
  }
  if (std::log(random.uniform()) < coldness * gain) return true;
  for (std::size_t k = a; k <= b; ++k) terms_[order_[k]] = kept_[k - a];
  exchange(a, b);
  return false;
}

void OrderState::terms_of_places(std::size_t node) {
  others_.clear();
  behind_.clear();
  before_.clear();
  bool passed = false;
  for (const std::size_t other : order_) {
    passed = passed || other == node;
    if (other == node) continue;
    const ParentTable& table = (*tables_)[other];
    double changed = terms_[other];
    if (table.knows(node)) {
      AllowedParents& allowed = allowed_[other];
      passed ? table.bar(allowed, node) : table.admit(allowed, node);
      changed = term(other);
      passed ? table.admit(allowed, node) : table.bar(allowed, node);
    }
    others_.push_back(other);
    behind_.push_back(passed ? changed : terms_[other]);
    before_.push_back(passed ? terms_[other] : changed);
  }
  const ParentTable& table = (*tables_)[node];
  AllowedParents& allowed = allowed_[node];
  table.clear(allowed);
  own_.assign(1, term(node));
  for (const std::size_t other : others_) {
    table.admit(allowed, other);
    own_.push_back(table.knows(other) ? term(node) : own_.back());
  }
}

void OrderState::relocate(std::size_t node, double coldness, Stream& random) {
  terms_of_places(node);
  values_.assign(own_.size(), 0.0);
  double sum = 0;
  for (std::size_t place = 0; place < own_.size(); ++place) {
    values_[place] = own_[place] + sum;
    if (place < others_.size()) sum += behind_[place];
  }
  sum = 0;
  for (std::size_t place = own_.size(); place-- > 0;) {
    values_[place] += sum;
    if (place > 0) sum += before_[place - 1];
  }
  put(node, draw_place(values_, coldness, random));
}

void OrderState::put(std::size_t node, std::size_t place) {
  for (std::size_t k = 0; k < others_.size(); ++k) {
    const std::size_t other = others_[k];
    k < place ? (*tables_)[other].bar(allowed_[other], node) : (*tables_)[other].admit(allowed_[other], node);
    terms_[other] = k < place ? behind_[k] : before_[k];
  }
  std::copy(others_.begin(), others_.end(), order_.begin());
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), node);
  order_.pop_back();
  allow_those_before(place);
  terms_[node] = own_[place];
}

ScoredDag OrderState::choose(Stream& random) const {
  ScoredDag result{BitMatrix(order_.size())};
  for (std::size_t node = 0; node < order_.size(); ++node) {
    const TabledSet set = (*tables_)[node].choose(allowed_[node], random);
    result.score += (*tables_)[node].score(set);
    for (const std::size_t parent : (*tables_)[node].parents(set)) result.parents.set(node, parent);
  }
  return result;
}

void OrderState::add_edges(double* matrix) const {
  for (std::size_t node = 0; node < order_.size(); ++node)
    (*tables_)[node].add_shares(allowed_[node], nullptr, 1.0, matrix + node, order_.size());
}

namespace {

// A step; whether it may have changed the order. Moves that look at many nodes are rarer the more
// there are, so that a step costs about the same for any number of nodes.
bool step(OrderState& state, double coldness, Stream& random) {
  const std::size_t n = state.order().size();
  if (n < 2) return false;
  const double far = std::min(1.0 / 3, 8.0 / static_cast<double>(n));
  const double kind = random.uniform();
  if (kind < far) {
    state.relocate(random.below(n), coldness, random);
    return true;
  }
  const std::size_t a = random.below(n - 1);
  if (kind >= 2 * far) return state.swap(a, a + 1, coldness, random);
  const std::size_t b = a + 1 + random.below(n - 1 - a);
  return state.swap(a, b, coldness, random);
}

// The best order of a stretch of a chain.
struct Best {
  double value = minus_infinity;
  std::vector<std::size_t> order;

  void consider(const OrderState& state) {
    const double found = state.value();
    if (!(found > value) && !order.empty()) return;
    value = found;
    order = state.order();
  }
};

// The DAG that stands for the order of the cold chain. Each order is as likely as the weights of all its
// DAGs together, so a DAG comes up once for each of its orders. Where each is to count once, the orders
// of a few steps with a DAG drawn from the last one are a proposal, which is taken by the ratio of
// the numbers of orders of the old DAG and of the new one; otherwise the orders go back.
class DagOfOrder {
 public:
  DagOfOrder(CoupledChains<OrderState>& chains, bool once, Stream& random) : chains_(chains), once_(once) {
    if (!once_) return;
    kept_ = std::make_unique<CoupledChains<OrderState>>(chains_);
    dag_ = chains_.cold().choose(random);
    orders_ = count_of(dag_);
  }

  void advance(Stream& random) {
    if (!once_ || ++steps_ % steps_per_proposal != 0) return;
    ScoredDag fresh = chains_.cold().choose(random);
    const double orders = count_of(fresh);
    if (std::log(random.uniform()) < orders_ - orders) {
      dag_ = std::move(fresh);
      orders_ = orders;
      kept_->take(chains_);
    } else {
      chains_.take(*kept_);
    }
  }

  ScoredDag choose(const OrderState& state, Stream& random) const { return once_ ? dag_ : state.choose(random); }

  void add_edges(double* matrix) const {
    if (!once_) return chains_.cold().add_edges(matrix);
    const std::size_t n = dag_.parents.size();
    for (std::size_t child = 0; child < n; ++child)
      for_each(dag_.parents[child], [&](std::size_t parent) { matrix[parent * n + child] += 1; });
  }

 private:
  static constexpr std::size_t steps_per_proposal = 8;

  double count_of(const ScoredDag& dag) {
    const double found = counter_.log_count(dag.parents);
    if (std::isnan(found)) throw TooManyOrders();
    return found;
  }

  CoupledChains<OrderState>& chains_;
  bool once_;
  std::unique_ptr<CoupledChains<OrderState>> kept_;
  ScoredDag dag_{BitMatrix(0)};
  double orders_ = 0;
  std::size_t steps_ = 0;
  LinearExtensions counter_;
};

}  // namespace

OrderChain order_chain(const ParentTables& tables, std::vector<std::size_t> start, const OrderOptions& options,
                       ChainLength length, Stream random) {
  CoupledChains chains(OrderState(tables, std::move(start)), options.coldness);
  DagOfOrder dag(chains, options.each_dag_once, random);
  const bool search = options.summary == Summary::best;
  Best best, recent;
  best.consider(chains.cold());
  const auto advance = [&](std::size_t done) {
    const double heat = options.heating.coldness(done, length.iterations);
    bool moved = false;
    chains.step([&](OrderState& state, double coldness) { moved |= step(state, heat * coldness, random); }, random);
    if (search && (moved || recent.order.empty())) recent.consider(chains.cold());
    dag.advance(random);
  };
  const auto look = [&](double* matrix) { dag.add_edges(matrix); };
  const auto save = [&] {
    const OrderState found = search && !recent.order.empty() ? OrderState(tables, recent.order) : chains.cold();
    best.consider(found);
    recent = {};
    return dag.choose(found, random);
  };
  OrderChain chain{run_chain(tables.size(), length, advance, look, save), {}};
  chain.log.swaps = chains.counts();
  chain.best = best.order;
  return chain;
}

}  // namespace dagathlon
