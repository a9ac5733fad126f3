# Written by tools/make_stub.py; do not edit.
"""
Native kernels of Dagathlon; nodes are row numbers here, names live in Python.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

class IndependenceTest:
    """Tests of conditional independence on one data set."""

    @property
    def size(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def undefined(self) -> int:
        """How many tests the data could not answer."""

    @property
    def bounded(self) -> bool:
        """
        Whether a search left out sets that are larger than `untestable_order`.
        """

    @property
    def undefined_is_independent(self) -> bool: ...
    @undefined_is_independent.setter
    def undefined_is_independent(self, arg: bool, /) -> None: ...
    @property
    def untestable_order(self) -> int: ...
    @untestable_order.setter
    def untestable_order(self, arg: int, /) -> None: ...
    def test(self, x: int, y: int, given: Sequence[int]) -> tuple[float, float, float, bool]:
        """
        Statistic, degrees of freedom, p-value, and whether the data could answer at all.
        """

    def independent(self, x: int, y: int, given: Sequence[int], alpha: float) -> bool: ...

def gaussian_test(
    values: NDArray[numpy.float64],
    statistic: str,
    largest_correlation: float,
    rowwise: bool,
    most_columns: int = 11585,
) -> IndependenceTest: ...
@overload
def discrete_test(
    codes: NDArray[numpy.uint8], arities: Sequence[int], statistic: str, df: str
) -> IndependenceTest: ...
@overload
def discrete_test(
    codes: NDArray[numpy.uint16], arities: Sequence[int], statistic: str, df: str
) -> IndependenceTest: ...
@overload
def discrete_permutation_test(
    codes: NDArray[numpy.uint8],
    arities: Sequence[int],
    statistic: str,
    replicates: int,
    seed: int,
    semiparametric: bool,
) -> IndependenceTest: ...
@overload
def discrete_permutation_test(
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    statistic: str,
    replicates: int,
    seed: int,
    semiparametric: bool,
) -> IndependenceTest: ...
@overload
def mixed_test(
    codes: NDArray[numpy.uint8],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    likelihood_ratio: bool,
) -> IndependenceTest: ...
@overload
def mixed_test(
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    likelihood_ratio: bool,
) -> IndependenceTest: ...
def gaussian_permutation_test(
    values: NDArray[numpy.float64], statistic: str, replicates: int, seed: int
) -> IndependenceTest: ...
def score_test(score: Score) -> IndependenceTest: ...
def kernel_test(values: NDArray[numpy.float64]) -> IndependenceTest: ...
def fourier_test(values: NDArray[numpy.float64], joined: bool, seed: int) -> IndependenceTest: ...
def block_kernel_test(values: NDArray[numpy.float64], seed: int) -> IndependenceTest: ...
def neighbour_test(
    places: NDArray[numpy.uint16], is_discrete: Sequence[bool], replicates: int, seed: int
) -> IndependenceTest: ...
def degenerate_gaussian_test(
    values: NDArray[numpy.float64], starts: Sequence[int], bartlett: bool, rowwise: bool
) -> IndependenceTest: ...
def oracle_test(graph: MarkedGraph) -> IndependenceTest: ...

class KnownEdges:
    """Edges that must not, and must, be there, from row to column."""

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, forbidden: NDArray[numpy.bool_], required: NDArray[numpy.bool_]) -> None: ...

class SkeletonOptions:
    """How a skeleton is searched."""

    def __init__(
        self,
        alpha: float,
        max_order: int | None,
        stable: bool,
        known: KnownEdges,
        *,
        possible_causes_only: bool = False,
        one_sided: bool = False,
        ask_again: bool = False,
        sequence: Sequence[int] = [],
    ) -> None: ...

class MarkedGraph:
    """Endpoint marks; cell (i, j) is the mark at j on i-j."""

    def __init__(self, marks: NDArray[numpy.uint8]) -> None: ...
    @staticmethod
    def from_pairs(n: int, pairs: NDArray[numpy.int64], directed: bool) -> MarkedGraph:
        """One edge per row of `pairs`, from the first node to the second."""

    @staticmethod
    def from_edges(n: int, pairs: NDArray[numpy.int64], marks: NDArray[numpy.uint8]) -> MarkedGraph:
        """
        One edge per row of `pairs`, with the marks at its first and at its second node.
        """

    def joined_pairs(self, other: MarkedGraph) -> NDArray[numpy.int64]:
        """Pairs of nodes that are joined in this graph or in another."""

    def marks_of_pairs(self, pairs: NDArray[numpy.int64]) -> NDArray[numpy.uint8]:
        """For each pair the marks at its first and second node."""

    def induced(self, nodes: Sequence[int]) -> MarkedGraph:
        """The edges among some nodes, each of which is named once."""

    def has(self, mark: int) -> bool:
        """Whether the mark stands at any end."""

    def shared_v_structures(self, other: MarkedGraph) -> int:
        """How many v-structures are in both graphs."""

    def __len__(self) -> int: ...
    def equals(self, other: MarkedGraph) -> bool: ...
    def marks(self) -> NDArray[numpy.uint8]: ...
    def edge_count(self) -> int: ...
    def parents(self, node: int) -> list[int]: ...
    def children(self, node: int) -> list[int]: ...
    def neighbours(self, node: int) -> list[int]: ...
    def spouses(self, node: int) -> list[int]: ...
    def adjacencies(self, node: int) -> list[int]: ...

class Moments:
    """Number of rows, means, and sums of products of deviations."""

    @staticmethod
    def of(rows: int, means: Sequence[float], scatter: NDArray[numpy.float64]) -> Moments: ...
    @property
    def rows(self) -> int: ...
    @property
    def means(self) -> list[float]: ...
    def scatter(self) -> NDArray[numpy.float64]: ...

def moments(values: NDArray[numpy.float64]) -> Moments: ...

class Stream:
    """Random draws as a function of seed, stream number and position."""

    def __init__(self, seed: int, stream: int, position: int = 0) -> None: ...
    def bits(self) -> int: ...
    def uniform(self) -> float: ...
    def normal(self) -> float: ...
    def below(self, n: int) -> int: ...
    def permutation(self, n: int) -> list[int]: ...

def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """One block of Philox4x32-10."""

def stream_bits(seed: int, stream: int, first: int, count: int) -> list[int]: ...
def normal_quantile(q: float) -> float:
    """The z with P(Z <= z) = 0.5 + q."""

class LikelihoodConvention(enum.Enum):
    unbiased = 0

    maximum = 1

    doubled = 2

class Pseudocount(enum.Enum):
    uniform = 0

    observed = 1

    cell = 2

class NormalisedLikelihood(enum.Enum):
    factorised = 0

    quotient = 1

class Score:
    """A decomposable score of one data set; larger is better."""

    def __len__(self) -> int: ...
    def local(self, child: int, parents: Sequence[int]) -> float: ...
    def batch(self, families: Sequence[tuple[int, Sequence[int]]]) -> list[float]: ...
    def additions(self, child: int, parents: Sequence[int]) -> list[float]: ...
    def terms(self, graph: MarkedGraph) -> list[float]: ...
    def with_prior(
        self, arcs: NDArray[numpy.float64], nodes: Sequence[float], sizes: Sequence[float]
    ) -> Score: ...

def flat_score(nodes: int) -> Score: ...
@overload
def gaussian_likelihood(
    parts: Sequence[NDArray[numpy.float64]],
    of_child: Sequence[int],
    convention: LikelihoodConvention,
    penalty: float,
) -> Score: ...
@overload
def gaussian_likelihood(
    parts: Sequence[Moments],
    of_child: Sequence[int],
    convention: LikelihoodConvention,
    penalty: float,
) -> Score: ...
@overload
def bge_score(
    parts: Sequence[NDArray[numpy.float64]],
    of_child: Sequence[int],
    alpha_mu: float,
    alpha_w: float,
) -> Score: ...
@overload
def bge_score(
    parts: Sequence[Moments], of_child: Sequence[int], alpha_mu: float, alpha_w: float
) -> Score: ...
@overload
def nig_score(
    parts: Sequence[NDArray[numpy.float64]],
    of_child: Sequence[int],
    shape: float,
    rate: float,
    precision: float,
) -> Score: ...
@overload
def nig_score(
    parts: Sequence[Moments], of_child: Sequence[int], shape: float, rate: float, precision: float
) -> Score: ...
def fractional_score(parts: Sequence[NDArray[numpy.float64]], of_child: Sequence[int]) -> Score: ...
def kernel_score(
    values: NDArray[numpy.float64], is_discrete: Sequence[bool], ridge: float
) -> Score: ...
def degenerate_gaussian_score(
    parts: Sequence[NDArray[numpy.float64]],
    of_child: Sequence[int],
    starts: Sequence[int],
    penalty: float,
) -> Score: ...
@overload
def discrete_likelihood(
    parts: Sequence[NDArray[numpy.uint8]],
    arities: Sequence[int],
    of_child: Sequence[int],
    penalty: float,
) -> Score: ...
@overload
def discrete_likelihood(
    parts: Sequence[NDArray[numpy.uint16]],
    arities: Sequence[int],
    of_child: Sequence[int],
    penalty: float,
) -> Score: ...
@overload
def discrete_likelihood(
    parts: Sequence[ExpectedCounts], arities: Sequence[int], of_child: Sequence[int], penalty: float
) -> Score: ...
@overload
def smoothed_bic(
    parts: Sequence[NDArray[numpy.uint8]], arities: Sequence[int], of_child: Sequence[int]
) -> Score: ...
@overload
def smoothed_bic(
    parts: Sequence[NDArray[numpy.uint16]], arities: Sequence[int], of_child: Sequence[int]
) -> Score: ...
@overload
def dirichlet_score(
    parts: Sequence[NDArray[numpy.uint8]],
    arities: Sequence[int],
    of_child: Sequence[int],
    kind: Pseudocount,
    size: float,
) -> Score: ...
@overload
def dirichlet_score(
    parts: Sequence[NDArray[numpy.uint16]],
    arities: Sequence[int],
    of_child: Sequence[int],
    kind: Pseudocount,
    size: float,
) -> Score: ...
@overload
def dirichlet_score(
    parts: Sequence[ExpectedCounts],
    arities: Sequence[int],
    of_child: Sequence[int],
    kind: Pseudocount,
    size: float,
) -> Score: ...
@overload
def normalised_likelihood(
    parts: Sequence[NDArray[numpy.uint8]],
    arities: Sequence[int],
    of_child: Sequence[int],
    kind: NormalisedLikelihood,
) -> Score: ...
@overload
def normalised_likelihood(
    parts: Sequence[NDArray[numpy.uint16]],
    arities: Sequence[int],
    of_child: Sequence[int],
    kind: NormalisedLikelihood,
) -> Score: ...
@overload
def mixed_likelihood(
    codes: NDArray[numpy.uint8],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    penalty: float,
) -> Score: ...
@overload
def mixed_likelihood(
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    penalty: float,
) -> Score: ...

class GolemSettings:
    def __init__(
        self,
        *,
        equal_variances: bool,
        sparsity: float,
        acyclicity: float,
        learning_rate: float,
        steps: int,
    ) -> None: ...

def golem(
    moments: NDArray[numpy.float64], start: NDArray[numpy.float64], settings: GolemSettings
) -> NDArray[numpy.float64] | None:
    """
    Weights from row to column after so many steps; None when they diverge.
    """

def golem_objective(
    moments: NDArray[numpy.float64],
    weights: NDArray[numpy.float64],
    equal_variances: bool,
    sparsity: float,
    acyclicity: float,
) -> tuple[float | None, NDArray[numpy.float64]]:
    """Value and gradient."""

def latent_projection(
    graph: MarkedGraph, latent: Sequence[int], selection: Sequence[int]
) -> MarkedGraph: ...
def is_mag(graph: MarkedGraph) -> bool: ...
def is_pag(graph: MarkedGraph) -> bool: ...
def pag(graph: MarkedGraph) -> MarkedGraph: ...
def directed_circles(graph: MarkedGraph) -> MarkedGraph: ...
def mag_of_pag(graph: MarkedGraph) -> MarkedGraph | None: ...

class SampledTest(IndependenceTest):
    """Answers drawn by the probability of independence."""

    def restart(self, seed: int) -> None:
        """Forgets all answers and draws others."""

    @property
    def asked(self) -> list[tuple[int, int, list[int]]]:
        """The questions since the start: x, y and the given variables."""

def sampled_test(score: Score, prior: float) -> SampledTest: ...
@overload
def redrawn_test(
    codes: NDArray[numpy.uint8], arities: Sequence[int], prior: float, iss: float
) -> SampledTest:
    """
    Answers by the probability of independence in every slice, drawn anew each time.
    """

@overload
def redrawn_test(
    codes: NDArray[numpy.uint16], arities: Sequence[int], prior: float, iss: float
) -> SampledTest: ...
def standing_claims(
    graph: MarkedGraph, questions: Sequence[tuple[int, int, Sequence[int]]]
) -> list[bool]:
    """
    Whether a graph with circles, read as it stands, separates x and y, for each question.
    """

def answer_parents(draws: NDArray[numpy.bool_], max_parents: int, iss: float) -> list[list[int]]:
    """For each column of yes/no answers its parents among those before it."""

def evaluate_tests(
    test: IndependenceTest, questions: Sequence[tuple[int, int, Sequence[int]]]
) -> tuple[list[float], list[float]]:
    """Statistics and p-values of many tests, which are not counted."""

class BdgraphRules:
    """The prior and the kind of a chain as in BDgraph."""

    def __init__(
        self,
        *,
        edge_probability: float,
        b: float,
        births: bool,
        auxiliary: bool,
        jumps: int,
        late_times: bool,
    ) -> None: ...

def bdgraph_chain(
    start: MarkedGraph,
    products: NDArray[numpy.float64],
    rows: float,
    rules: BdgraphRules,
    options: ChainOptions,
) -> UndirectedLog: ...
def bdgraph_copula_chain(
    start: MarkedGraph, copula: CopulaStart, rules: BdgraphRules, options: ChainOptions
) -> UndirectedLog: ...
def callback_test(
    size: int, p_value: Callable[[int, int, Sequence[int]], float | None]
) -> IndependenceTest:
    """
    A test that calls p_value(x, y, given), which gives a number, or None where the data cannot answer.
    """

def callback_score(size: int, local: Callable[[int, Sequence[int]], float]) -> Score:
    """A score that calls local(child, parents)."""

def perfect_elimination_order(graph: MarkedGraph) -> list[int] | None:
    """Of the skeleton; None when it is not chordal."""

def chordless_cycle(graph: MarkedGraph) -> list[int]:
    """Of the skeleton; empty when it is chordal."""

def clique_tree(graph: MarkedGraph) -> tuple[list[list[int]], list[list[int]], list[int]] | None:
    """
    Of the skeleton: cliques, separators, the clique each hangs on (a root: itself); or None.
    """

class ParticleOptions:
    """How junction trees grow, and how many side by side."""

    def __init__(
        self, *, particles: int, alpha: float, beta: float, radius: int, block: int, informed: bool
    ) -> None: ...

def decomposable_counts(
    nodes: int, options: ParticleOptions, estimates: int, seed: int
) -> list[float]:
    """Logarithms of estimates of the number of decomposable graphs."""

def christmas_tree_step(
    target: DecomposableTarget,
    options: ParticleOptions,
    cliques: Sequence[Sequence[int]],
    links: Sequence[tuple[int, int]],
    node: int,
    seed: int,
) -> tuple[list[list[int]], list[tuple[int, int]], float, float]:
    """
    A node put into a junction tree: cliques, links, and the log probabilities of the step and of the way back; of a node without neighbours how parts are joined is not in them.
    """

def particle_gibbs(
    target: DecomposableTarget, options: ParticleOptions, chain: ChainOptions
) -> UndirectedLog: ...
def parallel_moves(
    target: DecomposableTarget, randomise: int, chain: ChainOptions
) -> UndirectedLog: ...

class SquareMatrix:
    def __init__(self, rows: NDArray[numpy.float64]) -> None: ...

def clime_column(
    covariance: SquareMatrix, target: int, penalties: Sequence[float]
) -> NDArray[numpy.float64]:
    """
    A solution per penalty, in decreasing order, up to the last that has one.
    """

class CliqueScores:
    """Marginal likelihoods of sets of columns."""

    def log_marginal(self, nodes: Sequence[int]) -> float: ...

def gaussian_cliques(
    values: NDArray[numpy.float64], delta: float, scale: Sequence[float], zero_mean: bool
) -> CliqueScores:
    """
    Marginal likelihoods of sets of normal columns under a hyper inverse Wishart prior.
    """

@overload
def discrete_cliques(
    codes: NDArray[numpy.uint8], arities: Sequence[int], pseudo_observations: float
) -> CliqueScores: ...
@overload
def discrete_cliques(
    codes: NDArray[numpy.uint16], arities: Sequence[int], pseudo_observations: float
) -> CliqueScores:
    """
    Marginal likelihoods of sets of discrete columns under a hyper Dirichlet prior.
    """

class DecomposablePrior:
    """A prior over decomposable graphs, up to a constant."""

    def __init__(
        self,
        *,
        edge_log_odds: float,
        max_clique: int,
        clique_weights: Sequence[float],
        separator_weights: Sequence[float],
    ) -> None: ...

class DecomposableTarget:
    """The posterior over decomposable graphs, up to a constant."""

    def __init__(self, cliques: CliqueScores, prior: DecomposablePrior) -> None: ...
    def __len__(self) -> int: ...
    def log_posterior(self, graph: MarkedGraph) -> float:
        """Likelihood and prior of a chordal graph, in logarithms."""

    def precision(self, graph: MarkedGraph) -> NDArray[numpy.float64] | None:
        """
        The posterior mean of the precision matrix given a graph; nothing for discrete data.
        """

def complete_covariance(
    covariance: NDArray[numpy.float64], graph: MarkedGraph, tolerance: float, max_sweeps: int
) -> NDArray[numpy.float64]:
    """
    ValueError when it is not positive definite, RuntimeError when the sweeps were not enough.
    """

def g_wishart_covariance(
    factor: NDArray[numpy.float64], graph: MarkedGraph, tolerance: float, max_sweeps: int
) -> NDArray[numpy.float64]:
    """Completes the inverse of L·Lᵀ, L lower triangular; errors as above."""

def connected_search(
    score: Score, limits: SearchLimits, start: MarkedGraph, escapes: int
) -> SearchResult: ...

class Discrepancies:
    """How far discrete columns move each other's distributions."""

    @overload
    def __init__(self, codes: NDArray[numpy.uint8], arities: Sequence[int]) -> None: ...
    @overload
    def __init__(self, codes: NDArray[numpy.uint16], arities: Sequence[int]) -> None: ...
    def pairs(self) -> NDArray[numpy.float64]:
        """For all pairs of columns, symmetric."""

    def given(self, a: int, b: int, c: int) -> float:
        """Of a and b, averaged over the levels of c."""

