"""Results of queries: a table of probabilities, a normal distribution, an assignment."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from dagathlon.data.models.distributions import FloatArray
from dagathlon.errors import DataError, unknown


@dataclass(frozen=True, eq=False)
class TableAnswer:
    """Joint distribution of discrete variables given evidence.

    Parameters
    ----------
    targets
        The variables, in the order of the axes.
    levels
        Their levels.
    probabilities
        One axis per target; they sum to 1.
    log_evidence
        Natural logarithm of the probability (density) of the evidence.

    Examples
    --------
    >>> from dagathlon.data import Network
    >>> answer = Network.load("asia").query("lung", {"smoke": "yes"})
    >>> round(answer["yes"], 3)
    0.1
    """

    targets: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    probabilities: FloatArray
    log_evidence: float = 0.0

    def __getitem__(self, chosen: str | tuple[str, ...]) -> float:
        """Return the probability of one level of each target, given in the order of the targets."""
        labels = (chosen,) if isinstance(chosen, str) else tuple(chosen)
        if len(labels) != len(self.targets):
            raise DataError(
                f"a level of each of {', '.join(self.targets)} is expected, found {labels!r}"
            )
        for name, level, known in zip(self.targets, labels, self.levels, strict=True):
            if level not in known:
                raise DataError(unknown("level", level, known, f"variable {name!r}"))
        place = tuple(k.index(level) for k, level in zip(self.levels, labels, strict=True))
        return float(self.probabilities[place])

    def rows(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield levels of the targets with their probability, the last target varying fastest."""
        cells = self.probabilities.ravel().tolist()
        yield from zip(product(*self.levels), cells, strict=True)

    def __repr__(self) -> str:
        shown = [f"{', '.join(levels)}: {p:.4g}" for levels, p in self.rows()]
        rest = f"; … ({len(shown)} in all)" if len(shown) > 12 else ""
        return f"P({', '.join(self.targets)}): {'; '.join(shown[:12])}{rest}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in (*self.targets, "probability"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(x)}</td>" for x in (*levels, f"{p:.4g}")) + "</tr>"
            for levels, p in self.rows()
        )
        return f"<table><tr>{head}</tr>{body}</table>"


@dataclass(frozen=True, eq=False)
class NormalAnswer:
    """Mean and covariance of continuous variables given evidence.

    In a Gaussian network their distribution is normal; in a conditional Gaussian one it is a
    mixture of normals, of which these are the moments.

    Parameters
    ----------
    targets
        The variables.
    mean
        Their means.
    covariance
        Their covariance matrix.
    log_evidence
        Natural logarithm of the density (probability) of the evidence.
    mixture
        Whether the distribution is a mixture, and so not normal itself.
    """

    targets: tuple[str, ...]
    mean: FloatArray
    covariance: FloatArray
    log_evidence: float = 0.0
    mixture: bool = False

    @property
    def sd(self) -> FloatArray:
        """Standard deviations of the targets."""
        deviations: FloatArray = np.sqrt(np.diag(self.covariance))
        return deviations

    def __repr__(self) -> str:
        shown = zip(self.targets, self.mean, self.sd, strict=True)
        return "; ".join(f"{name}: mean {mean:.6g}, sd {sd:.6g}" for name, mean, sd in shown)


@dataclass(frozen=True)
class Assignment:
    """Most probable levels of variables given evidence.

    Parameters
    ----------
    levels
        The level of each variable.
    probability
        Probability of all of them together, given the evidence.
    """

    levels: Mapping[str, str]
    probability: float
