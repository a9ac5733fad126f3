"""The names of the tests, what data each takes, and how its native kernel is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from dagathlon import _core
from dagathlon.data.facts import DataKind

if TYPE_CHECKING:
    from dagathlon.data import Dataset

GaussianName: TypeAlias = Literal["zf", "cor", "mi-g", "mi-g-sh", "gaussCItest"]
DiscreteName: TypeAlias = Literal[
    "mi", "mi-adf", "mi-sh", "x2", "x2-adf", "jt", "binCItest", "disCItest", "disCItest-adapt",
]  # fmt: skip
TestName: TypeAlias = Literal[GaussianName, DiscreteName]

# pcalg cuts correlations here before it takes Fisher's z.
_PCALG_LARGEST = 0.9999999


@dataclass(frozen=True)
class TestKind:
    """One test: the data it takes and the settings of its kernel.

    Parameters
    ----------
    kind
        Kind of data.
    statistic
        Name of the statistic in the native kernel.
    df
        How degrees of freedom are counted, for tests on tables.
    largest_correlation
        Where correlations are cut before Fisher's z is taken.
    binary
        Whether every variable must have two levels.
    """

    __test__ = False

    kind: DataKind
    statistic: str
    df: str = "full"
    largest_correlation: float = 1.0
    binary: bool = False

    def make(self, data: Dataset, rowwise: bool) -> _core.IndependenceTest:
        """The native test on these data; with `rowwise` rows with gaps are left out per test."""
        if self.kind == "continuous":
            return _core.gaussian_test(
                data.values, self.statistic, self.largest_correlation, rowwise
            )
        return _core.discrete_test(data.codes, list(data.arities), self.statistic, self.df)


TESTS: Mapping[str, TestKind] = {
    "zf": TestKind("continuous", "fisher-z"),
    "cor": TestKind("continuous", "correlation"),
    "mi-g": TestKind("continuous", "information"),
    "mi-g-sh": TestKind("continuous", "shrunk"),
    "gaussCItest": TestKind("continuous", "fisher-z", largest_correlation=_PCALG_LARGEST),
    "mi": TestKind("discrete", "g-square"),
    "mi-adf": TestKind("discrete", "g-square", "adjusted"),
    "mi-sh": TestKind("discrete", "shrunk"),
    "x2": TestKind("discrete", "chi-square"),
    "x2-adf": TestKind("discrete", "chi-square", "adjusted"),
    "jt": TestKind("discrete", "ordered-pairs"),
    "binCItest": TestKind("discrete", "g-square", "ten-rows", binary=True),
    "disCItest": TestKind("discrete", "g-square", "ten-rows"),
    "disCItest-adapt": TestKind("discrete", "g-square", "ten-rows-less-empty"),
}
"""All tests by name; a name with ``.td`` at its end leaves out rows with gaps per test."""

DELETION = ".td"
"""What is appended to the name of a test for test-wise deletion."""


def tests_for(kind: DataKind) -> list[str]:
    """Names of the tests for a kind of data."""
    return [name for name, test in TESTS.items() if test.kind == kind]


def base_name(name: str) -> str:
    """The name of a test without the suffix for test-wise deletion."""
    return name.removesuffix(DELETION)


assert set(TESTS) == set(get_args(TestName))
