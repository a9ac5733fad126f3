#include "dagathlon/score/discrete_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/family_counts.hpp"
#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/score/multinomial_regret.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/data/set_sums.hpp"

namespace dagathlon {

namespace {

// The counts of a family: rows are configurations of the parents, some of them without observations.
struct Family {
  std::span<const Tally> table;
  std::size_t levels;
  // All configurations that the parents can have, observed or not.
  double configurations;
  std::size_t observations;
  bool has_parents;

  // Calls visit(counts, total) for every configuration with observations.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t start = 0; start < table.size(); start += levels) {
      const std::span<const Tally> counts = table.subspan(start, levels);
      Tally total = 0;
      for (const Tally count : counts) total += count;
      if (total > 0) visit(counts, total);
    }
  }
};

// The same family by sums over the cells of two tables.
struct FamilySums {
  const SetTerms::Tables& tables;
  const DiscreteData& data;
  std::size_t child;
  Nodes parents;

  // The k-th sum of a formula.
  double with_child(std::size_t k) const { return tables.all.of(tables.place[k], tables.family); }
  double of_parents(std::size_t k) const { return tables.all.of(tables.place[k], tables.parents); }
  double difference(std::size_t k) const { return with_child(k) - of_parents(k); }
  std::size_t levels() const { return data.arity(child); }
  double configurations() const {
    double product = 1;
    for (const std::size_t s : parents) product *= static_cast<double>(data.arity(s));
    return product;
  }
};

// Numbers of levels that children have, in increasing order.
using Arities = std::vector<std::size_t>;

std::size_t place_of(const Arities& arities, std::size_t levels) {
  return static_cast<std::size_t>(std::ranges::lower_bound(arities, levels) - arities.begin());
}

// m · log m, looked up while m is small.
class EntropyTable {
 public:
  explicit EntropyTable(std::size_t observations) : values_(std::min<std::size_t>(observations + 1, 1U << 16U)) {
    for (std::size_t m = 1; m < values_.size(); ++m) values_[m] = compute(m);
  }
  double operator()(Tally m) const { return m < values_.size() ? values_[m] : compute(m); }

 private:
  static double compute(std::size_t m) { return static_cast<double>(m) * std::log(static_cast<double>(m)); }
  std::vector<double> values_;
};

class LogLikelihood {
 public:
  explicit LogLikelihood(std::size_t observations) : entropy_(observations) {}
  double operator()(const Family& family) const {
    double sum = 0;
    family.each([&](std::span<const Tally> counts, Tally total) {
      for (const Tally count : counts) sum += entropy_(count);
      sum -= entropy_(total);
    });
    return sum;
  }

 private:
  EntropyTable entropy_;
};

class Penalised {
 public:
  Penalised(std::size_t observations, double penalty) : likelihood_(observations), penalty_(penalty) {}
  double operator()(const Family& family) const {
    return likelihood_(family) - penalty_ * family.configurations * static_cast<double>(family.levels - 1);
  }
  // No likelihood is above 1, and a parent of one level alone adds no parameter.
  double bound_above(const Family& family) const { return most(family.configurations, family.levels); }

  std::vector<CellSum> sums(const Arities&) const { return {{CellSum::Kind::entropy}}; }
  double term(const FamilySums& family) const {
    return family.difference(0) + most(family.configurations(), family.levels());
  }
  double bound(const FamilySums& family) const { return most(family.configurations(), family.levels()); }

 private:
  double most(double configurations, std::size_t levels) const {
    return -penalty_ * configurations * static_cast<double>(levels - 1);
  }

  LogLikelihood likelihood_;
  double penalty_;
};

// BIC as BLIP has it: counts are smoothed, by the levels of the child alone where parents are counted, and half of
// the parents' configurations is rounded down in the penalty.
class SmoothedBic {
 public:
  explicit SmoothedBic(std::size_t observations) : log_rows_(std::log(static_cast<double>(observations))) {}
  double operator()(const Family& family) const {
    const double of_row = 1 / static_cast<double>(family.levels);
    if (family.configurations == 1 && !family.has_parents) return alone(family, of_row) + most(family);
    const double of_cell = of_row / family.configurations;
    double sum = 0;
    family.each([&](std::span<const Tally> counts, Tally total) {
      sum -= total * std::log(total + of_row);
      for (const Tally count : counts)
        if (count > 0) sum += count * std::log(count + of_cell);
    });
    return sum + most(family);
  }
  double bound_above(const Family&) const { return std::numeric_limits<double>::infinity(); }

  std::vector<CellSum> sums(const Arities&) const { return {}; }
  double term(const FamilySums&) const { return 0; }
  double bound(const FamilySums&) const { return std::numeric_limits<double>::infinity(); }

 private:
  static double alone(const Family& family, double of_cell) {
    double sum = 0;
    family.each([&](std::span<const Tally> counts, Tally total) {
      sum -= total * std::log(total + 1.0);
      for (const Tally count : counts)
        if (count > 0) sum += count * std::log(count + of_cell);
    });
    return sum;
  }
  double most(const Family& family) const {
    const double halves = family.has_parents ? std::floor(family.configurations / 2) : 0.5;
    return -log_rows_ * halves * static_cast<double>(family.levels - 1);
  }

