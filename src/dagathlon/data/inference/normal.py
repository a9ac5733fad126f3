"""Exact inference with continuous variables: conditional normals and their mixtures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from dagathlon.data.inference.answer import NormalAnswer, TableAnswer
from dagathlon.data.inference.discrete import impossible_evidence
from dagathlon.data.inference.evidence import Evidence
from dagathlon.data.models.distributions import FloatArray, Gaussian, Table
from dagathlon.errors import DataError
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network

MOST_CONFIGURATIONS = 20_000
# Relative error above which a value contradicts an exact (deterministic) relation.
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Component:
    """Normal distribution of the continuous targets at one configuration of the discrete variables.

    The log weight is the log probability of the configuration plus the log density of the
    evidence.
    """

    configuration: dict[str, int]
    log_weight: float
    mean: FloatArray
    covariance: FloatArray


def continuous_answer(network: Network, targets: Sequence[str], evidence: Evidence) -> NormalAnswer:
    """Return mean and covariance of continuous targets."""
    parts = _components(network, targets, evidence)
    weights, log_total = _weights(network, parts, evidence)
    means = np.array([part.mean for part in parts])
    mean = weights @ means
    centred = means - mean
    covariance = np.einsum("k,kij->ij", weights, np.array([part.covariance for part in parts]))
    covariance = covariance + (centred * weights[:, None]).T @ centred
    return NormalAnswer(tuple(targets), mean, covariance, log_total, len(parts) > 1)


def discrete_answer(network: Network, targets: Sequence[str], evidence: Evidence) -> TableAnswer:
    """Return the distribution of discrete targets given values of continuous variables."""
    parts = _components(network, targets, evidence)
    weights, log_total = _weights(network, parts, evidence)
    levels = tuple(_levels(network, name) for name in targets)
    table = np.zeros([len(labels) for labels in levels])
    for part, weight in zip(parts, weights, strict=True):
        table[tuple(part.configuration[name] for name in targets)] += weight
    return TableAnswer(tuple(targets), levels, table, log_total)


def _weights(
    network: Network, parts: list[Component], evidence: Evidence
) -> tuple[FloatArray, float]:
    logs = np.array([part.log_weight for part in parts])
    if not parts or logs.max() == -math.inf:
        raise (
            DataError(
                "the evidence is impossible under the network: values contradict each other where "
                "a variable follows from others without noise"
            )
            if evidence.values
            else impossible_evidence(network, evidence)
        )
    scaled = np.exp(logs - logs.max())
    return scaled / scaled.sum(), float(logs.max() + math.log(scaled.sum()))


def _components(network: Network, targets: Sequence[str], evidence: Evidence) -> list[Component]:
    relevant = network.graph.ancestors([*targets, *evidence.names])
    order = [name for name in network.graph.topological_order() if name in set(relevant)]
    discrete = [name for name in order if isinstance(network.distribution(name), Table)]
    continuous = [name for name in order if name not in set(discrete)]
    wanted = [continuous.index(name) for name in targets if name in set(continuous)]
    seen = [continuous.index(name) for name in evidence.values]
    values = np.array(list(evidence.values.values()))
    parts = []
    for configuration, log_weight in _configurations(network, discrete, evidence):
        beat()
        mean, covariance = _moments(network, continuous, configuration)
        part = _conditioned(mean, covariance, wanted, seen, values)
        if part is not None:
            parts.append(Component(configuration, log_weight + part[0], part[1], part[2]))
    return parts


def _configurations(
    network: Network, discrete: list[str], evidence: Evidence
) -> Iterator[tuple[dict[str, int], float]]:
    """Yield possible configurations of the discrete variables with their log probability."""
    choices = [
        [evidence.levels[name]]
        if name in evidence.levels
        else list(range(len(_levels(network, name))))
        for name in discrete
    ]
    count = math.prod(map(len, choices))
    if count > MOST_CONFIGURATIONS:
        raise DataError(
            f"an exact answer goes through {count:,} configurations of the discrete variables, "
            f"allowed are {MOST_CONFIGURATIONS:,}; give evidence on more of them"
        )
    for chosen in product(*choices):
        configuration = dict(zip(discrete, chosen, strict=True))
        weight = math.prod(
            [_probability(network, name, configuration) for name in discrete]
            + [float(numbers[configuration[n]]) for n, numbers in evidence.likelihoods.items()]
        )
        if weight > 0:
            yield configuration, math.log(weight)


def _levels(network: Network, name: str) -> tuple[str, ...]:
    table = network.distribution(name)
    assert isinstance(table, Table)
    return table.levels


def _probability(network: Network, name: str, configuration: dict[str, int]) -> float:
    table = network.distribution(name)
    assert isinstance(table, Table)
    return float(table.probabilities[tuple(configuration[n] for n in (*table.parents, name))])


def _moments(
    network: Network, continuous: list[str], configuration: dict[str, int]
) -> tuple[FloatArray, FloatArray]:
    """Return mean and covariance of the continuous variables at one discrete configuration."""
    p = len(continuous)
    mean, covariance = np.zeros(p), np.zeros((p, p))
    place = {name: k for k, name in enumerate(continuous)}
    for k, name in enumerate(continuous):
        given = network.distribution(name)
        assert isinstance(given, Gaussian)
        chosen = tuple(configuration[parent] for parent in given.discrete_parents)
        weights = np.zeros(p)
        weights[[place[n] for n in given.continuous_parents]] = given.coefficients[chosen]
        mean[k] = given.intercept[chosen] + weights @ mean
        shared = covariance @ weights
        covariance[k], covariance[:, k] = shared, shared
        covariance[k, k] = weights @ shared + given.sd[chosen] ** 2
    return mean, covariance


def _conditioned(
    mean: FloatArray,
    covariance: FloatArray,
    wanted: list[int],
    seen: list[int],
    values: FloatArray,
) -> tuple[float, FloatArray, FloatArray] | None:
    """Condition a normal: log density of the evidence, mean and covariance of the targets, or None.

    Directions without variance (variables that were set or are determined by others) must agree
    with the evidence: the result is None where they do not.
    """
    covariance_of_targets = covariance[np.ix_(wanted, wanted)]
    if not seen:
        return 0.0, mean[wanted], covariance_of_targets
    scale = np.sqrt(np.diag(covariance)[seen])
    scale[scale == 0] = np.maximum(np.abs(mean[seen]), 1.0)[scale == 0]
    spread = covariance[np.ix_(seen, seen)] / np.outer(scale, scale)
    variances, directions = np.linalg.eigh(spread)
    misses = directions.T @ ((values - mean[seen]) / scale)
    free = variances > _TOLERANCE**1.5
    if (np.abs(misses[~free]) > _TOLERANCE).any():
        return None
    shared = (covariance[np.ix_(wanted, seen)] / scale) @ directions[:, free]
    scaled = shared / variances[free]
    density = -0.5 * float(
        np.sum(misses[free] ** 2 / variances[free]) + np.sum(np.log(2 * math.pi * variances[free]))
    ) - float(np.log(scale).sum())
    given = covariance_of_targets - scaled @ shared.T
    return density, mean[wanted] + scaled @ misses[free], given
