#include "dagathlon/undirected/gaussian_chain.hpp"

#include <cmath>
#include <utility>

#include "dagathlon/undirected/g_wishart_constant.hpp"

namespace dagathlon {

namespace {

// The mean of a matrix over sweeps.
class MatrixMean {
 public:
  explicit MatrixMean(std::size_t n) : sum_(n) {}

  void add(const SquareMatrix& matrix) {
    ++count_;
    for (std::size_t k = 0; k < sum_.cells().size(); ++k) sum_.cells()[k] += matrix.cells()[k];
  }

  // Of nothing but a first matrix where nothing was added.
  std::vector<double> rows(const SquareMatrix& otherwise) const {
    if (count_ == 0) return otherwise.rows();
    std::vector<double> result = sum_.rows();
    for (double& value : result) value /= static_cast<double>(count_);
    return result;
  }

 private:
  SquareMatrix sum_;
  std::size_t count_ = 0;
};

UndirectedLog starting_log(const GaussianGraph& graph, const ChainLength& length, UndirectedLog::Time time) {
  UndirectedLog log(graph.size(), length.saved() + 1, UndirectedLog::Means::yes, time);
  log.become(graph.adjacent());
  return log;
}

// The latent data between sweeps, where there are any, and the random numbers of the run.
struct Latent {
  CopulaData* copula;
  Stream& random;
};

// Runs sweeps, each of which tells the log what it did.
template <class Sweep>
GaussianChain run(GaussianGraph& graph, Latent latent, const ChainLength& length, UndirectedLog::Time time,
                  Sweep&& sweep) {
  CopulaData* const copula = latent.copula;
  MatrixMean mean(graph.size());
  UndirectedLog log = run_undirected(
      starting_log(graph, length, time), length,
      [&](std::size_t done, UndirectedLog& now) {
        sweep(done, now);
        if (done >= length.warmup) mean.add(copula ? copula->precision(graph) : graph.precision());
        if (copula) copula->renew(graph, done < length.warmup, latent.random);
      },
      [&] { return log_posterior(graph, copula ? copula->scale(graph) : graph.scale()); });
  return {std::move(log), mean.rows(copula ? copula->precision(graph) : graph.precision())};
}

}  // namespace

double log_posterior(const GaussianGraph& graph, const SquareMatrix& scale) {
  const GaussianGraphPrior& prior = graph.prior();
  double edges = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) edges += static_cast<double>(count(graph.adjacent()[i])) / 2;
  const double absent = static_cast<double>(graph.pairs()) - edges;
  const ConstantRatio ratio(graph.size(), prior.b, prior.scale);
  return edges * std::log(prior.edge_probability) + absent * std::log1p(-prior.edge_probability) +
         laplace_constant(graph.adjacent(), graph.b(), scale) -
         bridged_constant(graph.adjacent(), prior.b, prior.scale, ratio);
}

GaussianChain birth_death_chain(GaussianGraph graph, double jumps, ChainLength length, Stream random,
                                CopulaData* copula) {
  BirthDeath process(jumps);
  return run(graph, {copula, random}, length, UndirectedLog::Time::continuous,
             [&](std::size_t done, UndirectedLog& log) {
               process.tune(done < length.warmup);
               process.sweep(graph, random, [&](double time) {
                 log.become(graph.adjacent());
                 log.stay(time);
               });
               log.become(graph.adjacent());
             });
}

GaussianChain reversible_jump_chain(GaussianGraph graph, std::size_t proposals, ChainLength length, Stream random,
                                    CopulaData* copula) {
  ReversibleJump jumps(proposals);
  return run(graph, {copula, random}, length, UndirectedLog::Time::steps, [&](std::size_t, UndirectedLog& log) {
    jumps.sweep(graph, random);
    log.become(graph.adjacent());
  });
}

}  // namespace dagathlon
