"""An enumeration of all DAGs in NumPy, with marginal likelihoods written down anew."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp, multigammaln

from strategies import all_dags

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Family = Callable[[int, tuple[int, ...]], tuple[float, float]]


def paths_of(dags: Bools) -> Bools:
    """Whether directed edges lead from row to column."""
    found = dags
    for _ in range(dags.shape[1]):
        found = found | ((found.astype(np.int64) @ dags.astype(np.int64)) > 0)
    return found


def class_of(arcs: Bools) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int, int]]]:
    """Joined pairs and v-structures, of a DAG or of a CPDAG with edges both ways."""
    joined = arcs | arcs.T
    into = arcs & ~arcs.T
    d = len(arcs)
    skeleton = frozenset((i, j) for i, j in itertools.combinations(range(d), 2) if joined[i, j])
    meets = frozenset(
        (i, c, j)
        for c in range(d)
        for i, j in itertools.combinations(range(d), 2)
        if into[i, c] and into[j, c] and not joined[i, j]
    )
    return skeleton, meets


@cache
def classes_of_all(d: int) -> list[object]:
    """The class of each DAG."""
    return [class_of(dag) for dag in all_dags(d)]


class Enumerated(NamedTuple):
    """All that is asked of a posterior, by brute force."""

    dags: Bools
    shares: Floats
    log_evidence: float

    @property
    def edges(self) -> Floats:
        return np.einsum("k,kij->ij", self.shares, self.dags)

    @property
    def paths(self) -> Floats:
        return np.einsum("k,kij->ij", self.shares, paths_of(self.dags))

    @property
    def entropy(self) -> float:
        positive = self.shares[self.shares > 0]
        return -math.fsum(positive * np.log(positive))

    def classes(self) -> dict[object, float]:
        found: dict[object, float] = {}
        keys = classes_of_all(self.dags.shape[1])
        for key, share in zip(keys, self.shares.tolist(), strict=True):
            found[key] = found.get(key, 0.0) + share
        return found


def enumerated(d: int, log_likelihood: Floats, log_prior: Floats) -> Enumerated:
    """The posterior of all DAGs, those with a prior of zero among them."""
    joint = log_likelihood + log_prior
    total = logsumexp(joint)
    return Enumerated(all_dags(d), np.exp(joint - total), float(total - logsumexp(log_prior)))


def log_priors(d: int) -> dict[str, Floats]:
    """Priors up to a constant."""
    degrees = all_dags(d).sum(axis=1)
    q = 2 * 0.5 / (d - 1)
    fair = np.array([-math.log(math.comb(d - 1, k)) for k in range(d)])
    return {
        "uniform": np.zeros(len(degrees)),
        "er": degrees.sum(axis=1) * math.log(q / (1 - q)),
        "scale_free": -3 * np.log1p(degrees).sum(axis=1),
        "fair": fair[degrees].sum(axis=1),
    }


def log_likelihoods(d: int, family: Family, shape: float = 0.0, rate: float = 1.0) -> Floats:
    """Σ first - shape·log(rate + Σ second) of all DAGs, by their families."""
    dags = all_dags(d)
    powers = 1 << np.arange(d)
    first, second = np.zeros(len(dags)), np.zeros(len(dags))
    for j in range(d):
        sets, where = np.unique(powers @ dags[:, :, j].T, return_inverse=True)
        members = [tuple(i for i in range(d) if mask >> i & 1) for mask in sets.tolist()]
        terms = np.array([family(j, parents) for parents in members])
        first, second = first + terms[where, 0], second + terms[where, 1]
    return np.asarray(first - shape * np.log(rate + second))


def nig_family(values: Floats, kept: Bools) -> Family:
    """Density of a multivariate t: the rows of a node, coefficients and variance integrated out."""

    def term(j: int, parents: tuple[int, ...]) -> tuple[float, float]:
        first, second = pooled_family(values, kept)(j, parents)
        rows = kept[:, j].sum()
        gammas = gammaln(4 + rows / 2) - gammaln(4) + 4 * math.log(0.5)
        return float(first + gammas - (4 + rows / 2) * math.log(0.5 + second)), 0.0

    return term


def pooled_family(values: Floats, kept: Bools) -> Family:
    """What is left of that density when the variance is one for all nodes."""

    def term(j: int, parents: tuple[int, ...]) -> tuple[float, float]:
        rows = values[kept[:, j]]
        given = rows[:, list(parents)]
        spread = np.eye(len(rows)) + given @ given.T
        square = rows[:, j] @ np.linalg.solve(spread, rows[:, j]) if len(rows) else 0.0
        size = -len(rows) / 2 * math.log(2 * math.pi)
        return float(size - np.linalg.slogdet(spread)[1] / 2), float(square / 2)

    return term


def bge_family(values: Floats, kept: Bools) -> Family:
    """Quotients of the marginal likelihoods of sets of columns (Kuipers, Moffa, Heckerman 2014)."""
    p = values.shape[1]
    mean_size, freedom = 1.0, p + 2.0
    scale = mean_size * (freedom - p - 1) / (mean_size + 1)

    def of_set(rows: Floats, columns: list[int]) -> float:
        n, size = len(rows), len(columns)
        if not size:
            return 0.0
        before, after = freedom - p + size, freedom - p + size + n
        centred = rows[:, columns] - rows[:, columns].mean(axis=0)
        square = scale * np.eye(size) + centred.T @ centred
        return float(
            -size * n / 2 * math.log(math.pi)
            + size / 2 * math.log(mean_size / (n + mean_size))
            + multigammaln(after / 2, size)
            - multigammaln(before / 2, size)
            + before / 2 * size * math.log(scale)
            - after / 2 * np.linalg.slogdet(square)[1]
        )

    def term(j: int, parents: tuple[int, ...]) -> tuple[float, float]:
        rows = values[kept[:, j]]
        return of_set(rows, [j, *parents]) - of_set(rows, list(parents)), 0.0

    return term


def bde_family(codes: npt.NDArray[np.integer], arities: tuple[int, ...], kept: Bools) -> Family:
    """Dirichlet densities of counts, with an imaginary sample of one in all."""

    def term(j: int, parents: tuple[int, ...]) -> tuple[float, float]:
        rows = codes[kept[:, j]]
        cells = math.prod(arities[i] for i in parents)
        total = 0.0
        for values in itertools.product(*(range(arities[i]) for i in parents)):
            mine = rows[np.all(rows[:, list(parents)] == values, axis=1), j]
            counts = np.bincount(mine, minlength=arities[j])
            each = 1 / cells / arities[j]
            total += gammaln(1 / cells) - gammaln(1 / cells + counts.sum())
            total += float((gammaln(each + counts) - gammaln(each)).sum())
        return total, 0.0

    return term
