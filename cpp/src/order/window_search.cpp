#include "dagathlon/order/window_search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

using Order = std::vector<std::size_t>;
// Smaller gains are rounding.
constexpr double least_gain = 1e-9;

// The lists with each set as bits.
class Lists {
 public:
  explicit Lists(const ParentSets& sets) : sets_(sets), words_(words_for(sets.size())), bits_(sets.size()) {
    for (std::size_t j = 0; j < sets.size(); ++j) {
      bits_[j].resize(sets[j].size() * words_);
      for (std::size_t k = 0; k < sets[j].size(); ++k)
        for (const std::size_t x : sets[j][k].parents) set(Row(bits_[j]).subspan(k * words_, words_), x);
    }
  }

  std::size_t size() const { return sets_.size(); }
  std::size_t length(std::size_t node) const { return sets_[node].size(); }
  ConstRow parents(std::size_t node, std::size_t k) const { return ConstRow(bits_[node]).subspan(k * words_, words_); }
  double score(std::size_t node, std::size_t k) const {
    return k < sets_[node].size() ? sets_[node][k].score : minus_infinity;
  }
  // The place of the best set within `allowed`, or the length of the list.
  std::size_t best_within(std::size_t node, ConstRow allowed) const {
    std::size_t k = 0;
    while (k < length(node) && !is_subset(parents(node, k), allowed)) ++k;
    return k;
  }

 private:
  const ParentSets& sets_;
  std::size_t words_;
  std::vector<std::vector<Word>> bits_;
};

// A sum in which choices that do not exist are counted apart, so that they can be taken back.
struct Total {
  double score = 0;
  std::ptrdiff_t impossible = 0;
  void add(double term, int sign) {
    if (term == minus_infinity) impossible += sign;
    else score += sign * term;
  }
  bool better_than(const Total& other) const {
    return impossible < other.impossible || (impossible == other.impossible && score > other.score + least_gain);
  }
};

class OrderState {
 public:
  explicit OrderState(const Lists& lists)
      : lists_(lists), choice_(lists.size()), before_(lists.size()), with_window_(lists.size()) {}

  void set_order(Order order) {
    order_ = std::move(order);
    total_ = {};
    before_.clear();
    for (const std::size_t x : order_) {
      choice_[x] = lists_.best_within(x, before_);
      total_.add(lists_.score(x, choice_[x]), 1);
      before_.set(x);
    }
  }

  const Order& order() const { return order_; }
  const Total& total() const { return total_; }
  const std::vector<std::size_t>& choice() const { return choice_; }

  // Makes the best move of `window` neighbours to another place, if one gains.
  bool improve(std::size_t window) {
    best_ = total_;
    count_ = 0;
    for (std::size_t start = 0; start + window <= order_.size(); ++start) {
      move_right(start, window);
      move_left(start, window);
    }
    if (count_ == 0) return false;
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_);
    std::rotate(begin, begin + static_cast<std::ptrdiff_t>(count_),
                begin + static_cast<std::ptrdiff_t>(count_ + others_));
    set_order(std::move(order_));
    return true;
  }

 private:
  // The window passes one node after the other; each of them loses it from before itself.
  void move_right(std::size_t start, std::size_t window) {
    before_.clear();
    for (std::size_t k = 0; k < start; ++k) before_.set(order_[k]);
    Total passed = total_;
    for (std::size_t k = start + window; k < order_.size(); ++k) {
      pulse::beat();
      place_again(order_[k], before_, passed);
      before_.set(order_[k]);
      consider(place_window(start, window, passed), start, window, k + 1 - start - window);
    }
  }

  void move_left(std::size_t start, std::size_t window) {
    before_.clear();
    for (std::size_t k = 0; k < start; ++k) before_.set(order_[k]);
    Total passed = total_;
    for (std::size_t k = start; k-- > 0;) {
      pulse::beat();
      before_.reset(order_[k]);
      with_window_ = before_;
      for (std::size_t i = start; i < start + window; ++i) with_window_.set(order_[i]);
      place_again(order_[k], with_window_, passed);
      consider(place_window(start, window, passed), k, start - k, window);
    }
  }

  Total place_window(std::size_t start, std::size_t window, Total total) {
    with_window_ = before_;
    for (std::size_t i = start; i < start + window; ++i) {
      place_again(order_[i], with_window_, total);
      with_window_.set(order_[i]);
    }
    return total;
  }

  void place_again(std::size_t x, ConstRow before, Total& total) const {
    total.add(lists_.score(x, choice_[x]), -1);
    total.add(lists_.score(x, lists_.best_within(x, before)), 1);
  }

  void consider(const Total& total, std::size_t first, std::size_t count, std::size_t others) {
    if (!total.better_than(best_)) return;
    best_ = total;
    first_ = first;
    count_ = count;
    others_ = others;
  }

  const Lists& lists_;
  Order order_;
  std::vector<std::size_t> choice_;
  BitSet before_;
  BitSet with_window_;
  Total total_;
  // The best move: `count_` nodes from `first_` on change places with the `others_` after them.
  Total best_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t others_ = 0;
};

