"""Differences that conclusions on noise are about: positive where they hold.

Each is a function of the evidence and a metric (empty where none is asked) and gives the number of
the data as they are, then of each resample. A KeyError says that the run lacks what is asked; of a
group of algorithms those count that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from dagathlon.evaluate.ranking.ranks import Floats
from dagathlon.evaluations.noise.grid import CLEAN, METRICS
from dagathlon.evaluations.noise.resampling import known_mean
from dagathlon.evaluations.noise.strengths import ALL_NOISE
from noise_2021.evidence import Evidence

Names: TypeAlias = Sequence[str]
Answer: TypeAlias = Callable[[Evidence, str], Floats]

SCORE_BASED = ("fges", "hc", "ilp", "notears", "tabu", "winasobs")
"""Learning classes as in Table 4."""
CONSTRAINT_BASED = ("fci", "gs", "inter-iamb", "pc-stable")
HYBRID = ("gfci", "h2pc", "mmhc", "rfci-bsc", "saiyanh")
_LATENT = ("fci", "gfci", "rfci-bsc")
_MANY_EDGES = ("hc", "ilp", "saiyanh", "tabu", "winasobs")
_ALL = tuple(METRICS)


def lead(names: Names, *, noisy: bool, among: Names = ()) -> Answer:
    """By how much the last of some algorithms is ahead of the first of the others."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        ranks = evidence.averages[noisy, metric]
        others = evidence.others(names)
        if among:
            others = [j for j in evidence.some(among) if j in others]
        return _least(ranks[:, others]) - _most(ranks[:, evidence.columns(names)])

    return answer


def lead_of_others(names: Names, *, noisy: bool) -> Answer:
    """By how much the first of some algorithms is behind the last of the others."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        ranks = evidence.averages[noisy, metric]
        own, others = evidence.some(names), evidence.others(names)
        return _least(ranks[:, own]) - _most(ranks[:, others])

    return answer


def _least(values: Floats) -> Floats:
    """Over columns, those apart that a resample has no number of."""
    if not values.shape[1]:
        raise KeyError("nothing to compare with")
    return np.where(np.isnan(values).all(axis=1), np.nan, np.fmin.reduce(values, axis=1))


def _most(values: Floats) -> Floats:
    return -_least(-values)


def place(name: str, *, noisy: bool) -> Answer:
    """The overall rank of an algorithm."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        ranks = evidence.averages[noisy, metric]
        own = ranks[:, evidence.columns([name])]
        found = 1.0 + (ranks < own - 1e-9).sum(axis=1)
        return np.where(np.isnan(own[:, 0]), np.nan, found)

    return answer


def behind(evidence: Evidence, metric: str) -> Floats:
    """How much more of its lead over HC TABU loses by noise."""
    tabu, hc = evidence.columns(["tabu", "hc"])
    gain = evidence.gain(metric)
    return gain[:, hc] - gain[:, tabu]


def gains_most(name: str, sign: int) -> Answer:
    """By how much an algorithm gains (1) or loses (-1) more average rank than all others."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        gain = sign * evidence.gain(metric)
        own = gain[:, evidence.columns([name])[0]]
        return own - _most(gain[:, evidence.others([name])])

    return answer


def ahead(first: Names, second: Names, *, noisy: bool) -> Answer:
    """By how much some algorithms are ahead of others on average."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        ranks = evidence.averages[noisy, metric]
        before, behind = (ranks[:, evidence.some(names)] for names in (first, second))
        return known_mean(behind, 1) - known_mean(before, 1)

    return answer


def latent_gain(evidence: Evidence, metric: str) -> Floats:
    """How much better learners of latent variables rank where variables are hidden."""
    codes = [code for code in evidence.grid.codes if "L" in code]
    if not codes:
        raise KeyError("L")
    gain = evidence.gain(metric, codes)[:, evidence.some(_LATENT)]
    return known_mean(gain, 1)


def loss(code: str) -> Answer:
    """How much accuracy one code takes, as a share."""
    return lambda evidence, metric: evidence.losses[code, metric]


