"""What the noise study of 2021 concludes: statements, the numbers behind them, and their ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dagathlon.evaluations.noise.change import ALL_NOISY
from dagathlon.evaluations.noise.grid import METRICS
from dagathlon.evaluations.noise.strengths import ALL_NOISE
from noise_2021.contrasts import (
    CONSTRAINT_BASED,
    HYBRID,
    SCORE_BASED,
    Answer,
    Names,
    agree,
    ahead,
    behind,
    edge_change,
    failures_of,
    gains_most,
    hardest,
    latent_gain,
    lead,
    lead_of_others,
    longer,
    loss,
    more_edges,
    more_rows,
    not_cumulative,
    place,
    resilient,
    underfit,
    worse,
    worst_of_all,
)

_BALANCED = ("f1", "bsf")
_ALL = tuple(METRICS)
_POOR = ("gs", "inter-iamb", "notears", "rfci-bsc")


@dataclass(frozen=True)
class Claim:
    """A conclusion of the paper.

    Parameters
    ----------
    statement
        What it says.
    number
        What number it is about.
    paper
        What the paper has of it.
    answer
        How the number is computed.
    metrics
        The metrics that it is asked by; one empty name where it is about none.
    least, most
        Between which the number lies where the conclusion holds.
    """

    statement: str
    number: str
    paper: str
    answer: Answer
    metrics: Names = ("",)
    least: float = 0.0
    most: float = math.inf


_LEAD = "lead over the next in average rank"
CLAIMS = (
    Claim(
        "F1 and BSF agree, SHD differs",
        "by how much F1 agrees more with BSF than with SHD",
        "ranks by F1 and BSF differ by at most one",
        agree,
    ),
    Claim(
        "HC and TABU are the first two without noise",
        _LEAD,
        "yes",
        lead(("hc", "tabu"), noisy=False),
        _ALL,
    ),
    Claim(
        "TABU is first without noise",
        "overall rank",
        "1",
        place("tabu", noisy=False),
        _ALL,
        0.5,
        1.5,
    ),
    Claim(
        "HC is second without noise", "overall rank", "2", place("hc", noisy=False), _ALL, 1.5, 2.5
    ),
    Claim(
        "HC is first with noise", "overall rank", "1", place("hc", noisy=True), _BALANCED, 0.5, 1.5
    ),
    Claim(
        "TABU is second with noise",
        "overall rank",
        "2",
        place("tabu", noisy=True),
        _BALANCED,
        1.5,
        2.5,
    ),
    Claim(
        "noise makes TABU lose against HC",
        "average ranks that HC gains on TABU",
        ".38, .41 and .17",
        behind,
        _ALL,
    ),
    Claim(
        "MMHC gains most by noise",
        "gain in average rank beyond that of all others",
        "+1.26, +1.81 and +1.01, all others less",
        gains_most("mmhc", 1),
        _ALL,
    ),
    Claim(
        "FCI loses most by noise",
        "loss in average rank beyond that of all others",
        "-.97, -2.11 and -.56 (GFCI and WINASOBS lose more by BSF)",
        gains_most("fci", -1),
        _ALL,
    ),
    Claim(
        "ILP is third without noise",
        "overall rank",
        "3",
        place("ilp", noisy=False),
        _BALANCED,
        2.5,
        3.5,
    ),
    Claim(
        "ILP is third with noise",
        "overall rank",
        "3",
        place("ilp", noisy=True),
        _BALANCED,
        2.5,
        3.5,
    ),
    Claim(
        "SaiyanH is the first of the hybrids without noise",
        "lead over the next hybrid in average rank",
        "yes",
        lead(("saiyanh",), noisy=False, among=HYBRID),
        _BALANCED,
    ),
    Claim(
        "SaiyanH is the first of the hybrids with noise",
        "lead over the next hybrid in average rank",
        "yes",
        lead(("saiyanh",), noisy=True, among=HYBRID),
        _BALANCED,
    ),
    Claim(
        "score-based before constraint-based without noise",
        "difference of mean average ranks",
        "yes",
        ahead(SCORE_BASED, CONSTRAINT_BASED, noisy=False),
        _ALL,
    ),
    Claim(
        "score-based before constraint-based with noise",
        "difference of mean average ranks",
        "yes",
        ahead(SCORE_BASED, CONSTRAINT_BASED, noisy=True),
        _ALL,
    ),
    Claim(
        "Inter-IAMB, GS, RFCI-BSC and NOTEARS are last with noise",
        "how far the best of them is behind",
        "yes",
        lead_of_others(_POOR, noisy=True),
        _BALANCED,
    ),
    Claim(
        "learners of latent variables gain nothing by L",
        "gain in average rank with codes that have L",
        "no evidence of a gain",
        latent_gain,
        _BALANCED,
        -math.inf,
        0.0,
    ),
    Claim(
        "5 % incorrect values are worse than 5 % of any other noise",
        "difference of losses",
        "yes",
        worse("I5", ("M5", "S5", "L5")),
        _BALANCED,
    ),
    Claim(
        "10 % incorrect values are worse than 10 % of any other noise",
        "difference of losses",
        "yes",
        worse("I10", ("M10", "S10", "L10")),
        _BALANCED,
    ),
    Claim("merged states cost little", "loss with S10", "2 %", loss("S10"), _BALANCED, -0.05, 0.05),
    Claim(
        "latent variables cost little",
        "loss with L10",
        "5 and 8 %",
        loss("L10"),
        _BALANCED,
        -0.05,
        0.1,
    ),
    Claim(
        "loss by missing values", "loss with M5", "13 and 14 %", loss("M5"), _BALANCED, 0.125, 0.185
    ),
    Claim(
        "loss by more missing values",
        "loss with M10",
        "16 and 18 %",
        loss("M10"),
        _BALANCED,
        0.125,
        0.185,
    ),
    Claim(
        "loss by incorrect values",
        "loss with I5",
        "18 and 19 %",
        loss("I5"),
        _BALANCED,
        0.175,
        0.285,
    ),
    Claim(
        "loss by more incorrect values",
        "loss with I10",
        "26 and 28 %",
        loss("I10"),
        _BALANCED,
        0.175,
        0.285,
    ),
    Claim("loss by both", "loss with cMI", "26 and 30 %", loss("cMI"), _BALANCED, 0.255, 0.305),
    Claim(
        "loss by all four",
        "loss with cMISL",
        "30 and 37 %",
        loss(ALL_NOISE),
        _BALANCED,
        0.295,
        0.375,
    ),
    Claim(
        "all four together are the worst",
        "loss beyond that of any other code",
        "yes",
        worst_of_all,
        _BALANCED,
    ),
    Claim(
        "by SHD incorrect values are worse than all four",
        "difference of losses",
        "yes",
        worse("I10", (ALL_NOISE,)),
        ("shd",),
    ),
    Claim(
        "kinds of noise do not add up",
        "losses of the four less that of all together",
        "yes",
        not_cumulative,
        _BALANCED,
    ),
    Claim(
        "H2PC and MMHC are the most resilient",
        "accuracy kept with cMISL beyond that of any other",
        "yes",
        resilient,
    ),
    Claim(
        "merged states take longer",
        "run time with S over that without noise, less 1",
        "yes",
        longer(("S5", "S10")),
    ),
    Claim(
        "latent variables take less time",
        "run time with L over that without noise, less 1",
        "yes",
        longer(("L5", "L10")),
        least=-1.0,
        most=0.0,
    ),
    Claim(
        "incorrect values take longer than missing ones",
        "difference of relative run times",
        "yes",
        longer(("I5", "I10"), ("M5", "M10")),
    ),
    Claim(
        "all four together take longer",
        "run time over that without noise, less 1",
        "+26 %",
        longer((ALL_NOISE,)),
    ),
    Claim(
        "noise gives more edges",
        "edges over those without noise, less 1",
        "+1.8 %",
        edge_change(ALL_NOISY),
    ),
    Claim(
        "all four together give fewer edges",
        "edges over those without noise, less 1",
        "-11.4 %",
        edge_change(ALL_NOISE),
        least=-1.0,
        most=0.0,
    ),
    Claim(
        "GS and MMHC have too few edges",
        "what they lack of the true number, as a share",
        "yes",
        underfit,
    ),
    Claim(
        "HC, ILP, SaiyanH, TABU and WINASOBS have the most edges",
        "beyond any other, over the true number",
        "yes",
        more_edges,
    ),
    Claim(
        "Pathfinder is the hardest",
        "F1 on the next hardest network, less that on Pathfinder",
        "yes",
        hardest("pathfinder"),
    ),
    Claim(
        "more rows help", "F1 with the most rows, less that with the fewest", "generally", more_rows
    ),
    Claim(
        "GS, HC, Inter-IAMB, NOTEARS and TABU never fail",
        "share of failed runs",
        "none",
        failures_of(("gs", "hc", "inter-iamb", "notears", "tabu")),
        least=-1.0,
        most=1e-9,
    ),
)