  double log_rows_;
};

class Dirichlet {
 public:
  Dirichlet(std::size_t, Pseudocount kind, double size) : kind_(kind), size_(size) {}
  double operator()(const Family& family) const {
    const double cell = pseudocount(family);
    const double row = cell * static_cast<double>(family.levels);
    const double of_cell = log_gamma(cell);
    const double of_row = log_gamma(row);
    double sum = 0;
    family.each([&](std::span<const Tally> counts, Tally total) {
      sum += of_row - log_gamma(row + total);
      for (const Tally count : counts)
        if (count > 0) sum += log_gamma(cell + count) - of_cell;
    });
    return sum;
  }

  // One observation in each configuration has probability 1 / levels whatever the prior's size, and the
  // others at most 1; more parents only split configurations (de Campos and Ji 2011).
  double bound_above(const Family& family) const {
    double configurations = 0;
    family.each([&](std::span<const Tally>, Tally) { ++configurations; });
    return -configurations * std::log(static_cast<double>(family.levels));
  }

  // With a number for each cell that is the same for all families, that of a configuration depends on the
  // levels of the child.
  std::vector<CellSum> sums(const Arities& arities) {
    if (kind_ == Pseudocount::observed) return {};
    arities_ = arities;
    if (kind_ == Pseudocount::uniform) return {{CellSum::Kind::occupied}, {CellSum::Kind::spread, size_}};
    std::vector<CellSum> result{{CellSum::Kind::occupied}, {CellSum::Kind::cell, size_}};
    for (const std::size_t levels : arities)
      result.push_back({CellSum::Kind::cell, size_ * static_cast<double>(levels)});
    return result;
  }
  double term(const FamilySums& family) const {
    if (kind_ == Pseudocount::uniform) return family.difference(1);
    return family.with_child(1) - family.of_parents(2 + place_of(arities_, family.levels()));
  }
  double bound(const FamilySums& family) const {
    return -family.of_parents(0) * std::log(static_cast<double>(family.levels()));
  }

 private:
  double pseudocount(const Family& family) const {
    if (kind_ == Pseudocount::cell) return size_;
    double configurations = family.configurations;
    if (kind_ == Pseudocount::observed) {
      configurations = 0;
      family.each([&](std::span<const Tally>, Tally) { ++configurations; });
    }
    return size_ / (std::max(configurations, 1.0) * static_cast<double>(family.levels));
  }

  Pseudocount kind_;
  double size_;
  Arities arities_;
};

class Normalised {
 public:
  Normalised(std::size_t observations, NormalisedLikelihood kind) : likelihood_(observations), kind_(kind) {}
  double operator()(const Family& family) {
    const double levels = static_cast<double>(family.levels);
    double penalty = 0;
    if (kind_ == NormalisedLikelihood::quotient) {
      penalty = regret_(family.observations, family.configurations * levels) -
                regret_(family.observations, family.configurations);
    } else {
      family.each([&](std::span<const Tally>, Tally total) { penalty += regret_(total, levels); });
    }
    return likelihood_(family) - penalty;
  }
  // The regret grows where configurations are split, since parametric complexity is submultiplicative;
  // of the quotient no such thing is known.
  double bound_above(const Family& family) {
    if (kind_ == NormalisedLikelihood::quotient) return std::numeric_limits<double>::infinity();
    double penalty = 0;
    family.each(
        [&](std::span<const Tally>, Tally total) { penalty += regret_(total, static_cast<double>(family.levels)); });
    return -penalty;
  }

  std::vector<CellSum> sums(const Arities& arities) {
    arities_ = arities;
    std::vector<CellSum> result{{CellSum::Kind::entropy}};
    if (kind_ == NormalisedLikelihood::factorised)
      for (const std::size_t levels : arities) result.push_back({CellSum::Kind::regret, static_cast<double>(levels)});
    return result;
  }
  double term(const FamilySums& family) { return family.difference(0) - penalty(family); }
  double bound(const FamilySums& family) {
    return kind_ == NormalisedLikelihood::quotient ? std::numeric_limits<double>::infinity() : -penalty(family);
  }

 private:
  double penalty(const FamilySums& family) {
    if (kind_ == NormalisedLikelihood::factorised) return family.of_parents(1 + place_of(arities_, family.levels()));
    const double configurations = family.configurations();
    return regret_(family.data.observations(), configurations * static_cast<double>(family.levels())) -
           regret_(family.data.observations(), configurations);
  }

  LogLikelihood likelihood_;
  NormalisedLikelihood kind_;
  MultinomialRegret regret_;
  Arities arities_;
};