class CopulaStart:
    """Latent normal data of which only orders within columns were seen."""

    def __init__(self) -> None: ...
    def add(self, levels: Sequence[int], values: Sequence[float], kept: bool) -> None:
        """
        One more column: the level of each row (-1: missing), a latent value for each level, and whether the latent values stay.
        """

    def __len__(self) -> int: ...
    def drawn(
        self, precision: NDArray[numpy.float64], updates: int, seed: int
    ) -> NDArray[numpy.float64]:
        """The latent values after some updates under one precision matrix."""

def copula_birth_death_chain(
    start: MarkedGraph,
    copula: CopulaStart,
    prior: GaussianGraphPrior,
    jumps: float,
    options: ChainOptions,
) -> GaussianChain: ...
def copula_reversible_jump_chain(
    start: MarkedGraph,
    copula: CopulaStart,
    prior: GaussianGraphPrior,
    proposals: int,
    options: ChainOptions,
) -> GaussianChain: ...
def pair_correlations(values: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """
    Correlations of all pairs of complete columns, row by row above the diagonal; those of a constant one are 0.
    """

def is_dag(graph: MarkedGraph) -> bool: ...
def topological_order(graph: MarkedGraph) -> list[int]:
    """Nodes on or after a directed cycle are left out."""

def directed_cycle(graph: MarkedGraph) -> list[int]:
    """Empty when there is none."""

def moral(dag: MarkedGraph) -> MarkedGraph: ...
def ancestors(graph: MarkedGraph, nodes: Sequence[int]) -> list[int]:
    """With the nodes themselves."""

def descendants(graph: MarkedGraph, nodes: Sequence[int]) -> list[int]:
    """With the nodes themselves."""

def markov_blanket(graph: MarkedGraph, node: int) -> list[int]: ...

class DagEnumeration:
    """All DAGs of at most six nodes, one after another."""

    def __init__(
        self,
        terms: NDArray[numpy.float64],
        rests: NDArray[numpy.float64],
        shape: float,
        rate: float,
    ) -> None: ...
    def __len__(self) -> int: ...
    def log_partition(self) -> float: ...
    def edges(self) -> NDArray[numpy.float64]: ...
    def paths(self) -> NDArray[numpy.float64]: ...
    def families(self, child: int) -> list[float]: ...
    def mean_log_weight(self) -> float: ...
    def best(self) -> list[int]: ...
    def sample(self, count: int, seed: int) -> NDArray[numpy.uint32]: ...
    def dags(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.float64]]: ...
    def classes(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.float64]]: ...

