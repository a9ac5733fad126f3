#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dagathlon/undirected/decomposable_chain.hpp"
#include "dagathlon/undirected/junction_tree_moves.hpp"

namespace dagathlon {

namespace {

class JunctionTreeSampler {
 public:
  JunctionTreeSampler(const DecomposableTarget& target, const BitMatrix& start, const JunctionTreeOptions& options,
                      Stream& random)
      : options_(options),
        random_(random),
        terms_(target),
        parts_(target.size()),
        change_(target.size()),
        tree_(*clique_tree(start), target.size()),
        score_(target.of(*clique_tree(start))),
        separator_(target.size()),
        x_(target.size()),
        y_(target.size()) {
    tree_.randomise(random_);
  }

  double score() const { return settled(score_); }

  void step(std::size_t done, UndirectedLog& log) {
    if (tree_.nodes() < 2) return;
    if (options_.randomise > 0 && (done + 1) % options_.randomise == 0) tree_.randomise(random_);
    const bool several = options_.several && random_.below(2) == 0;
    const bool moved = random_.below(2) == 0 ? connect(several) : disconnect(several);
    if (!moved) return;
    for_each(x_, [&](std::size_t i) { for_each(y_, [&](std::size_t j) { log.toggle(i, j); }); });
  }

 private:
  static double log_of(std::size_t number) { return std::log(static_cast<double>(number)); }

  bool connect(bool several) {
    if (tree_.links() == 0) return false;
    const std::size_t link = random_.below(tree_.links());
    const auto [a, b] = tree_.ends(link);
    std::ranges::copy(tree_.separator(link), separator_.row().begin());
    const std::size_t beyond_x = draw_beyond(a, several, x_), beyond_y = draw_beyond(b, several, y_);
    const std::size_t of_x = count(x_), of_y = count(y_);
    const Connection move{separator_, x_, y_, of_x == beyond_x, of_y == beyond_y};
    const double gain = terms_.gain(separator_, x_, y_, move.whole_x, move.whole_y);
    if (std::isinf(gain)) return false;
    const std::size_t size = count(separator_) + of_x + of_y;
    const double there =
        parts_.log_part(beyond_x, of_x, several) + parts_.log_part(beyond_y, of_y, several) - log_of(tree_.links());
    const double back =
        parts_.log_pair(size, of_x, of_y, several) - log_of(changed(move.cliques())) -
        (move.whole_x && move.whole_y ? free_links(link, a) + free_links(link, b) : 0) * std::numbers::ln2;
    if (!accepted(gain, gain - change_.before(tree_, link, move) + back - there)) return false;
    tree_.connect(link, x_, y_);
    return true;
  }

  bool disconnect(bool several) {
    const std::size_t clique = random_.below(tree_.cliques()), size = count(tree_.clique(clique));
    if (size < 2) return false;
    parts_.draw_pair(tree_.clique(clique), several, x_, y_, random_);
    const JunctionTree::Cut cut = tree_.cut(clique, x_, y_);
    if (!cut.legal) return false;
    std::ranges::copy(tree_.clique(clique), separator_.row().begin());
    subtract(separator_, x_);
    subtract(separator_, y_);
    const Connection move{separator_, x_, y_, cut.x.kept == no_node, cut.y.kept == no_node};
    const std::size_t of_x = count(x_), of_y = count(y_);
    const double gain = -terms_.gain(separator_, x_, y_, move.whole_x, move.whole_y);
    const double there = parts_.log_pair(size, of_x, of_y, several) - log_of(tree_.cliques()) -
                         (move.whole_x && move.whole_y ? static_cast<double>(cut.free) : 0) * std::numbers::ln2;
    const double back = parts_.log_part(beyond(cut.x, clique, of_x), of_x, several) +
                        parts_.log_part(beyond(cut.y, clique, of_y), of_y, several) -
                        log_of(changed(-move.cliques()) - 1);
    if (!accepted(gain, gain + change_.after(tree_, clique, move) + back - there)) return false;
    tree_.disconnect(clique, x_, y_, cut, random_);
    return true;
  }

  // Draws from what a clique has beyond the separator; how much that is.
  std::size_t draw_beyond(std::size_t clique, bool several, BitSet& part) {
    part = BitSet(tree_.nodes(), tree_.clique(clique));
    subtract(part, separator_);
    const std::size_t all = count(part);
    rest_ = part;
    parts_.draw_part(rest_, several, part, random_);
    return all;
  }

  // How much there is to draw from when a side that was cut off is connected again.
  std::size_t beyond(const JunctionTree::Side& side, std::size_t clique, std::size_t part) const {
    if (side.kept == no_node) return part;
    return count(tree_.clique(tree_.other(side.kept, clique))) - count(separator_);
  }

  // Other links of one end that would be free to go to either side.
  double free_links(std::size_t link, std::size_t clique) const {
    const auto free = [&](std::size_t other) { return other != link && is_subset(tree_.separator(other), separator_); };
    return static_cast<double>(std::ranges::count_if(tree_.links_of(clique), free));
  }

  std::size_t changed(int more) const { return static_cast<std::size_t>(static_cast<int>(tree_.cliques()) + more); }

  bool accepted(double gain, double log_ratio) {
    if (!(log_ratio >= 0) && !(std::log(random_.uniform()) < log_ratio)) return false;
    score_ += gain;
    return true;
  }

  JunctionTreeOptions options_;
  Stream& random_;
  CliqueTerms terms_;
  RandomParts parts_;
  CountChange change_;
  JunctionTree tree_;
  double score_;
  BitSet separator_, x_, y_;
  BitSet rest_{0};
};

}  // namespace

UndirectedLog junction_tree_chain(const DecomposableTarget& target, const BitMatrix& start,
                                  const JunctionTreeOptions& options, const ChainLength& length, Stream random) {
  JunctionTreeSampler chain(target, start, options, random);
  UndirectedLog log(target.size(), length.saved() + 1, UndirectedLog::means_for(length));
  log.become(start);
  return run_undirected(
      std::move(log), length, [&](std::size_t done, UndirectedLog& to) { chain.step(done, to); },
      [&] { return chain.score(); });
}

}  // namespace dagathlon