def worse(code: str, others: Names) -> Answer:
    """How much more accuracy one code takes than each of some others."""

    def answer(evidence: Evidence, metric: str) -> Floats:
        rest = np.array([evidence.losses[other, metric] for other in others]).T
        own = evidence.losses[code, metric]
        return own - _most(rest.reshape(len(own), len(others)))

    return answer


def worst_of_all(evidence: Evidence, metric: str) -> Floats:
    """How much more accuracy all kinds of noise together take than any other code."""
    others = [code for code, m in evidence.losses if m == metric and code != ALL_NOISE]
    return worse(ALL_NOISE, others)(evidence, metric)


def not_cumulative(evidence: Evidence, metric: str) -> Floats:
    """How much less accuracy all kinds of noise together take than the sum of the four."""
    parts = [evidence.losses[code, metric] for code in ("M5", "I5", "S5", "L5")]
    total: Floats = np.sum(parts, axis=0) - evidence.losses[ALL_NOISE, metric]
    return total


def longer(codes: Names, than: Names = ()) -> Answer:
    """Run time with some codes, relative to that without noise, over that with others."""

    def answer(evidence: Evidence, _: str) -> Floats:
        times: Floats = np.mean([evidence.times[code] for code in codes], axis=0)
        return times - (np.mean([evidence.times[code] for code in than], axis=0) if than else 1.0)

    return answer


def edge_change(code: str) -> Answer:
    """How many more edges there are with one code, as a share."""
    return lambda evidence, _: evidence.edges[code] - 1


def agree(evidence: Evidence, _: str, *, noisy: bool = False) -> Floats:
    """How much more F1 agrees with BSF than with SHD, by rank correlation."""
    f1, shd, bsf = (_ALL.index(metric) for metric in ("f1", "shd", "bsf"))
    found = evidence.agreement(noisy=noisy)
    return found[:, f1, bsf] - found[:, f1, shd]


def resilient(evidence: Evidence, _: str) -> Floats:
    """How much more accuracy H2PC and MMHC keep than any other."""
    kept = evidence.kept()
    best = ["h2pc", "mmhc"]
    return _least(kept[:, evidence.columns(best)]) - _most(kept[:, evidence.others(best)])


def underfit(evidence: Evidence, _: str) -> Floats:
    """How far GS and MMHC stay behind the number of true edges."""
    return 1 - _most(evidence.edge_shares()[:, evidence.columns(["gs", "mmhc"])])


def more_edges(evidence: Evidence, _: str) -> Floats:
    """How many more edges five algorithms have than any other, relative to the truth."""
    shares = evidence.edge_shares()
    many = shares[:, evidence.some(_MANY_EDGES)]
    return _least(many) - _most(shares[:, evidence.others(_MANY_EDGES)])


def _mean_f1(evidence: Evidence, name: str, value: object) -> Floats:
    """Mean F1 of all algorithms without noise on one network or with one number of rows."""
    rows = evidence.grid.where(lambda case: case.code == CLEAN and getattr(case, name) == value)
    return known_mean(evidence.drawn.means(evidence.grid.only("f1", rows)), 1)


def more_rows(evidence: Evidence, _: str) -> Floats:
    """How much more F1 there is with the most rows than with the fewest."""
    sizes = evidence.grid.sizes
    if len(sizes) < 2:
        raise KeyError("n")
    return _mean_f1(evidence, "n", sizes[-1]) - _mean_f1(evidence, "n", sizes[0])


def failures_of(names: Names) -> Answer:
    """Share of failed runs of some algorithms."""

    def answer(evidence: Evidence, _: str) -> Floats:
        columns = evidence.some(names)
        failed = np.where(evidence.grid.took_part, evidence.grid.failed, np.nan)[:, columns]
        return known_mean(evidence.drawn.means(failed), 1)

    return answer


def hardest(network: str) -> Answer:
    """How much more F1 there is on the next hardest network."""

    def answer(evidence: Evidence, _: str) -> Floats:
        others = [name for name in evidence.grid.networks if name != network]
        if not others or network not in evidence.grid.networks:
            raise KeyError(network)
        rest = np.stack([_mean_f1(evidence, "network", name) for name in others], axis=1)
        return _least(rest) - _mean_f1(evidence, "network", network)

    return answer