class Modularity(enum.Enum):
    structure = 0

    order = 1

class DagPosterior:
    """Sums over all DAGs of few nodes."""

    @staticmethod
    def of_score(score: Score, limits: SearchLimits, modularity: Modularity) -> DagPosterior: ...
    @staticmethod
    def of_weights(log_weights: NDArray[numpy.float64], modularity: Modularity) -> DagPosterior: ...
    def __len__(self) -> int: ...
    def log_partition(self) -> float: ...
    def edges(self) -> NDArray[numpy.float64]: ...
    def paths(self) -> NDArray[numpy.float64]: ...
    def families(self, child: int) -> list[float]: ...
    def mean_log_weight(self) -> float: ...
    def log_weights(self) -> NDArray[numpy.float64]: ...
    def best(self) -> list[int]: ...
    def sample(self, count: int, seed: int) -> NDArray[numpy.uint32]: ...

class DagmaStage:
    def __init__(
        self, *, sparsity: float, weight_of_loss: float, log_determinant_scale: float
    ) -> None: ...

class DagmaAdam:
    def __init__(
        self, *, learning_rate: float, beta1: float, beta2: float, checkpoint: int
    ) -> None: ...

def dagma_by_adam(
    moments: NDArray[numpy.float64],
    values: NDArray[numpy.float64],
    start: NDArray[numpy.float64],
    stage: DagmaStage,
    adam: DagmaAdam,
    most_steps: int,
) -> NDArray[numpy.float64] | None:
    """
    One stage of DAGMA, least squares without values; None when the start is out of the domain.
    """

