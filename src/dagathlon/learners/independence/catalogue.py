"""The names of the tests, what data each takes, and how its native kernel is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.facts import DataKind
from dagathlon.data.imputation import stacked_copies
from dagathlon.errors import DataError, listing, unknown
from dagathlon.learners.independence.normal_scores import normal_scores
from dagathlon.learners.independence.places import places_of_rows
from dagathlon.learners.independence.testable import order_of_columns, order_of_tables
from dagathlon.learners.indicators import indicator_columns
from dagathlon.learners.score.score_kinds import ScoreName, ScoreParameters, shared_scores
from dagathlon.learners.score.scores import native_score
from dagathlon.modules import SharedCode
from dagathlon.modules.lineage import FIRST

GaussianName: TypeAlias = Literal[
    "zf", "cor", "mi-g", "mi-g-sh", "mc-zf", "mc-cor", "mc-mi-g", "smc-zf", "smc-cor", "smc-mi-g",
    "gaussCItest", "sem-bic", "kci", "fast-kci", "rcit", "rcot",
    "zf-ranks",
]  # fmt: skip
DiscreteName: TypeAlias = Literal[
    "mi", "mi-seen", "mi-adf", "mi-sh", "mc-mi", "smc-mi", "sp-mi",
    "x2", "x2-seen", "x2-adf", "mc-x2", "smc-x2", "sp-x2", "jt", "mc-jt", "smc-jt",
    "binCItest", "disCItest", "disCItest-adapt", "g-square", "chi-square",
    "bdeu", "disc-bic",
]  # fmt: skip
TestName: TypeAlias = Literal[
    GaussianName, DiscreteName, "mi-cg", "lr-cg", "lr-dg", "wilks-dg", "cmi-knn",
]  # fmt: skip

# Both take indicators of levels for normal.
_DEGENERATE = ("degenerate-gaussian", "wilks")
# Each configuration of the discrete variables has parameters of its own.
_BY_CELLS = ("conditional-gaussian", "likelihood-ratio")
# What needs whole rows, and whose matrices are of rows by rows or of random features.
_BY_KERNELS = ("kernel", "block-kernel", "fourier", "fourier-joined")
# pcalg cuts correlations here before it takes Fisher's z.
_PCALG_LARGEST = 0.9999999
_TETRAD_DEFAULTS = ScoreParameters(iss=10.0, penalty_discount=2.0)
_MONTE_CARLO = 5000
_SEQUENTIAL = 500
_SEMIPARAMETRIC = 100
_NEIGHBOURS = 200
# A kernel test holds some five matrices of rows by rows: about a gigabyte.
_KERNEL_ROWS = 5000


@dataclass(frozen=True)
class TestKind:
    """One test: the data it takes and the settings of its kernel.

    Parameters
    ----------
    kinds
        Kinds of data.
    statistic
        Name of the statistic in the native kernel.
    df
        How degrees of freedom are counted, for tests on tables.
    largest_correlation
        Where correlations are cut before Fisher's z is taken.
    replicates
        Number of permutations unless the user says otherwise; 0 for tests without.
    semiparametric
        Whether the permutations estimate degrees of freedom.
    untestable_is_dependent
        Whether a question that the data cannot answer counts as dependence.
    score
        Name of the score that decides, for tests by score: variables are independent when an edge
        between them does not pay, whatever the level of significance.
    draws
        Whether it draws random numbers of its own.
    ranks
        Whether columns are replaced by normal scores of their ranks.
    max_rows
        The most rows, for tests whose memory grows with their square; 0 for no limit.
    version
        Raised when it begins to give other numbers.
    """

    __test__ = False

    kinds: frozenset[DataKind]
    statistic: str
    df: str = "full"
    largest_correlation: float = 1.0
    replicates: int = 0
    semiparametric: bool = False
    untestable_is_dependent: bool = False
    score: str = ""
    draws: bool = False
    ranks: bool = False
    max_rows: int = 0
    version: int = 1

    @property
    def takes_gaps(self) -> bool:
        """Whether rows with gaps can be left out of each test."""
        return self.statistic not in (*_BY_KERNELS, "neighbours") and not self.score

    @property
    def needs_seed(self) -> bool:
        """Whether its answers hang on random numbers."""
        return self.draws or self.replicates > 0

    def testable_order(self, data: Dataset) -> int:
        """The largest number of given variables for which the rows may suffice."""
        by_cells = self.kinds == _DISCRETE or self.statistic in _BY_CELLS
        discrete = any(variable.is_discrete for variable in data.variables)
        return order_of_tables(data) if by_cells and discrete else order_of_columns(data)

    def make(
        self, data: Dataset, *, rowwise: bool, replicates: int | None, seed: int
    ) -> _core.IndependenceTest:
        """The native test on these data; with `rowwise` rows with gaps are left out per test."""
        test = self._kernel(data, rowwise, replicates or self.replicates, seed)
        test.undefined_is_independent = not self.untestable_is_dependent
        return test

    def make_pooled(self, data: Dataset, *, copies: int, seed: int) -> _core.IndependenceTest:
        """The native test pooled over imputed copies of the data."""
        return self._pooled(data, *stacked_copies(data, copies, seed=seed), copies)

    def pool(self, completed: Sequence[Dataset]) -> _core.IndependenceTest:
        """The native test pooled over copies that somebody else has completed."""
        codes = np.concatenate([copy.codes for copy in completed]).astype(np.uint16)
        values = np.concatenate([copy.values for copy in completed])
        return self._pooled(completed[0], codes, values, len(completed))

    def _pooled(
        self,
        data: Dataset,
        codes: npt.NDArray[np.uint16],
        values: npt.NDArray[np.float64],
        copies: int,
    ) -> _core.IndependenceTest:
        """Of copies one below the other."""
        arities = list(data.arities)
        if self.kinds == _CONTINUOUS:
            return _core.pooled_gaussian_test(values, copies, self.largest_correlation)
        if self.kinds == _DISCRETE:
            return _core.pooled_discrete_test(codes, arities, copies)
        if self.statistic in _DEGENERATE:
            stacked = Dataset(data.variables, codes=codes, values=values)
            return _core.pooled_degenerate_test(*indicator_columns(stacked), copies)
        is_discrete = [variable.is_discrete for variable in data.variables]
        return _core.pooled_mixed_test(codes, arities, values, is_discrete, copies)

    def _kernel(
        self, data: Dataset, rowwise: bool, replicates: int, seed: int
    ) -> _core.IndependenceTest:
        if self.score:
            return _core.score_test(native_score(data, self.score, _TETRAD_DEFAULTS))
        if self.statistic == "neighbours":
            return _core.neighbour_test(*places_of_rows(data), replicates, seed)
        if self.kinds == _ANY:
            return self._mixed(data, rowwise)
        if self.kinds == _CONTINUOUS:
            return self._continuous(data, rowwise, replicates, seed)
        arities = list(data.arities)
        if self.replicates:
            return _core.discrete_permutation_test(
                data.codes, arities, self.statistic, replicates, seed, self.semiparametric
            )
        return _core.discrete_test(data.codes, arities, self.statistic, self.df)

    def _continuous(
        self, data: Dataset, rowwise: bool, replicates: int, seed: int
    ) -> _core.IndependenceTest:
        if self.statistic in _BY_KERNELS:
            return self._by_kernels(data, seed)
        if self.replicates:
            return _core.gaussian_permutation_test(data.values, self.statistic, replicates, seed)
        if not (rowwise or self.ranks or self.statistic == "shrunk"):
            moments = data.known_moments
            if moments is not None:
                cut = self.largest_correlation
                return _core.gaussian_test_by_moments(moments, self.statistic, cut)
        values = normal_scores(data.values) if self.ranks else data.values
        return _core.gaussian_test(values, self.statistic, self.largest_correlation, rowwise)

    def _by_kernels(self, data: Dataset, seed: int) -> _core.IndependenceTest:
        if self.statistic == "kernel":
            return _core.kernel_test(data.values)
        if self.statistic == "block-kernel":
            return _core.block_kernel_test(data.values, seed)
        return _core.fourier_test(data.values, self.statistic == "fourier-joined", seed)

    def _mixed(self, data: Dataset, rowwise: bool) -> _core.IndependenceTest:
        if self.statistic in _DEGENERATE:
            bartlett = self.statistic == "wilks"
            return _core.degenerate_gaussian_test(*indicator_columns(data), bartlett, rowwise)
        is_discrete = [variable.is_discrete for variable in data.variables]
        symmetric = self.statistic == "likelihood-ratio"
        return _core.mixed_test(data.codes, list(data.arities), data.values, is_discrete, symmetric)


_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})
_DISCRETE: frozenset[DataKind] = frozenset({"discrete"})
_ANY: frozenset[DataKind] = frozenset({"continuous", "discrete", "mixed"})

_PLAIN: dict[str, TestKind] = {
    "zf": TestKind(_CONTINUOUS, "fisher-z"),
    "zf-ranks": TestKind(_CONTINUOUS, "fisher-z", ranks=True),
    "cor": TestKind(_CONTINUOUS, "correlation"),
    "mi-g": TestKind(_CONTINUOUS, "information"),
    "mi-g-sh": TestKind(_CONTINUOUS, "shrunk"),
    "gaussCItest": TestKind(_CONTINUOUS, "fisher-z", largest_correlation=_PCALG_LARGEST),
    "mi": TestKind(_DISCRETE, "g-square"),
    "mi-seen": TestKind(_DISCRETE, "g-square", "occupied"),
    "mi-adf": TestKind(_DISCRETE, "g-square", "adjusted"),
    "mi-sh": TestKind(_DISCRETE, "shrunk"),
    "x2": TestKind(_DISCRETE, "chi-square"),
    "x2-seen": TestKind(_DISCRETE, "chi-square", "occupied"),
    "x2-adf": TestKind(_DISCRETE, "chi-square", "adjusted"),
    "jt": TestKind(_DISCRETE, "ordered-pairs"),
    "binCItest": TestKind(_DISCRETE, "g-square", "ten-rows"),
    # As pcalg's, these take any five given variables for a separating set.
    "disCItest": TestKind(_DISCRETE, "g-square", "ten-rows-to-four", version=2),
    "disCItest-adapt": TestKind(_DISCRETE, "g-square", "ten-rows-less-empty", version=2),
    "g-square": TestKind(_DISCRETE, "g-square", "observed", untestable_is_dependent=True),
    "chi-square": TestKind(_DISCRETE, "chi-square", "observed", untestable_is_dependent=True),
    "mi-cg": TestKind(_ANY, "conditional-gaussian"),
    "lr-cg": TestKind(_ANY, "likelihood-ratio"),
    "lr-dg": TestKind(_ANY, "degenerate-gaussian"),
    "wilks-dg": TestKind(_ANY, "wilks"),
    "cmi-knn": TestKind(_ANY, "neighbours", replicates=_NEIGHBOURS, max_rows=_KERNEL_ROWS),
    "kci": TestKind(_CONTINUOUS, "kernel", max_rows=_KERNEL_ROWS),
    "fast-kci": TestKind(_CONTINUOUS, "block-kernel", draws=True, max_rows=10 * _KERNEL_ROWS),
    "rcit": TestKind(_CONTINUOUS, "fourier-joined", draws=True),
    "rcot": TestKind(_CONTINUOUS, "fourier", draws=True),
    "sem-bic": TestKind(_CONTINUOUS, "gain", score="sem-bic"),
    "bdeu": TestKind(_DISCRETE, "gain", score="bdeu"),
    "disc-bic": TestKind(_DISCRETE, "gain", score="disc-bic"),
}


def _permuted() -> dict[str, TestKind]:
    found = {}
    for name in ("zf", "cor", "mi-g", "mi", "x2", "jt"):
        found[f"mc-{name}"] = replace(_PLAIN[name], replicates=_MONTE_CARLO)
        found[f"smc-{name}"] = replace(_PLAIN[name], replicates=_SEQUENTIAL)
    for name in ("mi", "x2"):
        found[f"sp-{name}"] = replace(_PLAIN[name], replicates=_SEMIPARAMETRIC, semiparametric=True)
    return found


TESTS: Mapping[str, TestKind] = {**_PLAIN, **_permuted()}
"""All tests by name. One with ``.td`` at its end leaves out rows with gaps per test, one with
``.mi`` pools over imputed copies of the data."""

DELETION = ".td"
"""What is appended to the name of a test for test-wise deletion."""

IMPUTATION = ".mi"
"""What is appended to the name of a test to pool it over imputed copies of the data."""

POOLED = ("zf", "gaussCItest", "mi", "binCItest", "disCItest", "mi-cg", "lr-dg")
"""Tests that can be pooled."""
# Raised when pooling correlations begins to give other numbers.
_POOLED_FISHER_VERSION = 2


def base_name(name: str) -> str:
    """The name of a test without what says how it treats missing values."""
    return name.removesuffix(DELETION).removesuffix(IMPUTATION)


def kind_of_test(name: str) -> TestKind:
    """The test of that name, with or without an ending; an unknown one is a `DataError`."""
    problem = problem_of_test(name)
    if problem:
        raise DataError(problem)
    return TESTS[base_name(name)]


def problem_of_test(name: str) -> str:
    """Why there is no such test; empty when there is."""
    base = base_name(name)
    if base not in TESTS:
        return unknown("independence test", name, TESTS)
    if name.endswith(DELETION) and not TESTS[base].takes_gaps:
        return (
            f"the test {base!r} cannot leave out rows with gaps; impute them first "
            "(dagathlon.data.impute)"
        )
    if name.endswith(IMPUTATION) and base not in POOLED:
        return (
            f"the test {base!r} cannot be pooled over imputed data; those that can: "
            f"{listing([each + IMPUTATION for each in POOLED])}"
        )
    return ""


def shared_tests(*names: str) -> tuple[SharedCode, ...]:
    """Tests, with or without an ending, as what a learner hands work to."""
    return tuple(_shared(base_name(name), name.endswith(IMPUTATION)) for name in names)


def _shared(name: str, pooled: bool) -> SharedCode:
    test = TESTS[name]
    if pooled:
        version = _POOLED_FISHER_VERSION if test.kinds == _CONTINUOUS else FIRST
        return SharedCode("test", name, version)
    scores = shared_scores([cast(ScoreName, test.score)]) if test.score else ()
    return SharedCode("test", name, test.version, scores)


def suitable_tests(kind: DataKind) -> list[str]:
    """Names of the tests for a kind of data."""
    return [name for name, test in TESTS.items() if kind in test.kinds]


DEFAULT_TESTS: Mapping[DataKind, str] = {"continuous": "cor", "discrete": "mi", "mixed": "wilks-dg"}
"""The test that suits a kind of data when none is chosen; for mixed data by the benchmark
``mixed_tests``."""
