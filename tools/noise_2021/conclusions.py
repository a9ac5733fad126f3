"""The conclusions of the noise study of 2021 one by one, asked of another run of it.

Each is a number and the range in which the conclusion holds. It holds where the whole interval of
the number is in the range, does not where none of it is, and is open otherwise, also where there is
no interval: the paper had one sample of each network. Tables made with ``over="seeds"`` tell what
fresh samples of the same networks give, those with ``over="networks"`` what may be said of networks
like these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from dagathlon.evaluations.noise.resampling import number
from dagathlon.evaluations.noise.tables import NoiseStudyTables
from dagathlon.frame import Cells
from noise_2021.claims import CLAIMS, Claim
from noise_2021.evidence import Evidence

Verdict: TypeAlias = Literal["yes", "no", "open"]


class Conclusion(NamedTuple):
    """What became of a conclusion of the paper.

    Parameters
    ----------
    statement
        What the paper concludes.
    metric
        By which metric; empty where none is asked.
    number
        What the estimate is.
    paper
        What the paper has.
    holds
        Whether it holds here; None where this run lacks the algorithms or codes.
    estimate
        Of this run.
    interval
        Its 95 % interval, as the tables were made; None with fewer than two blocks.
    """

    statement: str
    metric: str
    number: str
    paper: str
    holds: Verdict | None
    estimate: float | None
    interval: tuple[float, float] | None


def conclusions(tables: NoiseStudyTables) -> list[Conclusion]:
    """All conclusions of the paper, as this run has them.

    Parameters
    ----------
    tables
        Of a run whose algorithms have the names of the study file: ``hc``, ``pc-stable``, ...
    """
    evidence = Evidence(tables)
    return [_conclusion(claim, metric, evidence) for claim in CLAIMS for metric in claim.metrics]


def _conclusion(claim: Claim, metric: str, evidence: Evidence) -> Conclusion:
    known = claim.statement, metric, claim.number, claim.paper
    try:
        found = evidence.estimate(claim.answer(evidence, metric))
    except KeyError:  # an algorithm or a code that this run does not have
        return Conclusion(*known, None, None, None)
    value, low, high = (number(end) for end in (found.value, found.low, found.high))
    interval = None if low is None or high is None else (low, high)
    return Conclusion(*known, _verdict(claim, value, interval), value, interval)


def _verdict(
    claim: Claim, value: float | None, interval: tuple[float, float] | None
) -> Verdict | None:
    if value is None:
        return None
    if interval is None:
        return "open"
    low, high = interval
    if claim.least < low and high < claim.most:
        return "yes"
    return "no" if high <= claim.least or low >= claim.most else "open"


def rank_correlation_rows(
    tables: NoiseStudyTables, averages: Mapping[tuple[bool, str], Mapping[str, float]]
) -> list[Cells]:
    """Spearman's correlation of our average ranks with those of another study, with intervals.

    Resamples are noisier than the data, so that intervals lie rather too low.

    Parameters
    ----------
    tables
        Ours.
    averages
        By whether there is noise, and metric: the other study's average rank of each algorithm.
    """
    evidence = Evidence(tables)
    result: list[Cells] = []
    for (noisy, metric), others in averages.items():
        found = evidence.estimate(evidence.correlation(metric, others, noisy=noisy))
        row: Cells = {"noisy": noisy, "metric": metric} | found.cells("spearman")
        names = set(tables.grid.algorithms) & set(others)
        result.append(row | {"algorithms": len(names)})
    return result