def dagma_by_quasi_newton(
    moments: NDArray[numpy.float64],
    values: NDArray[numpy.float64],
    start: NDArray[numpy.float64],
    stage: DagmaStage,
    gain: float,
    most_steps: int,
) -> tuple[NDArray[numpy.float64], int] | None:
    """The same by quasi-Newton steps: weights and the number of steps."""

def dagma_smooth(
    moments: NDArray[numpy.float64],
    values: NDArray[numpy.float64],
    weights: NDArray[numpy.float64],
    stage: DagmaStage,
) -> tuple[float | None, NDArray[numpy.float64]]:
    """
    Loss and acyclicity over the weight of the loss, None out of the domain, and the gradient.
    """

def second_moments(values: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """
    Second moments of columns about their means, the same digits on every machine.
    """

class FirstGraph(enum.Enum):
    empty = 0

    forest = 1

def giudici_green_chain(
    target: DecomposableTarget, first: FirstGraph, options: ChainOptions
) -> UndirectedLog:
    """A chain over decomposable graphs by single edges."""

def junction_tree_chain(
    target: DecomposableTarget,
    first: FirstGraph,
    several: bool,
    randomise: int,
    options: ChainOptions,
) -> UndirectedLog:
    """A chain over junction trees."""

MAX_ENUMERATED: int = 7

def decomposable_graphs(
    target: DecomposableTarget,
) -> tuple[NDArray[numpy.uint64], NDArray[numpy.float64], NDArray[numpy.float64] | None]:
    """
    All decomposable graphs, a bit for each pair of nodes, their log weights, and of continuous data the mean of the precision matrix.
    """

def log_junction_trees(graph: MarkedGraph) -> float:
    """The logarithm of the number of junction trees of a chordal graph."""

def differing_pairs(a: MarkedGraph, b: MarkedGraph) -> int: ...
def is_pdag(graph: MarkedGraph) -> bool: ...
def is_undirected(graph: MarkedGraph) -> bool: ...
def is_cpdag(graph: MarkedGraph) -> bool: ...
def is_pattern(graph: MarkedGraph) -> bool: ...
def skeleton(graph: MarkedGraph) -> MarkedGraph: ...
def pattern(graph: MarkedGraph) -> MarkedGraph: ...
def v_structures(graph: MarkedGraph) -> list[list[int]]:
    """Triples x, collider, y."""

def cpdag(graph: MarkedGraph) -> MarkedGraph | None:
    """None when no DAG extends the graph."""

def extension(pdag: MarkedGraph) -> tuple[MarkedGraph | None, list[int]]:
    """
    A DAG or None, and the nodes among which no more edges can be directed.
    """

def meek(pdag: MarkedGraph, required: Sequence[tuple[int, int]]) -> tuple[MarkedGraph, int | None]:
    """
    The closed graph, and the place of the first required edge that contradicts it or None.
    """

def interventional_essential_graph(
    dag: MarkedGraph, targets: Sequence[Sequence[int]]
) -> MarkedGraph: ...

class ClassStep(enum.Enum):
    insert = 0

    remove = 1

    turn = 2

class ClassSearchResult:
    @property
    def graph(self) -> MarkedGraph: ...
    @property
    def score(self) -> float: ...
    @property
    def steps(self) -> int: ...

class ClassSettings:
    def __init__(
        self,
        *,
        phases: Sequence[ClassStep],
        iterate: bool,
        together: bool,
        escape: bool,
        verify: bool,
        max_degree: int,
        faithful: bool,
    ) -> None: ...

def search_classes(
    score: Score,
    limits: SearchLimits,
    start: MarkedGraph,
    settings: ClassSettings,
    targets: Sequence[Sequence[int]],
) -> ClassSearchResult: ...
def search_by_queue(
    score: Score, limits: SearchLimits, start: MarkedGraph, max_degree: int
) -> ClassSearchResult: ...

class IncompleteData:
    """Codes with missing values."""

@overload
def incomplete_data(codes: NDArray[numpy.uint8], arities: Sequence[int]) -> IncompleteData: ...
@overload
def incomplete_data(codes: NDArray[numpy.uint16], arities: Sequence[int]) -> IncompleteData: ...

class ExpectedCounts:
    """Counts of families, expected under a network."""

    @property
    def log_likelihood(self) -> float: ...
    def counts(self, child: int, parents: Sequence[int]) -> list[float]: ...

def expected_counts(
    data: IncompleteData, parents: Sequence[Sequence[int]], tables: Sequence[Sequence[float]]
) -> ExpectedCounts: ...

class MinorSettings:
    def __init__(self, test: str, critical: float) -> None: ...

class ClusterSearch:
    def __init__(
        self,
        seed: int,
        growth: float,
        least_correlation: float,
        loose_in_seed: int,
        loose_in_set: int,
        pick: bool,
    ) -> None: ...

def factor_clusters(
    correlations: NDArray[numpy.float64],
    fourth: NDArray[numpy.float64],
    rows: float,
    minors: MinorSettings,
    settings: ClusterSearch,
) -> tuple[list[list[int]], int]:
    """
    Clusters of variables with one latent cause or two, and how many minors were tested.
    """

def tetrad_statistics(
    correlations: NDArray[numpy.float64],
    fourth: NDArray[numpy.float64],
    rows: float,
    minors: MinorSettings,
) -> NDArray[numpy.float64]:
    """Chi-square statistics of the three tetrads of every four variables."""

def separate_causes(
    answers: NDArray[numpy.uint8], linked: NDArray[numpy.bool_]
) -> list[tuple[int, int]]:
    """
    Linked pairs without a common cause, by answers (1: vanishes, 2: differs) about all tetrads.
    """

class FamilyProgram:
    """The choice of parent sets as columns of an integer program."""

    def __init__(self, sets: ParentSets) -> None: ...
    def __len__(self) -> int: ...
    def children(self) -> NDArray[numpy.int32]: ...
    def losses(self) -> NDArray[numpy.float64]: ...
    def parents(self, column: int) -> list[int]: ...
    def keep(self, kept: NDArray[numpy.bool_]) -> None: ...
    def separate(self, values: NDArray[numpy.float64], most: int) -> list[int]: ...
    def separate_hulls(self, values: NDArray[numpy.float64], size: int, most: int) -> list[int]: ...
    def most(self, cuts: Sequence[int]) -> NDArray[numpy.float64]: ...
    def rows(
        self, cuts: Sequence[int], places: NDArray[numpy.int32]
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64]]: ...
    def columns(
        self, columns: NDArray[numpy.int32], cuts: Sequence[int]
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64]]: ...
    def reduced(
        self, prices: NDArray[numpy.float64], cuts: Sequence[int]
    ) -> NDArray[numpy.float64]: ...
    def arcs(self, values: NDArray[numpy.float64]) -> NDArray[numpy.float64]: ...
    def excluded(self, decisions: Sequence[tuple[int, int, bool]]) -> NDArray[numpy.int32]: ...