template <class Formula>
class DiscreteScore final : public Score, private SetTerms {
 public:
  template <class... Parameters>
  explicit DiscreteScore(ChildCounts data, Parameters... parameters) : data_(std::move(data)) {
    for (const auto& part : data_.distinct) {
      counters_.emplace_back(*part);
      candidate_counts_.emplace_back(*part, data_.distinct.size());
      formulas_.emplace_back(part->observations(), parameters...);
    }
    likely_.resize(size());
    Arities arities;
    for (std::size_t j = 0; j < size(); ++j) arities.push_back(levels(j));
    std::ranges::sort(arities);
    arities.erase(std::ranges::unique(arities).begin(), arities.end());
    if (!formulas_.empty()) sums_ = formulas_[0].sums(arities);
    make_twin_ = [this, parameters...] { return std::make_unique<DiscreteScore>(data_, parameters...); };
  }

  std::size_t size() const override { return data_.of_child.size(); }
  std::unique_ptr<Score> twin() const override { return make_twin_(); }

  double local(std::size_t child, Nodes parents) override {
    pulse::beat(data_.distinct[0]->observations());
    return formulas_[data_.of_child[child]](counted(child, parents));
  }

  double bound_above(std::size_t child, Nodes parents) override {
    return formulas_[data_.of_child[child]].bound_above(counted(child, parents));
  }

  SetTerms* by_sets() override { return data_.distinct.size() == 1 && !sums_.empty() ? this : nullptr; }

  void additions(std::size_t child, Nodes parents, std::span<double> scores) override {
    const std::size_t part = data_.of_child[child];
    const double without = configurations(parents);
    candidates_.clear();
    for (std::size_t x = 0; x < size(); ++x)
      if (x != child && !std::ranges::binary_search(parents, x)) candidates_.push_back(x);
    const auto visit = [&](std::size_t x, std::span<const Tally> table) {
      pulse::beat(data_.distinct[0]->observations());
      scores[x] = formulas_[part](family(child, without * static_cast<double>(levels(x)), true, table));
    };
    candidate_counts_[part].each(child, parents, candidates_, likely_[child], visit);
    if (candidate_counts_[part].looks_ahead()) note_likely(child, scores);
  }

 private:
  static constexpr std::size_t most_likely = 12;

  const DiscreteData& data() const override { return *data_.distinct[0]; }
  std::vector<CellSum> sums() const override { return sums_; }
  double term(std::size_t child, Nodes parents, const Tables& tables) override {
    return formulas_[0].term({tables, data(), child, parents});
  }
  double bound(std::size_t child, Nodes parents, const Tables& tables) override {
    return formulas_[0].bound({tables, data(), child, parents});
  }
  std::size_t levels(std::size_t column) const { return data_.distinct[0]->arity(column); }
  double configurations(Nodes parents) const {
    double product = 1;
    for (const std::size_t s : parents) product *= static_cast<double>(levels(s));
    return product;
  }
  // Which parents the child may have next: those that do best now.
  void note_likely(std::size_t child, std::span<const double> scores) {
    const auto most = static_cast<std::ptrdiff_t>(std::min(most_likely, candidates_.size()));
    std::ranges::partial_sort(candidates_, candidates_.begin() + most, std::greater<>(),
                              [&](std::size_t x) { return scores[x]; });
    likely_[child].assign(candidates_.begin(), candidates_.begin() + most);
  }
  Family counted(std::size_t child, Nodes parents) {
    table_.clear();
    if (!candidate_counts_[data_.of_child[child]].recall(child, parents, table_))
      counters_[data_.of_child[child]].families(child, parents, [&](std::span<const Tally> counts, Tally) {
        table_.insert(table_.end(), counts.begin(), counts.end());
      });
    return family(child, configurations(parents), !parents.empty(), table_);
  }
  Family family(std::size_t child, double all, bool has_parents, std::span<const Tally> table) const {
    return {table, levels(child), all, data_.distinct[data_.of_child[child]]->observations(), has_parents};
  }

  ChildCounts data_;
  std::vector<Counter> counters_;
  std::vector<CandidateCounts> candidate_counts_;
  std::vector<Formula> formulas_;
  std::vector<CellSum> sums_;
  std::vector<Tally> table_;
  std::vector<std::size_t> candidates_;
  // Of each child, after its latest additions.
  std::vector<std::vector<std::size_t>> likely_;
  std::function<std::unique_ptr<Score>()> make_twin_;
};

}  // namespace

std::unique_ptr<Score> discrete_likelihood(ChildCounts data, double penalty) {
  return std::make_unique<DiscreteScore<Penalised>>(std::move(data), penalty);
}

std::unique_ptr<Score> smoothed_bic(ChildCounts data) {
  return std::make_unique<DiscreteScore<SmoothedBic>>(std::move(data));
}

std::unique_ptr<Score> dirichlet_score(ChildCounts data, Pseudocount kind, double size) {
  return std::make_unique<DiscreteScore<Dirichlet>>(std::move(data), kind, size);
}

std::unique_ptr<Score> normalised_likelihood(ChildCounts data, NormalisedLikelihood kind) {
  return std::make_unique<DiscreteScore<Normalised>>(std::move(data), kind);
}

}  // namespace dagathlon