// Acyclic selection: from the last node of the order back, each takes its best set that closes no cycle.
// What it would take from those before it is always left: they have no ancestors yet.
class AcyclicSelection {
 public:
  explicit AcyclicSelection(const Lists& lists) : lists_(lists) {}

  Choice select(const Order& order) {
    const std::size_t n = lists_.size();
    descendants_ = BitMatrix(n);
    ancestors_ = BitMatrix(n);
    Choice result{0, std::vector<std::size_t>(n)};
    for (std::size_t place = n; place-- > 0;) {
      const std::size_t x = order[place];
      std::size_t k = 0;
      pulse::beat();
      while (k < lists_.length(x) && intersects(lists_.parents(x, k), descendants_[x])) ++k;
      result.of_node[x] = k;
      result.score += lists_.score(x, k);
      if (k < lists_.length(x)) join(x, lists_.parents(x, k));
    }
    return result;
  }

 private:
  void join(std::size_t child, ConstRow parents) {
    BitSet above(lists_.size(), parents);
    for_each(parents, [&](std::size_t x) { unite(above, ancestors_[x]); });
    BitSet below(lists_.size(), descendants_[child]);
    below.set(child);
    for_each(above.row(), [&](std::size_t x) { unite(descendants_[x], below); });
    for_each(below.row(), [&](std::size_t x) { unite(ancestors_[x], above); });
  }

  const Lists& lists_;
  BitMatrix descendants_;
  BitMatrix ancestors_;
};

// Nodes after all their parents.
Order order_of(const Lists& lists, const std::vector<std::size_t>& choice, const Order& old) {
  Order result;
  BitSet placed(lists.size());
  while (result.size() < old.size())
    for (const std::size_t x : old)
      if (!placed.test(x) && is_subset(lists.parents(x, choice[x]), placed)) {
        placed.set(x);
        result.push_back(x);
      }
  return result;
}

class Search {
 public:
  Search(const ParentSets& sets, const WindowSearch& how)
      : lists_(sets), state_(lists_), selection_(lists_), how_(how) {
    result_.choice = {minus_infinity, std::vector<std::size_t>(sets.size())};
  }

  WindowResult run() {
    if (!pulse::until_deadline([&] { search(); })) finish_early();
    return std::move(result_);
  }

 private:
  void search() {
    while (result_.starts < how_.starts && !(result_.starts > 0 && (late() || in_vain()))) {
      pulse::progress(result_.starts, how_.starts);
      Stream stream(how_.seed, result_.starts++);
      Order order(lists_.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      stream.shuffle(std::span(order));
      state_.set_order(std::move(order));
      do climb();
      while (relax() && how_.window > 0 && !late());
    }
  }

  // What the present order, or that of the columns, has to give.
  void finish_early() {
    if (result_.starts++ == 0) {
      Order order(lists_.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      state_.set_order(std::move(order));
    }
    keep_present();
    relax();
  }

  bool late() const {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin_;
    return how_.seconds > 0 && used.count() > how_.seconds;
  }

  bool in_vain() const { return how_.patience > 0 && result_.starts - best_start_ >= how_.patience; }

  void keep(double score, const std::vector<std::size_t>& choice) {
    if (score > result_.choice.score + least_gain) best_start_ = result_.starts;
    if (score > result_.choice.score) result_.choice = {score, choice};
  }

  // Small windows first, larger ones where they do not help.
  void climb() {
    for (std::size_t window = 1; window <= how_.window && !late();) {
      const bool better = state_.improve(window);
      result_.moves += better;
      window = better ? 1 : window + 1;
    }
    keep_present();
  }

  void keep_present() {
    if (result_.starts > 0 && state_.total().impossible == 0) keep(state_.total().score, state_.choice());
  }

  // Acyclic selection from the present order; whether it leads to a better one.
  bool relax() {
    if (!how_.acyclic_selection) return false;
    const Choice relaxed = selection_.select(state_.order());
    if (relaxed.score == minus_infinity) return false;
    keep(relaxed.score, relaxed.of_node);
    const Total before = state_.total();
    if (before.impossible == 0 && relaxed.score <= before.score + least_gain) return false;
    state_.set_order(order_of(lists_, relaxed.of_node, state_.order()));
    return true;
  }

  Lists lists_;
  OrderState state_;
  AcyclicSelection selection_;
  WindowSearch how_;
  WindowResult result_;
  // The start that found the best so far, counted from 1.
  std::size_t best_start_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

WindowResult window_search(const ParentSets& sets, const WindowSearch& how) { return Search(sets, how).run(); }

}  // namespace dagathlon