class PagOptions:
    def __init__(
        self,
        skeleton: SkeletonOptions,
        known: KnownEdges,
        colliders: str,
        selection: bool,
        complete: bool = True,
        test_paths: bool = False,
    ) -> None: ...

def fci(
    test: IndependenceTest, options: PagOptions, second_pass: str
) -> tuple[MarkedGraph, int, int]:
    """The PAG, the number of tests, and the number of triples left open."""

def rfci(test: IndependenceTest, options: PagOptions, checks: str) -> tuple[MarkedGraph, int, int]:
    """The PAG, the number of tests, and 0."""

class ScoreUse:
    def __init__(
        self, *, scored_neighbours: bool = False, keep_arrows: bool = False, all_edges: bool = False
    ) -> None: ...

def gfci(
    test: IndependenceTest, scored: MarkedGraph, options: PagOptions, use: ScoreUse
) -> tuple[MarkedGraph, int, int]:
    """The PAG, the number of tests, and 0."""

def lv_lite(
    test: IndependenceTest, dag: MarkedGraph, options: PagOptions, tested: bool = True
) -> tuple[MarkedGraph, int, int]:
    """
    The PAG, the number of tests, and the number of edges that stayed although their ends were separated.
    """

def g_wishart_draw(
    graph: MarkedGraph, b: float, scale: NDArray[numpy.float64], seed: int, stream: int
) -> NDArray[numpy.float64]:
    """
    A precision matrix; ValueError where the scale is not positive definite.
    """

def scaled_g_wishart_draw(
    graph: MarkedGraph, b: float, scale: float, seed: int, stream: int
) -> NDArray[numpy.float64]:
    """
    The same with the identity times a number as scale, by rejection and Gibbs sampling.
    """

def g_wishart_constant(
    graph: MarkedGraph, b: float, scale: NDArray[numpy.float64], draws: int, seed: int
) -> tuple[float, float]:
    """The logarithm of the normalising constant and its standard error."""

def g_wishart_laplace(
    graph: MarkedGraph, b: float, scale: NDArray[numpy.float64]
) -> tuple[float, bool]: ...
def g_wishart_bridged(graph: MarkedGraph, b: float, scale: float) -> float: ...

class GaussianGraphPrior:
    """The prior of a graph and of its precision matrix."""

    def __init__(
        self, *, edge_probability: float, b: float, scale: float, exchange: bool
    ) -> None: ...

class GaussianChain:
    """Graphs, and the mean of the precision matrix."""

    @property
    def log(self) -> UndirectedLog: ...
    @property
    def precision(self) -> NDArray[numpy.float64]: ...

def birth_death_chain(
    start: MarkedGraph,
    products: NDArray[numpy.float64],
    rows: float,
    prior: GaussianGraphPrior,
    jumps: float,
    options: ChainOptions,
) -> GaussianChain: ...
def reversible_jump_chain(
    start: MarkedGraph,
    products: NDArray[numpy.float64],
    rows: float,
    prior: GaussianGraphPrior,
    proposals: int,
    options: ChainOptions,
) -> GaussianChain: ...

class GraphicalLassoSettings:
    def __init__(self, *, penalise_diagonal: bool, tolerance: float, max_steps: int) -> None: ...

class GraphicalLassoPath:
    def __init__(
        self, covariance: NDArray[numpy.float64], settings: GraphicalLassoSettings
    ) -> None: ...
    def solve(self, penalty: float) -> tuple[int, float]:
        """Newton steps, and the largest violation of the optimum's conditions."""

    def refit(
        self, places: NDArray[numpy.int64], values: NDArray[numpy.float64]
    ) -> tuple[int, float]:
        """
        Maximum likelihood with the zeros of a matrix of these entries; steps and violation as of a penalty of zero.
        """

    def entries(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        Places, row after row, and values of what is not zero in the precision matrix that was solved last.
        """

def invert_positive(matrix: NDArray[numpy.float64]) -> tuple[NDArray[numpy.float64], float]:
    """
    Inverse and logarithm of the determinant; ValueError unless positive definite.
    """

class SearchLimits:
    """Arcs that must not or must be there, from row to column."""

    def __init__(
        self, forbidden: NDArray[numpy.bool_], required: NDArray[numpy.bool_], max_parents: int
    ) -> None: ...

class SearchResult:
    @property
    def dag(self) -> MarkedGraph: ...
    @property
    def score(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...

class HillClimbing:
    def __init__(self, *, max_steps: int, restarts: int, perturbations: int, seed: int) -> None: ...

def hill_climb(
    score: Score, limits: SearchLimits, start: MarkedGraph, how: HillClimbing
) -> SearchResult: ...
def tabu_search(
    score: Score,
    limits: SearchLimits,
    start: MarkedGraph,
    max_steps: int,
    memory: int,
    patience: int,
) -> SearchResult: ...

class LassoSettings:
    def __init__(self, *, tolerance: float, max_sweeps: int, square_root: bool) -> None: ...

class RegressionPath:
    def weights(self, k: int) -> NDArray[numpy.float64]:
        """Weights at a penalty, a row for each target."""

    def residual_variances(self) -> NDArray[numpy.float64]:
        """A row for each penalty, a column for each target."""

    @property
    def converged(self) -> bool: ...

def neighbourhood_path(
    correlation: NDArray[numpy.float64], penalties: Sequence[float], settings: LassoSettings
) -> RegressionPath:
    """
    The lasso, or the square-root lasso, of each variable on all others at decreasing penalties.
    """

def refit_likelihoods(
    given: NDArray[numpy.float64],
    rows: int,
    seen: NDArray[numpy.float64],
    graphs: NDArray[numpy.bool_],
) -> list[float]:
    """
    Log-likelihood of a row by least squares regressions on the neighbours in each graph.
    """

class GroupedData:
    def __init__(
        self,
        *,
        columns: NDArray[numpy.float64],
        starts: Sequence[int],
        codes: NDArray[numpy.uint32],
        levels: Sequence[int],
        scales: Sequence[float],
    ) -> None: ...

class GroupSettings:
    def __init__(self, *, tolerance: float, max_steps: int) -> None: ...

class GroupPath:
    def predictors(self, k: int) -> NDArray[numpy.bool_]:
        """Who predicts whom at a penalty, a row for each target."""

    def intercept(self, k: int, target: int) -> list[float]: ...
    def weights(self, k: int, target: int, predictor: int) -> NDArray[numpy.float64]:
        """
        A row for each column of the predictor, a column for each contrast; no rows where it is none.
        """

    def parameters(self, k: int) -> float:
        """Number of weights that are not zero."""

    def log_likelihood(self, k: int) -> float:
        """Sum over all targets."""

    @property
    def converged(self) -> bool: ...

def group_refits(data: GroupedData, graphs: NDArray[numpy.bool_]) -> GroupPath:
    """
    The regressions on the neighbours in each graph with all but no penalty.
    """

def contrast(level: int, column: int) -> float:
    """An entry of the orthonormal contrasts."""

def group_path(data: GroupedData, penalties: Sequence[float], settings: GroupSettings) -> GroupPath:
    """
    The regression of each variable on groups of columns at decreasing penalties.
    """

class JointSettings:
    def __init__(self, *, weights: str, rounds: int, tolerance: float, max_sweeps: int) -> None: ...

class JointPath:
    def partial_correlations(self, k: int) -> NDArray[numpy.float64]: ...
    def precisions(self, k: int) -> list[float]:
        """The diagonal of the precision matrix, from the residuals."""

    def given(self, k: int) -> list[float]:
        """The diagonal that the partial correlations were estimated with."""

    def weights(self, k: int) -> list[float]: ...
    @property
    def converged(self) -> bool: ...

def joint_path(
    correlation: NDArray[numpy.float64], penalties: Sequence[float], settings: JointSettings
) -> JointPath:
    """
    Partial correlations by joint sparse regression at decreasing penalties.
    """

def weight_order(weights: NDArray[numpy.float64]) -> list[int]:
    """Parents first; nodes on or after a directed cycle are left out."""

def propagate(weights: NDArray[numpy.float64], values: NDArray[numpy.float64]) -> None:
    """Adds to each column of noise, in place, its weighted parents."""

def pairwise_order(values: NDArray[numpy.float64]) -> list[int]:
    """Causal order of columns by pairwise likelihood ratios."""

def weights_along(
    scatter: NDArray[numpy.float64], order: Sequence[int], rows: int
) -> NDArray[numpy.float64]:
    """
    Adaptive lasso of each variable on those before it: weights from row to column.
    """

class LocalOptions:
    """
    The level of tests, the largest set given, knowledge, and where to stop.
    """

    def __init__(
        self, alpha: float, max_given: int | None, known: KnownEdges, undirected: bool
    ) -> None: ...

def learn_by_blankets(
    test: IndependenceTest, search: str, options: LocalOptions, levels: Sequence[int], rows: int
) -> tuple[MarkedGraph, int]:
    """A graph by way of Markov blankets, and the number of tests."""

def learn_by_neighbours(
    test: IndependenceTest, search: str, options: LocalOptions
) -> tuple[MarkedGraph, int]:
    """
    A graph by way of the neighbours of each node, and the number of tests.
    """

class CorrectedInformation:
    """n times conditional mutual information, less its complexity, in nats."""

    @overload
    def __init__(
        self, codes: NDArray[numpy.uint8], arities: Sequence[int], complexity: str
    ) -> None: ...
    @overload
    def __init__(
        self, codes: NDArray[numpy.uint16], arities: Sequence[int], complexity: str
    ) -> None: ...
    @property
    def evaluations(self) -> int: ...
    def __call__(self, x: int, y: int, given: Sequence[int]) -> float: ...

class Explained:
    """A pair of columns and those that take information off it."""

    def __init__(
        self, x: int, y: int, contributors: Sequence[int], information: float, edge: bool
    ) -> None: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...
    @property
    def contributors(self) -> list[int]: ...
    @property
    def information(self) -> float: ...
    @property
    def edge(self) -> bool: ...

class MiicGraph:
    """Edges directed by the information of triples."""

    @property
    def graph(self) -> MarkedGraph: ...
    @property
    def latent(self) -> list[tuple[int, int]]: ...
    @property
    def heads(self) -> NDArray[numpy.float64]: ...

def explained_pairs(
    information: CorrectedInformation, known: KnownEdges, neighbours_only: bool
) -> list[Explained]: ...
def directed_by_information(
    information: CorrectedInformation,
    pairs: Sequence[Explained],
    known: KnownEdges,
    order: str,
    latent: bool,
    whole: bool,
) -> MiicGraph: ...

class Imputation:
    """
    How many completed copies, passes over the columns for each, and how each column is filled.
    """

    def __init__(self, *, copies: int, sweeps: int, seed: int, methods: Sequence[str]) -> None: ...

@overload
def corrected_discrete_test(
    plain: IndependenceTest,
    codes: NDArray[numpy.uint8],
    arities: Sequence[int],
    causes: Sequence[Sequence[int]],
    correction: str,
) -> IndependenceTest: ...
@overload
def corrected_discrete_test(
    plain: IndependenceTest,
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    causes: Sequence[Sequence[int]],
    correction: str,
) -> IndependenceTest: ...
@overload
def impute(
    codes: NDArray[numpy.uint8],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    how: Imputation,
) -> tuple[NDArray[numpy.uint16], NDArray[numpy.float64]]: ...
@overload
def impute(
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    how: Imputation,
) -> tuple[NDArray[numpy.uint16], NDArray[numpy.float64]]:
    """Completed copies of the data one below the other: codes, and values."""

def corrected_gaussian_test(
    plain: IndependenceTest,
    values: NDArray[numpy.float64],
    causes: Sequence[Sequence[int]],
    correction: str,
    largest_correlation: float,
) -> IndependenceTest: ...
def direct_neighbours(
    test: IndependenceTest, target: int, candidates: Sequence[int], alpha: float, max_order: int
) -> list[int]: ...
def pooled_gaussian_test(
    values: NDArray[numpy.float64], copies: int, largest_correlation: float
) -> IndependenceTest: ...
def pooled_discrete_test(
    codes: NDArray[numpy.uint16], arities: Sequence[int], copies: int
) -> IndependenceTest: ...
def f_tail(f: float, df1: float, df2: float) -> float:
    """The probability that Fisher's F is larger."""

def pooled_mixed_test(
    codes: NDArray[numpy.uint16],
    arities: Sequence[int],
    values: NDArray[numpy.float64],
    is_discrete: Sequence[bool],
    copies: int,
) -> IndependenceTest: ...
def pooled_degenerate_test(
    values: NDArray[numpy.float64], starts: Sequence[int], copies: int
) -> IndependenceTest: ...
@overload
def overwrite_codes(
    column: NDArray[numpy.uint8], value: int, seed: int, stream: int, rate: float
) -> None: ...
@overload
def overwrite_codes(
    column: NDArray[numpy.uint16], value: int, seed: int, stream: int, rate: float
) -> None: ...
@overload
def scramble_codes(
    column: NDArray[numpy.uint8], levels: int, seed: int, stream: int, rate: float
) -> None: ...
@overload
def scramble_codes(
    column: NDArray[numpy.uint16], levels: int, seed: int, stream: int, rate: float
) -> None: ...
def erase_values(column: NDArray[numpy.float64], seed: int, stream: int, rate: float) -> None: ...
def resample_values(
    column: NDArray[numpy.float64], seed: int, stream: int, rate: float
) -> None: ...
def acyclicity(
    weights: NDArray[numpy.float64], exponential: bool
) -> tuple[float, NDArray[numpy.float64]]:
    """
    How far weights are from a DAG, and its derivative by each squared weight, from row to column.
    """

def notears_minimum(
    moments: NDArray[numpy.float64],
    penalty: float,
    start: NDArray[numpy.float64],
    multiplier: float,
    rho: float,
    alpha: float,
) -> tuple[NDArray[numpy.float64], float, float, int]:
    """
    The least squares minimum of the augmented Lagrangian on the path from `start`: weights, acyclicity, its multiplier, and the number of steps.
    """

def notears_search(
    moments: NDArray[numpy.float64],
    penalty: float,
    start: NDArray[numpy.float64],
    rho: float,
    alpha: float,
) -> tuple[NDArray[numpy.float64], float, float, int]:
    """
    A least squares minimum of the augmented Lagrangian by larger steps; as notears_minimum.
    """

class OrderStarts:
    def __init__(self, *, count: int, given: Sequence[Sequence[int]], seed: int) -> None: ...

def boss(
    score: Score, limits: SearchLimits, backward: bool, random: bool, starts: OrderStarts
) -> SearchResult: ...

class Grasp:
    def __init__(
        self, *, depth: int, uncovered_depth: int, nonsingular_depth: int, starts: OrderStarts
    ) -> None: ...

def grasp(score: Score, limits: SearchLimits, how: Grasp) -> SearchResult: ...
def orient_colliders(
    graph: MarkedGraph, in_separating_set: Callable[[int, int, int], bool]
) -> MarkedGraph:
    """
    Rule 0; in_separating_set(a, c, b) says whether c is in the set that separated a and b.
    """

def orient(
    graph: MarkedGraph,
    in_separating_set: Callable[[int, int, int], bool],
    rules: Sequence[int],
    as_pcalg: bool = False,
) -> MarkedGraph:
    """The listed rules of 1 to 10, applied until none changes the graph."""

def bit_counts(bits: NDArray[numpy.uint64]) -> NDArray[numpy.int64]: ...
def bit_sums(
    bits: NDArray[numpy.uint64], weights: NDArray[numpy.float64]
) -> NDArray[numpy.float64]: ...
def graph_numbers(bits: NDArray[numpy.uint64]) -> NDArray[numpy.int64]: ...
def path_sums(
    bits: NDArray[numpy.uint64], nodes: int, weights: NDArray[numpy.float64]
) -> NDArray[numpy.float64]: ...
def first_non_dag(bits: NDArray[numpy.uint64], nodes: int) -> int: ...
def cpdag_rows(bits: NDArray[numpy.uint64], nodes: int) -> tuple[NDArray[numpy.uint64], int]: ...

class ParentSets:
    """Candidate parent sets of each node with their scores."""

    def __init__(self, lists: Sequence[Sequence[tuple[float, Sequence[int]]]]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def scored(self) -> int: ...
    def count(self) -> int: ...
    def lists(self) -> list[list[tuple[float, list[int]]]]: ...
    def components(self) -> list[list[int]]: ...

def enumerate_parent_sets(score: Score, limits: SearchLimits, prune: bool) -> ParentSets: ...

class ExplorationBudget:
    def __init__(self, *, sets: int, work: float, levels: Sequence[int]) -> None: ...

def explore_parent_sets(
    score: Score,
    guide: Score,
    limits: SearchLimits,
    budget: ExplorationBudget,
    penalty: float,
    levels: Sequence[int],
) -> ParentSets: ...
def best_by_sets(sets: ParentSets) -> tuple[float, list[list[int]]]: ...

class WindowSearch:
    def __init__(
        self,
        *,
        starts: int,
        patience: int = 0,
        window: int,
        acyclic_selection: bool,
        seconds: float = 0.0,
        seed: int,
    ) -> None: ...

def window_search(
    sets: ParentSets, how: WindowSearch
) -> tuple[float, list[list[int]], int, int]: ...

class PcOptions:
    """How the edges of a skeleton are directed."""

    def __init__(
        self,
        skeleton: SkeletonOptions,
        known: KnownEdges,
        rule: str,
        order: str,
        contradiction: str,
        seed: int,
        *,
        open_as_noncolliders: bool = False,
    ) -> None: ...

def pc(
    test: IndependenceTest, options: PcOptions, correction: IndependenceTest | None
) -> tuple[MarkedGraph, list[int], int]:
    """
    The graph, the number of tests of each level, and the number of triples left open.
    """

def pc_skeleton(test: IndependenceTest, options: SkeletonOptions) -> tuple[MarkedGraph, list[int]]:
    """The skeleton and the number of tests of each level."""

class DualPcOptions:
    """How the skeleton of the dual PC algorithm is found."""

    def __init__(
        self, alpha: float, max_order: int | None, *, as_program: bool = False
    ) -> None: ...

def dual_pc(
    test: IndependenceTest, options: DualPcOptions, conflicts: str, colliders: bool, rules: bool
) -> tuple[MarkedGraph, list[int]]:
    """The graph and the number of tests of each level."""

def plain_columns(
    text: NDArray[numpy.uint8], delimiter: str, uses: NDArray[numpy.uint8], missing: Sequence[str]
) -> (
    tuple[NDArray[numpy.int32], NDArray[numpy.uint8], NDArray[numpy.float64], list[list[str]]]
    | None
): ...
def recode(
    codes: NDArray[numpy.uint8], table: NDArray[numpy.uint8], to: NDArray[numpy.uint8]
) -> None: ...
def recode_columns(
    codes: NDArray[numpy.uint8],
    tables: NDArray[numpy.uint8],
    table_of_column: Sequence[int],
    to: NDArray[numpy.uint8],
) -> None: ...
def pseudo_likelihood_chain(
    score: Score, log_odds: float, max_neighbours: int, options: ChainOptions
) -> UndirectedLog:
    """
    Undirected graphs by the product of the terms of all nodes given their neighbours.
    """

class ReplacedWatch:
    """The watch outside a new one."""

class SharedWatch:
    """What threads are watched by that help this one."""

    def __init__(self) -> None: ...
    def begin(self) -> None:
        """Said in a helper's thread."""

    def cancel(self) -> None:
        """Whatever helpers still do, they stop."""

    def note_end(self) -> None:
        """Said after each part, by whoever did it."""

    @property
    def stopped_early(self) -> bool:
        """Whether a part ended at the deadline."""

def begin_watch(
    seconds: float, listener: object | None, processor_seconds: float = float("inf")
) -> ReplacedWatch: ...
def end_watch(replaced: ReplacedWatch) -> bool:
    """Whether a search inside ended at the deadline."""

def beat(done: int, total: int) -> None: ...
def time_left() -> float:
    """Seconds until the deadline; infinity without one."""

def out_of_time() -> bool: ...
def stop_early() -> None: ...
def enter_part() -> None: ...
def leave_part() -> None: ...
def random_graph_with_degrees(
    degrees: Sequence[int], attempts_per_edge: int, key: int
) -> NDArray[numpy.int64]:
    """
    Edges as pairs of nodes; ValueError when no simple graph has these degrees.
    """

def grow_by_attachment(
    counts: Sequence[int], power: float, own_edges_attract: bool, key: int
) -> NDArray[numpy.int64]:
    """Edges from each node to so many earlier ones."""

class Summary(enum.Enum):
    sum = 0

    best = 1

MAX_CANDIDATES: int = 20

class ParentTables:
    """Weights of all parent sets of a search space."""

    def __init__(self, power: float, summary: Summary) -> None: ...
    def fill(
        self,
        score: Score,
        candidates: NDArray[numpy.bool_],
        extras: NDArray[numpy.bool_],
        required: NDArray[numpy.bool_],
        max_parents: int,
        free: int = 0,
    ) -> None: ...

class ChainLog:
    """A chain of DAGs as the changes from one saved state to the next."""

    def __len__(self) -> int:
        """The number of saved states, those like the state before too."""

    @property
    def index(self) -> NDArray[numpy.int64]: ...
    @property
    def score(self) -> NDArray[numpy.float64]: ...
    @property
    def added(self) -> NDArray[numpy.int32]: ...
    @property
    def removed(self) -> NDArray[numpy.int32]: ...
    @property
    def added_starts(self) -> NDArray[numpy.int64]: ...
    @property
    def removed_starts(self) -> NDArray[numpy.int64]: ...
    @property
    def edge_means(self) -> NDArray[numpy.float64]:
        """A row for each stretch of the chain."""

    @property
    def edge_ends(self) -> NDArray[numpy.int64]: ...
    @property
    def swaps_proposed(self) -> list[int]: ...
    @property
    def swaps_accepted(self) -> list[int]: ...

class OrderChain:
    @property
    def log(self) -> ChainLog: ...
    @property
    def best(self) -> list[int]: ...

class ChainOptions:
    """
    How long a chain runs, and on which of the seed's streams of random numbers.
    """

    def __init__(
        self,
        *,
        iterations: int,
        stepsave: int,
        seed: int,
        stream: int,
        warmup: int = 0,
        look: int = 0,
        coldness: Sequence[float] = [1.0],
    ) -> None: ...

class Heating:
    """Cycles of annealing, and the heated share of each."""

    def __init__(self, *, cycles: int, share: float) -> None: ...

def candidate_parents(
    score: Score, forbidden: NDArray[numpy.bool_], required: NDArray[numpy.bool_], count: int
) -> NDArray[numpy.bool_]:
    """So many candidate parents of each node, chosen by the score."""

class TooManyOrders(Exception):
    pass

MAX_COUNTED: int = 64

def log_linear_extensions(dag: MarkedGraph) -> float:
    """
    The logarithm of the number of orders that agree with a DAG; NaN where counting would take too long.
    """

def order_chain(
    tables: ParentTables,
    start: Sequence[int],
    options: ChainOptions,
    heating: Heating,
    each_dag_once: bool = False,
) -> OrderChain: ...
def partition_chain(
    tables: ParentTables,
    start: Sequence[int],
    options: ChainOptions,
    turns: int = 1,
    leaps: bool = False,
) -> ChainLog: ...
def structure_chain(
    score: Score,
    limits: SearchLimits,
    start: MarkedGraph,
    tables: ParentTables,
    reversals: float,
    options: ChainOptions,
) -> ChainLog: ...

class NetworkSampler:
    """
    Samples a network; nodes are columns, counted per kind and added parents first.
    """

    def __init__(self, levels: Sequence[int], continuous: int) -> None: ...
    def add_discrete(
        self,
        stream: int,
        column: int,
        parents: Sequence[int],
        probabilities: NDArray[numpy.float64],
    ) -> None: ...
    def add_gaussian(
        self,
        stream: int,
        column: int,
        discrete_parents: Sequence[int],
        continuous_parents: Sequence[int],
        parameters: NDArray[numpy.float64],
    ) -> None: ...
    @overload
    def sample(
        self, seed: int, codes: NDArray[numpy.uint8], values: NDArray[numpy.float64]
    ) -> None: ...
    @overload
    def sample(
        self, seed: int, codes: NDArray[numpy.uint16], values: NDArray[numpy.float64]
    ) -> None: ...

def fit_score_mixture(
    scores: Sequence[float], start: NDArray[numpy.float64], epochs: int, seed: int
) -> NDArray[numpy.float64]:
    """Weight, location, scale and shape of each component, in rows."""

class SeparationOracle:
    """Answers separation queries on one graph."""

    def __init__(self, graph: MarkedGraph) -> None: ...
    def separated(self, x: Sequence[int], y: Sequence[int], given: Sequence[int]) -> bool: ...
    def separating_set(self, x: int, y: int) -> list[int] | None: ...

class SetTables:
    """Sums over the contingency tables of all small sets of columns."""

    def __len__(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    def serve(self, score: Score, limits: SearchLimits) -> bool: ...

def count_tables(scores: Sequence[Score], limits: SearchLimits) -> SetTables | None: ...
def parent_sets_from_tables(
    score: Score, limits: SearchLimits, tables: SetTables
) -> ParentSets: ...
def source_digest() -> str:
    """
    Digest of the sources of this module: the same for every build of them.
    """

class SparsestPermutation:
    def __init__(
        self,
        *,
        alpha: float,
        depth: int,
        max_steps: int,
        starts: int,
        draws: int,
        by_degree: bool,
        take_sparsest: bool,
        seed: int,
    ) -> None: ...

def sparsest_permutation(
    test: IndependenceTest, how: SparsestPermutation
) -> tuple[MarkedGraph, int]:
    """The sparsest DAG found, and how often it became sparser."""

def allowed_threads() -> int:
    """How many threads a computation of this thread may use."""

def allow_threads(threads: int) -> int:
    """Says so, and tells what it was before."""

def unconditional_chain(
    score: Score, power: float, max_parents: int, log_prior: Sequence[float], options: ChainOptions
) -> UndirectedLog:
    """
    A chain of unconditional dependence graphs from the one without edges, with the log prior weight of each number of sources.
    """

class UndirectedLog:
    """
    A chain of undirected graphs as the changes from one saved state to the next.
    """

    def __len__(self) -> int:
        """The number of saved states, those like the state before too."""

    @property
    def index(self) -> NDArray[numpy.int64]: ...
    @property
    def score(self) -> NDArray[numpy.float64]: ...
    @property
    def continuous(self) -> bool: ...
    @property
    def times(self) -> NDArray[numpy.float64]: ...
    @property
    def end(self) -> float:
        """When the last state ends."""

    @property
    def added(self) -> NDArray[numpy.int32]: ...
    @property
    def removed(self) -> NDArray[numpy.int32]: ...
    @property
    def added_starts(self) -> NDArray[numpy.int64]: ...
    @property
    def removed_starts(self) -> NDArray[numpy.int64]: ...
    @property
    def edge_means(self) -> NDArray[numpy.float64]:
        """A row for each stretch of the chain."""

    @property
    def edge_lengths(self) -> NDArray[numpy.float64]: ...
